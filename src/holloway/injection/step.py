"""Injection between two steps of an agent: rarely anything, always within its budget. Light, under 5 ms.

Gotchas and answers already come with the tool's own result. Left for here: memories that did not fit there, the agent's
own notes, and the next step of a recipe.
"""

from __future__ import annotations

from holloway.capture import event_subject
from holloway.config import (
    STEP_FILES_MAX,
    STEP_MEMORIES_MAX,
    STEP_SEARCHES_MAX,
    STEP_TOKENS_MAX,
    STEP_TOKENS_PER_SESSION_MAX,
    STEPS_WITHOUT_WORD,
)
from holloway.injection.work_phase import infer_from_step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from holloway.injection.reader import Reader, StoreView
    from holloway.injection.session_state import SessionState

    Row = dict[str, object]

STEP_POINT = "step"
CALLS_MAX = 50
"""Tool calls of one step that are read."""


class StepActivity:
    """The files, searches and commands of one step. A plain class, as hooks need."""

    __slots__ = ("_calls", "_root", "edited", "files", "searches")

    def __init__(self, root: str) -> None:
        self._root = root
        self._calls: list[dict[str, object]] = []
        self.files: dict[str, None] = {}
        """The files that were opened or changed, in order."""
        self.searches: list[str] = []
        self.edited: set[str] = set()

    def add_call(self, call: dict[str, object]) -> None:
        """Add a tool call in the form of a hook event; calls above the limit are ignored."""
        if len(self._calls) == CALLS_MAX:
            return
        self._calls.append(call)
        # Without its response, which the tool result's own injection has read.
        subject = event_subject.find_subject({**call, "hook_event_name": "", "tool_response": None}, self._root)
        self.files.update(dict.fromkeys(subject.files))
        self.searches += [subject.pattern] if subject.pattern else []
        self.edited.update(event_subject.find_edited_files(call, self._root))

    def has_commands(self) -> bool:
        """Tell whether a command was run, whatever came of it."""
        return any(event_subject.extract_command(call) for call in self._calls)

    def successful_commands(self) -> list[str]:
        """List the commands that did not fail."""
        commands = [(call, event_subject.extract_command(call)) for call in self._calls]
        return [command for call, command in commands if command and not event_subject.has_failed(call, command)]


def inject(
    reader: Reader,
    state: SessionState,
    activity: StepActivity,
    *,
    notes: Sequence[str] = (),
    cited: Collection[str] = (),
) -> str:
    """Return what the agent should read before its next step, and record it; nearly always empty.

    `notes` are all the notes that the agent took in this session, `cited` the ids of memories that it read elsewhere.
    """
    state["step"] += 1
    view = reader.open() if _may_have_something(state, activity, notes) else None
    if view is None:
        return ""
    with view:
        view.phase = view.phase or infer_from_step(
            has_edits=bool(activity.edited), has_commands=activity.has_commands()
        )
        text = _choose(view, state, activity, notes, cited)
    if text:
        state["spent"] += int(count_tokens(text)) + 1
    return text


def _may_have_something(state: SessionState, activity: StepActivity, notes: Sequence[str]) -> bool:
    """Tell whether there may be anything to inject, so that the store is opened for it."""
    if activity.files or (state["recipe"] and (activity.edited or activity.has_commands())):
        return True
    if state["step"] <= STEPS_WITHOUT_WORD:
        return False
    return bool(activity.searches or len(notes) > state["notes"] or 0 < state["reached"] >= state["told"])


def _choose(
    view: StoreView, state: SessionState, activity: StepActivity, notes: Sequence[str], cited: Collection[str]
) -> str:
    """Return the first that there is: gotchas of files, new notes, the answer to a search, the next recipe step.

    Quiet steps, which are the first ones and all after the session's budget, only bring dead ends.
    """
    next_step = _advance_recipe(view, state, activity)
    left = min(STEP_TOKENS_MAX, STEP_TOKENS_PER_SESSION_MAX - state["spent"])
    is_quiet = state["step"] <= STEPS_WITHOUT_WORD or left <= 0
    text = _show_gotchas(view, activity, cited, left, only_dead_ends=is_quiet)
    if text or is_quiet:
        return text
    text = render_notes(notes[state["notes"] :], left)
    if text:
        state["notes"] = len(notes)
        return text
    text = _show_answer(view, activity.searches, cited, left)
    if text or not next_step or count_tokens(next_step) > left:
        return text
    state["told"] = state["reached"] + 1
    return next_step


def _show_gotchas(
    view: StoreView, activity: StepActivity, cited: Collection[str], left: int, *, only_dead_ends: bool
) -> str:
    if not activity.files:
        return ""
    from holloway.injection import known_facts, memory_text  # most steps open no file

    files = list(activity.files)[-STEP_FILES_MAX:]
    rows = [row for row in known_facts.find_for_files(view, files, STEP_MEMORIES_MAX) if row["id"] not in cited]
    dead_ends = [row for row in rows if row["type"] == "dead_end"]
    rows = dead_ends if only_dead_ends else rows
    if left <= 0 or (left < STEP_TOKENS_MAX and not memory_text.render_rows(rows, left)[1]):
        rows, left = dead_ends, STEP_TOKENS_MAX
    return memory_text.show_rows(view, rows, STEP_POINT, left)


def _show_answer(view: StoreView, searches: list[str], cited: Collection[str], left: int) -> str:
    if not searches:
        return ""
    from holloway.injection import known_facts, memory_text

    for pattern in searches[-STEP_SEARCHES_MAX:]:
        rows = [row for row in known_facts.find_answers(view, pattern, 1) if row["id"] not in cited]
        if text := memory_text.show_rows(view, rows, STEP_POINT, left):
            return text
    return ""


def _advance_recipe(view: StoreView, state: SessionState, activity: StepActivity) -> str:
    """Count the completed steps of the recipe in use, and return the line of the next one unless it was announced."""
    if not state["recipe"]:
        return ""
    from holloway.injection import relevance
    from holloway.store import lookup
    from holloway.text.tokens import render_citation

    task, steps = relevance.parse_steps(lookup.load_living_details(view.connection, state["recipe"]))
    completed = relevance.count_completed(steps, activity.edited, activity.successful_commands())
    state["reached"] = max(state["reached"], completed)
    number = state["reached"] + 1
    if number > len(steps):
        state["told"] = number
    if number == 1 or number <= state["told"] or not lookup.is_allowed(view.connection, state["recipe"], view.viewer):
        return ""
    return relevance.render_next_step(task, steps, number, render_citation(state["recipe"]))


def render_notes(notes: Sequence[str], tokens: int) -> str:
    """Render the agent's own notes, only the latest if not all fit."""
    if not notes:
        return ""
    from holloway.injection.template import line
    from holloway.safety.neutralize import neutralize_text
    from holloway.text.tokens import fits_budget

    for first in range(len(notes)):
        lines = [line("step", "notes"), *(line("step", "note", text=neutralize_text(text)) for text in notes[first:])]
        if fits_budget(lines, tokens):
            return "\n".join(lines)
    return ""


def count_tokens(text: str) -> float:
    """Count the tokens of a text, as budgets do."""
    from holloway.text.tokens import MARGIN, estimate_tokens

    return estimate_tokens(text) * MARGIN
