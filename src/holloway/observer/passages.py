"""Passages: the explanatory prose of a session in pieces short enough to tell, each with its speaker.

Lessons are written down in prose: a diagnosis, a commit body, an answer of the user. A passage is a list item or a run
of sentences of one paragraph, without code and tables, with the heading or lead-in above it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from textwrap import dedent
from typing import TYPE_CHECKING

from holloway.config import LESSON_CHARS_MAX, PASSAGES_MAX
from holloway.domain.event import ToolKind
from holloway.observer import own_text
from holloway.observer.words.prompt import split_pasted_blocks, strip_host_additions
from holloway.text.commands import PULL_REQUEST_PROGRAM
from holloway.text.identifiers import split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.activity import SessionActivity
    from holloway.observer.scratchpad import Note

PASSAGE_WORDS_MIN = 5
CONTEXT_CHARS_MAX = 160

_FENCE = re.compile(r"^\s*(?:```|~~~)")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(\S.*?)\s*#*\s*$")
_ITEM = re.compile(r"^\s*(?:[-*•+]|\d{1,2}[.)]|[a-z][.)])\s+(?=\S)")
_BREAK = re.compile(r"^\s*(?:$|[|>]|(?:-{3,}|={3,}|\*{3,}|_{3,})\s*$)")
"""A line between two blocks: blank, a part of a table, quoted, or a rule."""
_EMPHASIS = re.compile(r"\*\*|__(?=\S)|(?<=\S)__")
_NUMBERED_SECTION = re.compile(r"^(?=\d{1,2}\. [A-Z*])", re.MULTILINE)
_HEADED_SECTION = re.compile(r"^(?=#{1,4} \S|\*\*[A-Z][^*\n]{2,60}\*\*:?[ \t]*$)", re.MULTILINE)
_TITLE = re.compile(r"(?:\d{1,2}\. |#{1,4} )?\**([A-Z][^:\n*]{2,60})")
_TOLD_SECTIONS = re.compile(
    r"(?:errors|problem|key (?:technical|decisions|findings|insights)|user (?:feedback|preferences)|decisions"
    r"|constraints|important (?:context|constraints)|critical|discoveries|gotchas|learnings|instructions)",
    re.IGNORECASE,
)
"""Sections of the summaries of Claude Code, Codex and OpenCode that state causes, facts and rules."""
_NOTE_PATH = re.compile(r"(?:^|/)(?:memory|memories|\.learnings|adrs?|decisions)/[^/]{1,200}\.md$", re.IGNORECASE)
_TRAILER = re.compile(r"^(?:[A-Z][\w-]{2,40}: \S|🤖|Generated with)")

_UNSPACED_WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]{2}")
"""Two letters of a script without spaces between words: Thai, Lao, Japanese, Chinese."""


class Speaker(StrEnum):
    """Who said it, decided by the host's row and never by the words."""

    PERSON = "person"
    AGENT = "agent"
    SUMMARY = "summary"
    COMMIT = "commit"
    PULL_REQUEST = "pull_request"
    NOTE = "note"
    REVIEW = "review"


@dataclass(frozen=True, slots=True)
class ProsePassage:
    """A piece of prose with its speaker, the heading or lead-in above it, and the text that it answers."""

    step: int
    at: float
    speaker: Speaker
    text: str
    context: str = ""
    answers: str = ""


def list_passages(activity: SessionActivity) -> list[ProsePassage]:
    """List the passages of a session in order, at most PASSAGES_MAX of the last ones."""
    passages = [
        *_list_spoken_passages(activity),
        *_list_commit_passages(activity),
        *_list_pull_request_passages(activity),
        *_list_note_passages(activity),
    ]
    return sorted(passages, key=lambda passage: (passage.step, passage.at))[-PASSAGES_MAX:]


def _list_spoken_passages(activity: SessionActivity) -> Iterator[ProsePassage]:
    """Yield what the person typed, and the visible words of the main agent; subagents' words are not read.

    On labelled sessions 3 % of the passages of subagents were worth telling, and 17 % were wrong by the end.
    """
    last_message = ""
    for note in activity.pad.notes:
        text = own_text.strip_own_text(note.text)
        if note.voice == "user":
            for passage, context in split_passages(extract_typed_text(text)):
                yield ProsePassage(note.step, note.at, Speaker.PERSON, passage, context, last_message)
        elif note.voice == "summary":
            yield from _split_summary(note, text)
        elif note.voice == "agent" and not note.actor:
            for passage, context in split_passages(text):
                yield ProsePassage(note.step, note.at, Speaker.AGENT, passage, context)
            last_message = text


def _split_summary(note: Note, text: str) -> Iterator[ProsePassage]:
    """Yield the passages of the sections that state causes and facts; others repeat the task and the next steps."""
    is_numbered = bool(_NUMBERED_SECTION.search(text))
    for section in (_NUMBERED_SECTION if is_numbered else _HEADED_SECTION).split(text):
        title, _, body = section.partition("\n")
        heading = _TITLE.match(title)
        if heading and _TOLD_SECTIONS.match(heading[1]):
            for passage, context in split_passages(dedent(body)):
                yield ProsePassage(note.step, note.at, Speaker.SUMMARY, passage, context)


def _list_commit_passages(activity: SessionActivity) -> Iterator[ProsePassage]:
    for entry in activity.successful_commits:
        subject, _, body = entry.message.strip().partition("\n")
        for passage in split_commit_body(body):
            yield ProsePassage(entry.step, entry.action.at, Speaker.COMMIT, passage, subject[:CONTEXT_CHARS_MAX])


def split_commit_body(body: str) -> list[str]:
    """Split the body of a commit message into passages, without its trailers."""
    prose = "\n".join(line for line in body.split("\n") if not _TRAILER.match(line.strip()))
    return [passage for passage, _ in split_passages(prose)]


def _list_pull_request_passages(activity: SessionActivity) -> Iterator[ProsePassage]:
    for entry in activity.entries:
        if entry.program == PULL_REQUEST_PROGRAM and entry.action.ok is not False:
            title, _, body = entry.message.strip().partition("\n")
            for passage, context in split_passages(body):
                heading = context or title[:CONTEXT_CHARS_MAX]
                yield ProsePassage(entry.step, entry.action.at, Speaker.PULL_REQUEST, passage, heading)


def _list_note_passages(activity: SessionActivity) -> Iterator[ProsePassage]:
    """Yield what the agent wrote into files of notes: memory files of its host, learnings, decision records."""
    for action in activity.pad.actions:
        is_write = action.kind in (ToolKind.EDIT, ToolKind.WRITE) and action.ok is not False
        if is_write and not action.actor and _NOTE_PATH.search(action.path.replace("\\", "/")):
            for passage, context in split_passages("\n".join(action.added)):
                yield ProsePassage(action.step, action.at, Speaker.NOTE, passage, context)


def extract_typed_text(prompt: str) -> str:
    """Return the blocks of a prompt that the person typed, without what the host added and what was pasted.

    A block below one that ends with a colon is taken for pasted: "The vendor wrote:" announces words of others.
    """
    blocks = [("", False), *split_pasted_blocks(strip_host_additions(prompt))]
    return "\n\n".join(
        block
        for (above, _), (block, is_pasted) in pairwise(blocks)
        if not is_pasted and not above.rstrip().endswith(":")
    )


def split_passages(text: str) -> list[tuple[str, str]]:
    """Split a Markdown text into passages, each with its context."""
    passages: list[tuple[str, str]] = []
    for block, context in _split_blocks(text):
        passages += [(passage, context) for passage in _pack_sentences(block)]
    return passages


def _split_blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the paragraphs and list items of a text, each on one line with its context.

    A nested item continues the item above it where both fit into a passage; otherwise that item is its context.
    """
    heading = lead = ""
    blocks: list[_Block] = []
    in_code = is_open = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            in_code, is_open = not in_code, False
        elif in_code or _BREAK.match(line):
            is_open = False
        elif match := _HEADING.match(line):
            heading, lead, is_open = _EMPHASIS.sub("", match[1])[:CONTEXT_CHARS_MAX], "", False
        else:
            item = _ITEM.match(line)
            if item or not is_open:
                if blocks and blocks[-1].indent is None and blocks[-1].text.endswith(":"):
                    lead = blocks.pop().text[-CONTEXT_CHARS_MAX:]
                elif not item:
                    lead = ""
                indent = len(line) - len(line.lstrip()) if item else None
                _nest_block(blocks, _Block("", lead if item and lead else heading, indent))
            piece = _EMPHASIS.sub("", line[item.end() :] if item else line).strip()
            blocks[-1].text = f"{blocks[-1].text} {piece}".strip()
            is_open = True
    return iter([(block.text, block.context) for block in _join_nested(blocks) if block.text])


@dataclass(slots=True)
class _Block:
    """A paragraph, or a list item with its indentation and the item that it belongs to."""

    text: str
    context: str
    indent: int | None = None
    parent: _Block | None = None


def _nest_block(blocks: list[_Block], block: _Block) -> None:
    """Append a block; a list item belongs to the nearest item above it that is indented less."""
    above = blocks[-1] if blocks else None
    while block.indent is not None and above is not None and above.indent is not None:
        if above.indent < block.indent:
            block.parent = above
            break
        above = above.parent
    blocks.append(block)


def _join_nested(blocks: list[_Block]) -> list[_Block]:
    joined: list[_Block] = []
    for block in blocks:
        parent = block.parent
        while parent is not None and not parent.text:  # it was joined to its own parent
            parent = parent.parent
        if parent is None:
            joined.append(block)
        elif len(parent.text) + len(block.text) < LESSON_CHARS_MAX:
            parent.text = f"{parent.text} {block.text}"
            block.text = ""
        else:
            block.context = parent.text[:CONTEXT_CHARS_MAX]
            joined.append(block)
    return joined


def _pack_sentences(block: str) -> Iterator[str]:
    """Yield runs of sentences that fit the limit; a longer sentence is left out."""
    run = ""
    for sentence in split_sentences(block):
        if len(run) + len(sentence.strip()) > LESSON_CHARS_MAX:
            yield from _long_enough(run)
            run = ""
        run += sentence
    yield from _long_enough(run)


def _long_enough(run: str) -> Iterator[str]:
    text = run.strip()
    words = len(text.split()) + len(_UNSPACED_WORD.findall(text))
    if len(text) <= LESSON_CHARS_MAX and words >= PASSAGE_WORDS_MIN:
        yield text
