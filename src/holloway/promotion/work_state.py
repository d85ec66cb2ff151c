"""Work state: drafts memories of a session's unfinished work and of the outcome of its work units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.domain.memory import Draft, MemoryType, Scope, Source
from holloway.domain.memory_details import WorkState, WorkUnitOutcome
from holloway.domain.ports import format_stamp
from holloway.domain.work import Outcome, SessionType
from holloway.observer.words import decision, prompt
from holloway.safety.repository_text import only_paths
from holloway.store.lookup import OBSERVED_PREFIX, work_state_origin
from holloway.store.write_gate import sanitize_observed_draft
from holloway.text import failures
from holloway.text.sanitize import first_paragraph, one_line

if TYPE_CHECKING:
    from holloway.domain.memory import Memory
    from holloway.domain.work import SessionSummary
    from holloway.observer.activity import SessionActivity
    from holloway.observer.outcome import SessionClassification
    from holloway.store.store import Store

WORK_TASK_CHARS_MAX = 200
ITEM_CHARS_MAX = 160
ITEMS_MAX = 12
CONFIDENCE = 0.75
CONSOLIDATED_FROM = 10
"""Number of subtasks from which they are consolidated into one memory."""


def draft_work_state(
    activity: SessionActivity, classification: SessionClassification, session: SessionSummary
) -> Draft | None:
    """Draft the state that the next session needs to continue this work; None if nothing is open."""
    plan = activity.pad.plan
    open_items = tuple(one_line(item.text, ITEM_CHARS_MAX) for item in plan if not item.done)[:ITEMS_MAX]
    finished_items = tuple(one_line(item.text, ITEM_CHARS_MAX) for item in plan if item.done)[:ITEMS_MAX]
    uncommitted = _list_uncommitted(activity)
    failure = _find_last_failure(activity)
    is_open = bool(open_items or failure or (uncommitted and classification.outcome is not Outcome.SUCCESS))
    if not is_open or classification.type not in (SessionType.BUILD, SessionType.SPEC_CREATION):
        return None
    # Pasted material follows the person's own first paragraph.
    task = (
        one_line(prompt.extract_user_text(first_paragraph(activity.task_text)), WORK_TASK_CHARS_MAX) or "unnamed work"
    )
    state = WorkState(task, finished_items, open_items, uncommitted, failure, _find_next_step(activity))
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


def draft_unit_outcomes(
    activity: SessionActivity, classification: SessionClassification, session: SessionSummary
) -> list[Draft]:
    """Draft the outcome of the session's work unit and of its subtasks; many subtasks share one memory."""
    unit = session.work_unit
    if unit is None:
        return []
    subtasks = activity.pad.subtasks
    drafts = [
        _draft_outcome(
            activity,
            classification,
            session,
            unit.label or "/".join(unit.path),
            classification.outcome is Outcome.SUCCESS,
        )
    ]
    if len(subtasks) >= CONSOLIDATED_FROM:
        passed = sum(subtask.validated for subtask in subtasks)
        label = f"{len(subtasks)} subtasks of {unit.label or '/'.join(unit.path)}, {passed} validated"
        return [*drafts, _draft_outcome(activity, classification, session, label, passed == len(subtasks))]
    return [
        *drafts,
        *(_draft_outcome(activity, classification, session, subtask.name, subtask.validated) for subtask in subtasks),
    ]


def _draft_outcome(
    activity: SessionActivity,
    classification: SessionClassification,
    session: SessionSummary,
    label: str,
    succeeded: bool,
) -> Draft:
    files = tuple(activity.edited_files)[:ITEMS_MAX]
    retries = sum(action.ok is False for action in activity.pad.actions)
    failure = "" if succeeded else classification.evidence
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
        origin=f"{OBSERVED_PREFIX}work_unit:{session.id}:{label}"[:300],
    )


def _list_uncommitted(activity: SessionActivity) -> tuple[str, ...]:
    last = activity.successful_commits[-1].step if activity.successful_commits else 0
    return only_paths(path for path, edits in activity.edited_files.items() if edits[-1].step > last)[:ITEMS_MAX]


def _find_last_failure(activity: SessionActivity) -> str:
    """Return the last test run with its error if it is red, else an empty string."""
    if activity.test_runs and activity.test_runs[-1].verdict == "red":
        action = activity.test_runs[-1].action
        return one_line(f"{action.command}: {failures.find_error_line(action.text)}", ITEM_CHARS_MAX)
    return ""


def _find_next_step(activity: SessionActivity) -> str:
    for _, words in reversed(activity.agent_texts[-8:]):
        if step := decision.find_next_step(words):
            return one_line(step, ITEM_CHARS_MAX)
    return ""


def save_work(
    store: Store, activity: SessionActivity, classification: SessionClassification, session: SessionSummary
) -> None:
    """Store the unfinished work of a session, in place of its branch's earlier state, and how its units ended."""
    earlier = store.memories.find_by_origin(work_state_origin(session.branch))
    draft = draft_work_state(activity, classification, session)
    if draft is not None:
        _save_draft(store, draft, earlier)
    elif (
        earlier is not None
        and classification.outcome is Outcome.SUCCESS
        and set(earlier.files) <= set(activity.edited_files)
    ):
        fields = {"deleted_at": format_stamp(store.clock.now()), "deleted_reason": f"done in {session.id}"}
        store.memories.update_memory(earlier, "done", **fields)
    for outcome in draft_unit_outcomes(activity, classification, session):
        _save_draft(store, outcome, store.memories.find_by_origin(outcome.origin))


def _save_draft(store: Store, draft: Draft, earlier: Memory | None) -> None:
    admitted = sanitize_observed_draft(draft, str(store.project.root))
    if admitted is None:
        return
    if earlier is None:
        store.memories.add_memory(admitted)
    elif earlier.content != admitted.draft.content or earlier.details != admitted.draft.details:
        store.memories.supersede_memory(earlier, admitted, "replaced", "a later session went on with it")
