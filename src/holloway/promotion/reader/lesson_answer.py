"""The answer of a reader: a strict JSON object with lessons; what does not fit the form is refused with its reason."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from holloway.config import READER_ANSWER_CHARS_MAX, STRETCH_LESSONS_MAX
from holloway.promotion.memory_kinds import MEMORY_TYPES
from holloway.safety.neutralize import neutralize_text
from holloway.safety.secrets import redact_secrets

if TYPE_CHECKING:
    from collections.abc import Mapping

LESSON_TEXT_CHARS = (25, 480)
LESSON_WHY_CHARS_MAX = 240
LESSON_FILES_MAX = 4
LESSON_QUOTES_MAX = 4
QUOTE_CHARS = (1, 700)
TRIGGER_CHARS_MAX = 200
TRIGGERS = ("file", "command", "error", "topic", "always")


class Quote(NamedTuple):
    """A quote as the model gave it; `row` is 0 if it named none."""

    row: int
    text: str


@dataclass(frozen=True, slots=True)
class ProposedLesson:
    """A lesson as the model proposed it; `place` is its rank in the answer to its stretch, from 1."""

    text: str
    why: str
    kind: str
    files: tuple[str, ...]
    trigger: tuple[str, str]
    quotes: tuple[Quote, ...]
    stretch: int = 0
    place: int = 0


class RefusedItem(NamedTuple):
    """An item of an answer that has not the form of a lesson, with the reason."""

    text: str
    reason: str


class ReadAnswer(NamedTuple):
    """The lessons of an answer, and what was refused; `error` says why a whole answer is unusable."""

    lessons: tuple[ProposedLesson, ...]
    refused: tuple[RefusedItem, ...] = ()
    error: str = ""


def parse_answer(answer: str, stretch: int = 0) -> ReadAnswer:
    """Parse the answer to one stretch. Never raises: an answer may be anything."""
    if len(answer) > READER_ANSWER_CHARS_MAX:
        return ReadAnswer((), error="the answer is too long")
    items = _load_items(answer)
    if items is None:
        return ReadAnswer((), error="the answer is not the JSON object that was asked for")
    lessons: list[ProposedLesson] = []
    refused: list[RefusedItem] = []
    for place, item in enumerate(items, 1):
        if place > STRETCH_LESSONS_MAX:
            refused.append(RefusedItem(_read_text(item, "text"), f"more than {STRETCH_LESSONS_MAX} from one part"))
            continue
        lesson = _parse_lesson(item, stretch, place)
        (lessons if isinstance(lesson, ProposedLesson) else refused).append(lesson)  # type: ignore[arg-type]
    return ReadAnswer(tuple(lessons), tuple(refused[:STRETCH_LESSONS_MAX]))


def _load_items(answer: str) -> list[object] | None:
    """Return the lessons of the outermost JSON object, without a fence or words around it; None if there is none."""
    start, end = answer.find("{"), answer.rfind("}") + 1
    try:
        value: object = json.loads(answer[start:end]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return None
    items = value.get("lessons") if isinstance(value, dict) else None
    return items if isinstance(items, list) else None


def _parse_lesson(item: object, stretch: int, place: int) -> ProposedLesson | RefusedItem:
    text = _read_text(item, "text")
    if not isinstance(item, dict):
        return RefusedItem("", "it is not an object")
    chars_min, chars_max = LESSON_TEXT_CHARS
    if not chars_min <= len(text) <= chars_max:
        return RefusedItem(text[:chars_max], f"its text is not between {chars_min} and {chars_max} characters long")
    kind = _read_text(item, "kind")
    if kind not in MEMORY_TYPES:
        return RefusedItem(text, "it has none of the known kinds")
    trigger = _read_trigger(item.get("trigger"))
    if trigger is None:
        return RefusedItem(text, "it has none of the known triggers")
    quotes = _read_quotes(item.get("quotes"))
    if not quotes:
        return RefusedItem(text, "it has no quote")
    why = _read_text(item, "why")[:LESSON_WHY_CHARS_MAX]
    return ProposedLesson(text, why, kind, _read_files(item.get("files")), trigger, quotes, stretch, place)


def _read_text(item: object, name: str) -> str:
    """Return a text field on one line, without secrets, role tags and hidden characters; empty if it is no text."""
    value = item.get(name) if isinstance(item, dict) else None
    return neutralize_text(redact_secrets(value)[0]) if isinstance(value, str) else ""


def _read_files(value: object) -> tuple[str, ...]:
    files = [neutralize_text(path).removeprefix("./") for path in _list_texts(value)]
    return tuple(dict.fromkeys(path for path in files if path))[:LESSON_FILES_MAX]


def _list_texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _read_trigger(value: object) -> tuple[str, str] | None:
    named: Mapping[str, object] = value if isinstance(value, dict) else {}
    kind = _read_text(named, "on")
    return (kind, _read_text(named, "value")[:TRIGGER_CHARS_MAX]) if kind in TRIGGERS else None


def _read_quotes(value: object) -> tuple[Quote, ...]:
    """Return the quotes; one that is too short, too long or not a string gets an empty text, which a check refuses."""
    quotes: list[Quote] = []
    for item in value[:LESSON_QUOTES_MAX] if isinstance(value, list) else ():
        text = item.get("text") if isinstance(item, dict) else item
        row = item.get("row") if isinstance(item, dict) else 0
        number = row if isinstance(row, int) and not isinstance(row, bool) and 0 < row < 1_000_000 else 0
        quotes.append(Quote(number, text if isinstance(text, str) else ""))
    chars_min, chars_max = QUOTE_CHARS
    return tuple(
        quote if chars_min <= len(quote.text.strip()) <= chars_max else quote._replace(text="") for quote in quotes
    )
