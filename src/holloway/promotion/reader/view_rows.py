"""Rows of a session view: the scratchpad condensed to what a reader needs, each row with its number and its speaker.

A row has no secret, no text that holloway injected, and no role tag. Exclusion rules hold because excluded events never
reach the scratchpad.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from holloway.domain.event import TEAMMATE_PREFIX, ToolKind
from holloway.observer import own_text
from holloway.observer.passages import extract_typed_text
from holloway.observer.words.prompt import split_pasted_blocks, strip_host_additions
from holloway.safety.neutralize import neutralize_tags
from holloway.safety.secrets import redact_secrets
from holloway.text.commands import parse_command
from holloway.text.failures import read_verdict
from holloway.text.programs import CHECK, TEST
from holloway.text.sanitize import clean_text, one_line
from holloway.text.truncation import cut_end, cut_start

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.scratchpad import Action, Note, Scratchpad

PROMPT_ROW_CHARS_MAX = 6_000
PASTED_ROW_CHARS_MAX = 6_000
DOCUMENT_CHARS_MIN = 1_500
"""Length from which a prompt that begins with a heading is a document, not what a person typed."""
PROSE_ROW_CHARS_MAX = 4_500
SUMMARY_ROW_CHARS_MAX = 5_000
COMMAND_ROW_CHARS_MAX = 260
ERROR_ROW_CHARS_MAX = 700
OUTPUT_ROW_CHARS_MAX = 240
REPORT_ROW_CHARS_MAX = 1_600
"""Limit of the result of a server or a page."""
SUBAGENT_ROW_CHARS_MAX = 3_000
"""Limit of the result of a subagent: the findings of a review stand there."""
PLAN_ROW_CHARS_MAX = 4_500
ANSWER_ROW_CHARS_MAX = 1_600
COMMIT_ROW_CHARS_MAX = 2_000
DIFF_LINES_MAX = 8
DIFF_LINE_CHARS_MAX = 140
NAMED_FILES_MAX = 8

REJECTION = "The user doesn't want to proceed"
"""Beginning of a host's own result of a tool call that the person rejected; its tool has not run."""
_PLAN_TOOLS = frozenset({"ExitPlanMode", "exit_plan_mode"})
_PLAN_HEADING = "## Approved Plan"
_QUESTION_TOOLS = frozenset({"AskUserQuestion", "question"})
_DIGEST = re.compile(r"[0-9a-f]{8}")
_EXIT_CODE = re.compile(r"(?:Exit code|exited with code|exit status)[: ]*(-?\d{1,5})", re.IGNORECASE)
_HEADING = re.compile(r"^#{1,6} ")
_REPORT_KINDS = frozenset({ToolKind.SUBAGENT, ToolKind.MCP, ToolKind.WEB})
_REMOTE_PROGRAMS = ("gh ", "glab ")
_SENDING = re.compile(r"(?: -f | -F |--field|--body| create | -X (?:POST|PUT|PATCH|DELETE))")
"""Options with which a client of a code host sends something: what it prints then repeats what was sent."""


class Voice(StrEnum):
    """Who or what a row quotes, decided by the host's record and never by the words."""

    PERSON = "person"
    PASTED = "pasted by person"
    AGENT = "agent"
    PLAN = "plan accepted by person"
    ANSWER = "answered by person"
    SUBAGENT = "sub-agent"
    TEAMMATE = "team-mate"
    SUMMARY = "summary"
    COMMAND = "command"
    OUTPUT = "output"
    EDIT = "edit"
    COMMIT = "commit"
    LOOKUP = "looked at"
    REJECTED = "rejected by person"


AGENT_VOICES = frozenset({Voice.AGENT, Voice.SUBAGENT, Voice.SUMMARY, Voice.PLAN, Voice.ANSWER})
AGREED_VOICES = frozenset({Voice.PLAN, Voice.ANSWER})
"""Words of the agent that the person chose or accepted, as the host records it."""
PERSON_VOICES = frozenset({Voice.PERSON, Voice.REJECTED})


@dataclass(frozen=True, slots=True)
class ViewRow:
    """One row of a view: its number, the step that it belongs to, its voice and its text."""

    number: int
    step: int
    at: float
    voice: Voice
    text: str
    ends_stretch: bool = False
    """Whether a commit or a compaction ends a part of the work here."""


@dataclass(slots=True)
class _Item:
    """A note or an action, in the order of the session."""

    step: int
    at: float
    note: Note | None = None
    action: Action | None = None


def build_rows(pad: Scratchpad) -> list[ViewRow]:
    """Build the rows of a session, in order; rows without text are left out."""
    rows: list[ViewRow] = []
    for step, at, voice, text, ends_stretch in _list_drafts(pad):
        if text:
            rows.append(ViewRow(len(rows) + 1, step, at, voice, text, ends_stretch))
    return rows


_Draft = tuple[int, float, Voice, str, bool]


def _list_drafts(pad: Scratchpad) -> Iterator[_Draft]:
    notes = [_Item(note.step, note.at, note=note) for note in pad.notes]
    actions = [_Item(action.step, action.at, action=action) for action in pad.actions]
    # A note follows the action of its step.
    ordered = sorted([*actions, *notes], key=lambda item: (item.step, item.note is not None))
    for is_lookup, items in groupby(ordered, key=_is_lookup):
        if is_lookup:
            yield from _draft_lookups([item.action for item in items if item.action])
            continue
        for item in items:
            if item.note:
                yield from _draft_note(item.note)
            elif item.action:
                yield from _draft_action(item.action)


def _is_lookup(item: _Item) -> bool:
    """Whether an item is a successful read, search or listing: many of them make one row."""
    action = item.action
    return (
        action is not None
        and action.ok is not False
        and action.kind in (ToolKind.READ, ToolKind.SEARCH, ToolKind.LIST)
        and not own_text.is_own_output(action.tool)
    )


def _draft_lookups(actions: list[Action]) -> Iterator[_Draft]:
    for _, group in groupby(actions, key=attrgetter("actor")):
        targets = list(dict.fromkeys(action.path or action.pattern for action in group))
        named = ", ".join(filter(None, targets[:NAMED_FILES_MAX]))
        more = f" and {len(targets) - NAMED_FILES_MAX} more" if len(targets) > NAMED_FILES_MAX else ""
        if named:
            yield actions[0].step, actions[0].at, Voice.LOOKUP, clean_row(named + more, COMMAND_ROW_CHARS_MAX), False


def _draft_note(note: Note) -> Iterator[_Draft]:
    if note.voice == "user":
        yield from _draft_prompt(note)
    elif note.voice == "summary":
        yield note.step, note.at, Voice.SUMMARY, clean_row(note.text, SUMMARY_ROW_CHARS_MAX), True
    elif note.voice in ("agent", "record"):
        yield note.step, note.at, _name_agent(note.actor), clean_row(note.text, PROSE_ROW_CHARS_MAX), False


def _name_agent(actor: str) -> Voice:
    if actor.startswith(TEAMMATE_PREFIX):
        return Voice.TEAMMATE
    return Voice.SUBAGENT if actor else Voice.AGENT


def _draft_prompt(note: Note) -> Iterator[_Draft]:
    """Yield what the person typed, and apart from it what they pasted."""
    prompt = strip_host_additions(own_text.strip_own_text(note.text))
    if not prompt:
        return
    if len(prompt) >= DOCUMENT_CHARS_MIN and _HEADING.match(prompt):
        yield note.step, note.at, Voice.PASTED, clean_row(prompt, PROMPT_ROW_CHARS_MAX), False
        return
    typed = extract_typed_text(prompt)
    pasted = "\n\n".join(block for block, _ in split_pasted_blocks(prompt) if block not in typed)
    yield note.step, note.at, Voice.PERSON, clean_row(typed, PROMPT_ROW_CHARS_MAX), False
    yield note.step, note.at, Voice.PASTED, clean_row(pasted, PASTED_ROW_CHARS_MAX), False


def _draft_action(action: Action) -> Iterator[_Draft]:
    if own_text.is_own_output(action.tool, action.command):
        return
    step, at = action.step, action.at
    if action.ok is False and action.text.startswith(REJECTION):
        text = f"{action.tool}: {action.command or action.path or action.pattern}"
        yield step, at, Voice.REJECTED, clean_row(text, COMMAND_ROW_CHARS_MAX), False
    elif action.kind in (ToolKind.EDIT, ToolKind.WRITE):
        yield step, at, Voice.EDIT, _render_edit(action), False
    elif action.kind is ToolKind.SHELL:
        yield from _draft_command(action)
    elif action.kind in _REPORT_KINDS:
        called = " ".join(filter(None, (action.tool, action.url or action.pattern or action.path)))
        yield step, at, Voice.COMMAND, clean_row(called, COMMAND_ROW_CHARS_MAX), False
        is_subagent = action.kind is ToolKind.SUBAGENT
        limit = SUBAGENT_ROW_CHARS_MAX if is_subagent else REPORT_ROW_CHARS_MAX
        voice = Voice.SUBAGENT if is_subagent else Voice.OUTPUT
        yield step, at, voice, clean_row(action.whole or action.text, limit), False
    elif action.ok and action.tool in _PLAN_TOOLS:
        plan = (action.whole or action.text).partition(_PLAN_HEADING)[2].partition("\n")[2]
        yield step, at, Voice.PLAN, clean_row(plan, PLAN_ROW_CHARS_MAX), False
    elif action.ok and action.tool in _QUESTION_TOOLS:
        yield step, at, Voice.ANSWER, clean_row(action.whole or action.text, ANSWER_ROW_CHARS_MAX), False
    elif action.ok is False:
        called = " ".join(filter(None, (action.tool, action.path or action.pattern)))
        yield step, at, Voice.COMMAND, clean_row(f"{called} (failed)", COMMAND_ROW_CHARS_MAX), False
        yield step, at, Voice.OUTPUT, clean_row(action.text, ERROR_ROW_CHARS_MAX), False


def _draft_command(action: Action) -> Iterator[_Draft]:
    steps = parse_command(action.command)
    message = next((step.message for step in steps if step.message), "")
    is_commit = any(step.kind == "commit" for step in steps) and action.ok is not False
    command = clean_row(one_line(action.command, 4 * COMMAND_ROW_CHARS_MAX), COMMAND_ROW_CHARS_MAX)
    yield action.step, action.at, Voice.COMMAND, f"$ {command}  ({describe_exit(action)})", is_commit and not message
    if message:
        yield action.step, action.at, Voice.COMMIT, clean_row(message, COMMIT_ROW_CHARS_MAX), is_commit
    yield action.step, action.at, Voice.OUTPUT, _render_output(action), False


def describe_exit(action: Action) -> str:
    """Return how a command ended: its exit code where the host names one."""
    if action.ok is None:
        return "no result"
    code = _EXIT_CODE.search(action.text[:300]) or _EXIT_CODE.search(action.text[-300:])
    verdict = read_verdict(action.command, action.text, not action.ok)
    verdict_note = f", tests {verdict}" if verdict else ""
    return (f"exit {code[1]}" if code else "ok" if action.ok else "failed") + verdict_note


def _render_output(action: Action) -> str:
    """Return the head of an error, the last line of a test or a check, or the beginning of what a code host says."""
    output = own_text.strip_own_text(action.text)
    if action.ok is False:
        return clean_row(output, ERROR_ROW_CHARS_MAX)
    kinds = {step.kind for step in parse_command(action.command)}
    if kinds & {TEST, CHECK}:
        return clean_row(cut_end(output.strip(), OUTPUT_ROW_CHARS_MAX), OUTPUT_ROW_CHARS_MAX)
    if action.command.lstrip().startswith(_REMOTE_PROGRAMS) and not _SENDING.search(action.command):
        return clean_row(output, REPORT_ROW_CHARS_MAX)
    return ""


def _render_edit(action: Action) -> str:
    """Return a changed file with the first lines that were added; digests of lines are not shown."""
    lines = [line for line in action.added if line.strip() and not _DIGEST.fullmatch(line)]
    added_lines = [f"+ {one_line(redact_secrets(line)[0], DIFF_LINE_CHARS_MAX)}" for line in lines[:DIFF_LINES_MAX]]
    failed = ", failed" if action.ok is False else ""
    head = f"{action.path or '(a file outside)'} (-{len(action.removed)} +{len(action.added)}{failed})"
    return clean_row("\n".join([head, *added_lines]), DIFF_LINES_MAX * DIFF_LINE_CHARS_MAX + 400)


def clean_row(text: str, chars_max: int) -> str:
    """Return a text without secrets, injected text and role tags, cut in the middle where it is too long."""
    # Redacted before it is cut: a part of a secret is not recognised as one.
    plain = redact_secrets(clean_text(own_text.strip_own_text(text)))[0].strip()
    if len(plain) > chars_max:
        head = 2 * chars_max // 3
        plain = f"{cut_start(plain, head)}\n[…]\n{cut_end(plain, chars_max - head)}"
    return neutralize_tags(plain)
