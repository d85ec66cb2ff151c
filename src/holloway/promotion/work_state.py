"""Work state: drafts memories of a session's unfinished work and of the outcome of its work units."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from holloway import git
from holloway.domain.memory import Draft, MemoryType, Scope, Source
from holloway.domain.memory_details import WorkState, WorkUnitOutcome
from holloway.domain.ports import format_stamp
from holloway.domain.work import Outcome, SessionType
from holloway.observer.words import decision, prompt
from holloway.observer.words.sentences import clean_clause, split_prose
from holloway.safety.repository_text import only_paths
from holloway.store.filter import Filter
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
DECISIONS_MAX = 3
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
        stated_at=session.last_event_at,
    )


def draft_unit_outcomes(
    activity: SessionActivity, classification: SessionClassification, session: SessionSummary
) -> list[Draft]:
    """Draft the outcome of the session's work unit and of its subtasks; many subtasks share one memory."""
    unit = session.work_unit
    if unit is None:
        return []
    subtasks, label = activity.pad.subtasks, unit.label or "/".join(unit.path)
    evidence = classification.evidence
    whole = _WorkPart(label, 0, activity.pad.step, classification.outcome is Outcome.SUCCESS)
    drafts = [_draft_outcome(activity, session, whole, evidence)]
    if len(subtasks) >= CONSOLIDATED_FROM:
        passed = sum(subtask.validated for subtask in subtasks)
        label = f"{len(subtasks)} subtasks of {label}, {passed} validated"
        return [
            *drafts,
            _draft_outcome(activity, session, whole._replace(label=label, succeeded=passed == len(subtasks)), evidence),
        ]
    starts = [0, *(subtask.step for subtask in subtasks)]
    parts = [
        _WorkPart(subtask.name, start, subtask.step, subtask.validated)
        for start, subtask in zip(starts, subtasks, strict=False)
    ]
    return [*drafts, *(_draft_outcome(activity, session, part, evidence) for part in parts)]


class _WorkPart(NamedTuple):
    """A part of a session: the steps after `start` up to `end`."""

    label: str
    start: int
    end: int
    succeeded: bool


def _draft_outcome(activity: SessionActivity, session: SessionSummary, part: _WorkPart, evidence: str) -> Draft:
    """Draft the outcome of a part of a session, with the steps, files, failures and decisions of that part."""
    steps = part.end - part.start
    files = tuple(
        path
        for path, edits in activity.edited_files.items()
        if any(part.start < edit.step <= part.end for edit in edits)
    )[:ITEMS_MAX]
    actions = [action for action in activity.pad.actions if part.start < action.step <= part.end]
    failures_count = sum(action.ok is False for action in actions)
    failure = "" if part.succeeded else evidence
    tokens = (activity.pad.tokens_in or None) if steps == activity.pad.step else None
    decisions = _list_decisions(activity, part)
    details = WorkUnitOutcome(part.succeeded, files, decisions, steps, failures_count, tokens, failure)
    how = "succeeded" if part.succeeded else "did not succeed"
    return Draft(
        content=f"{part.label} {how} in {steps} steps" + (f": {failure}" if failure else ""),
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
        origin=f"{OBSERVED_PREFIX}work_unit:{session.id}:{part.label}"[:300],
    )


def _list_decisions(activity: SessionActivity, part: _WorkPart) -> tuple[str, ...]:
    """Return the sentences in which the commits of a part give a reason for what they changed."""
    messages = (entry.message for entry in activity.successful_commits if part.start < entry.step <= part.end)
    sentences = (sentence for message in messages for sentence in split_prose(message) if _REASON.search(sentence))
    return tuple(dict.fromkeys(one_line(clean_clause(text), ITEM_CHARS_MAX) for text in sentences))[:DECISIONS_MAX]


_REASON = re.compile(r"\w \b(?:because|so that|instead of|rather than|in order to)\b \w", re.IGNORECASE)


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


def close_committed_work(store: Store) -> list[Memory]:
    """Close unfinished work whose files were all committed since, on any branch; return the closed memories."""
    root, closed = str(store.project.root), []
    for memory in store.memories.find_memories(Filter(types=(MemoryType.WORK_STATE,)), limit=-1):
        since = memory.stated_at or memory.updated_at
        committed = git.list_committed_since(root, since, memory.files, memory.commit) if memory.files else set()
        if committed and set(memory.files) <= committed:
            fields = {"deleted_at": format_stamp(store.clock.now()), "deleted_reason": "its files were committed"}
            closed.append(store.memories.update_memory(memory, "done", **fields))
    return closed


def _save_draft(store: Store, draft: Draft, earlier: Memory | None) -> None:
    admitted = sanitize_observed_draft(draft, str(store.project.root))
    if admitted is None:
        return
    if earlier is None:
        store.memories.add_memory(admitted)
    elif earlier.content != admitted.draft.content or earlier.details != admitted.draft.details:
        store.memories.supersede_memory(earlier, admitted, "replaced", "a later session went on with it")
