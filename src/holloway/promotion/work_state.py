"""Work state: drafts memories of a session's unfinished work and of the outcome of its work units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.domain.memory import Draft, MemoryType, Scope, Source
from holloway.domain.memory_details import WorkState, WorkUnitOutcome
from holloway.domain.ports import stamp
from holloway.domain.session import Outcome, SessionType
from holloway.observer.words import intent, prompt
from holloway.safety.repository_text import only_paths
from holloway.store.lookup import OBSERVED, work_state_origin
from holloway.store.write_gate import admit_watched
from holloway.text import failures
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from holloway.domain.memory import Memory
    from holloway.domain.session import Session
    from holloway.observer.activity import Account
    from holloway.observer.outcome import Judged
    from holloway.store.store import Store

TASK_CHARS_MAX = 200
ITEM_CHARS_MAX = 160
ITEMS_MAX = 12
CONFIDENCE = 0.75
CONSOLIDATED_FROM = 10
"""Number of subtasks from which they are consolidated into one memory."""


def work_state(activity: Account, judged: Judged, session: Session) -> Draft | None:
    """Draft the state that the next session needs to continue this work; None if nothing is open."""
    plan = activity.pad.plan
    open_items = tuple(one_line(item.text, ITEM_CHARS_MAX) for item in plan if not item.done)[:ITEMS_MAX]
    finished_items = tuple(one_line(item.text, ITEM_CHARS_MAX) for item in plan if item.done)[:ITEMS_MAX]
    uncommitted = _uncommitted(activity)
    failure = _last_failure(activity)
    is_open = bool(open_items or failure or (uncommitted and judged.outcome is not Outcome.SUCCESS))
    if not is_open or judged.type not in (SessionType.BUILD, SessionType.SPEC_CREATION):
        return None
    task = one_line(prompt.spoken(activity.task), TASK_CHARS_MAX) or "unnamed work"
    state = WorkState(task, finished_items, open_items, uncommitted, failure, _next_step(activity))
    total = len(finished_items) + len(open_items)
    content = f"Unfinished: {task}" + (f"; {len(finished_items)} of {total} steps done" if total else "")
    content += f"; not committed: {', '.join(uncommitted[:4])}" if uncommitted else ""
    return Draft(
        content=content,
        type=MemoryType.WORK_STATE,
        details=state,
        files=uncommitted,
        source=Source.OBSERVER_INFERRED,
        scope=Scope.SESSION,
        confidence=CONFIDENCE,
        session=session.id,
        agent=session.agent,
        branch=session.branch,
        branch_only=session.branch,
        commit=session.commit,
        work_unit=session.work_unit,
        origin=work_state_origin(session.branch),
    )


def unit_outcomes(activity: Account, judged: Judged, session: Session) -> list[Draft]:
    """Draft the outcome of the session's work unit and of its subtasks; many subtasks share one memory."""
    unit = session.work_unit
    if unit is None:
        return []
    subtasks = activity.pad.subtasks
    drafts = [_outcome(activity, judged, session, unit.label or "/".join(unit.path), judged.outcome is Outcome.SUCCESS)]
    if len(subtasks) >= CONSOLIDATED_FROM:
        passed = sum(subtask.validated for subtask in subtasks)
        label = f"{len(subtasks)} subtasks of {unit.label or '/'.join(unit.path)}, {passed} validated"
        return [*drafts, _outcome(activity, judged, session, label, passed == len(subtasks))]
    return [*drafts, *(_outcome(activity, judged, session, subtask.name, subtask.validated) for subtask in subtasks)]


def _outcome(activity: Account, judged: Judged, session: Session, label: str, succeeded: bool) -> Draft:
    files = tuple(activity.edited)[:ITEMS_MAX]
    retries = sum(action.ok is False for action in activity.pad.actions)
    failure = "" if succeeded else judged.evidence
    details = WorkUnitOutcome(succeeded, files, (), activity.pad.step, retries, activity.pad.tokens_in or None, failure)
    how = "succeeded" if succeeded else "did not succeed"
    return Draft(
        content=f"{label} {how} in {activity.pad.step} steps" + (f": {failure}" if failure else ""),
        type=MemoryType.WORK_UNIT_OUTCOME,
        details=details,
        files=files,
        source=Source.OBSERVER_INFERRED,
        scope=Scope.WORK_UNIT,
        confidence=CONFIDENCE,
        session=session.id,
        agent=session.agent,
        branch=session.branch,
        commit=session.commit,
        work_unit=session.work_unit,
        origin=f"{OBSERVED}work_unit:{session.id}:{label}"[:300],
    )


def _uncommitted(activity: Account) -> tuple[str, ...]:
    last = activity.commits[-1].step if activity.commits else 0
    return only_paths(path for path, edits in activity.edited.items() if edits[-1].step > last)[:ITEMS_MAX]


def _last_failure(activity: Account) -> str:
    """Return the last test run with its error if it is red, else an empty string."""
    if activity.tests and activity.tests[-1].verdict == "red":
        action = activity.tests[-1].action
        return one_line(f"{action.command}: {failures.find_error_line(action.text)}", ITEM_CHARS_MAX)
    return ""


def _next_step(activity: Account) -> str:
    for _, words in reversed(activity.own_words[-8:]):
        if step := intent.next_step(words):
            return one_line(step, ITEM_CHARS_MAX)
    return ""


def save_work(store: Store, activity: Account, judged: Judged, session: Session) -> None:
    """Store the unfinished work of a session, in place of its branch's earlier state, and how its units ended."""
    earlier = store.memories.by_origin(work_state_origin(session.branch))
    draft = work_state(activity, judged, session)
    if draft is not None:
        _save_draft(store, draft, earlier)
    elif earlier is not None and judged.outcome is Outcome.SUCCESS and set(earlier.files) <= set(activity.edited):
        fields = {"deleted_at": stamp(store.clock.now()), "deleted_reason": f"done in {session.id}"}
        store.memories.change(earlier, "done", **fields)
    for outcome in unit_outcomes(activity, judged, session):
        _save_draft(store, outcome, store.memories.by_origin(outcome.origin))


def _save_draft(store: Store, draft: Draft, earlier: Memory | None) -> None:
    admitted = admit_watched(draft, str(store.project.root))
    if admitted is None:
        return
    if earlier is None:
        store.memories.add(admitted)
    elif earlier.content != admitted.draft.content or earlier.details != admitted.draft.details:
        store.memories.supersede(earlier, admitted, "replaced", "a later session went on with it")
