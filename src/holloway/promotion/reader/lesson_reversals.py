"""Reversals: a lesson that is true when somebody says it may be overtaken later in the same session.

Evidence of that are edits that take its code out or change its values, words that give up what it says or report its
defect as fixed, and a lesson of a later part about the same subject.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from holloway.domain.event import ToolKind
from holloway.promotion.reader.lesson_evidence import (
    content_words,
    count_shared_words,
    cue,
    list_named_paths,
    list_searched_names,
)
from holloway.promotion.reader.repeated_lessons import says_the_same
from holloway.promotion.reader.view_rows import PERSON_VOICES, Voice
from holloway.text.file_roles import is_documentation
from holloway.text.identifiers import split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holloway.observer.scratchpad import Action
    from holloway.promotion.reader.lesson_evidence import Lesson, SessionEvidence
    from holloway.promotion.reader.view_rows import ViewRow

GIVEN_UP_SHARE = 0.6
"""Share of the words of what somebody gave up that a claim has if it is about that."""
SAME_NAMES_SHARE = 0.5
"""Share of the names of the shorter of two lessons that the other has if both are about the same subject."""
SAME_NAMES_MIN = 2
SAME_WORDS_SHARE = 0.3
"""The same for their words, without those of paths."""
REASON_WORDS_CHARS_MAX = 160
_DESCRIBING_KINDS = frozenset({"gotcha", "coupling", "error_fix", "location"})
"""Kinds of lessons that say how code is, and not how it is meant to be."""
_DECIDING_VOICES = PERSON_VOICES | {Voice.AGENT, Voice.COMMIT}
_REPORTING_VOICES = frozenset({Voice.AGENT, Voice.COMMIT})
_CLAUSE_END = re.compile(r"[.;:!?]\s|,\s|\s[-\u2013\u2014]\s|\bbut\b|\bbecause\b|\bsince\b|\bso that\b|\(")
_STATEMENT_END = re.compile(r"[.;:!?]\s")
_SUBSTITUTE = re.compile(r"\b(?:with|by|in favou?r of|to|and|for)\b")
_FIGURE = re.compile(r"(?<![\w./:#-])\d+(?:\.\d+)*(?![\w/:-])")
_BACKTICKED = re.compile(r"`([^`\n]{2,120})`")


def check_reversal(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Refuse what the session reversed after the last quote of the lesson."""
    last = max((quote.row for quote in lesson.quotes), key=lambda row: row.number)
    return (
        _find_removed_name(lesson, evidence, last.step)
        or _find_changed_value(lesson, evidence, last.step)
        or _find_later_words(lesson, evidence, last)
    )


def find_overtaking(lesson: Lesson, others: Iterable[Lesson], evidence: SessionEvidence) -> Lesson | None:
    """Return the lesson of a later part that says of the same subject how it is now; None if no other one does."""
    later = (other for other in others if other.proposal.stretch > lesson.proposal.stretch)
    return next((other for other in later if _overtakes(other, lesson, evidence)), None)


def _overtakes(newer: Lesson, older: Lesson, evidence: SessionEvidence) -> bool:
    is_weaker = _is_persons_choice(older) and not newer.person_quotes
    if is_weaker or not _have_same_subject(newer.text, older.text):
        return False
    if gives_up(newer.text, older.text):
        return True
    if says_the_same(newer.text, older.text):
        return False
    first, last = (max(quote.row.step for quote in lesson.quotes) for lesson in (older, newer))
    edited = {edit.path for edit in evidence.activity.successful_edits if first < edit.step <= last}
    return older.proposal.kind in _DESCRIBING_KINDS and not edited.isdisjoint((*older.files, *newer.files))


def _is_persons_choice(lesson: Lesson) -> bool:
    """Return whether the person said how something is to be: the agent alone does not take that back."""
    return bool(lesson.person_quotes) and lesson.proposal.kind not in _DESCRIBING_KINDS


def _have_same_subject(text: str, other: str) -> bool:
    names, other_names = _list_subjects(text), _list_subjects(other)
    shared_count = len(names & other_names)
    if shared_count < max(SAME_NAMES_MIN, SAME_NAMES_SHARE * min(len(names), len(other_names))):
        return False
    words, other_words = (content_words(_drop_paths(side)) for side in (text, other))
    return len(words & other_words) >= SAME_WORDS_SHARE * min(len(words), len(other_words))


def _list_subjects(text: str) -> set[str]:
    """Return what a lesson is about: its code names, and what it puts into backticks."""
    quoted = (part.strip().casefold() for part in _BACKTICKED.findall(text))
    return {*quoted, *(name.casefold() for name in list_searched_names(text))}


def _drop_paths(text: str) -> str:
    for path in list_named_paths(text):
        text = text.replace(path, " ")
    return text


def _find_removed_name(lesson: Lesson, evidence: SessionEvidence, step: int) -> str:
    """Return that the session took a name of a lesson out of the code later, if nothing has it any more."""
    for name in _list_asserted_names(lesson.text):
        lines_by_path: Counter[str] = Counter()
        removed_at = 0
        for action in _list_code_edits(evidence):
            added, removed = _count_lines(action.added, name), _count_lines(action.removed, name)
            is_whole = action.kind is ToolKind.WRITE
            lines_by_path[action.path] = added + (0 if is_whole else lines_by_path[action.path] - removed)
            removed_at = action.step if removed > added else removed_at
        is_gone = removed_at > step and all(count <= 0 for count in lines_by_path.values())
        if is_gone and evidence.checkout.find_files_with(name) == frozenset():
            return f"the session removed {name} later"
    return ""


def _list_code_edits(evidence: SessionEvidence) -> Iterator[Action]:
    for edit in evidence.activity.successful_edits:
        if edit.action.path and not is_documentation(edit.action.path):
            yield edit.action


def _count_lines(lines: Iterable[str], name: str) -> int:
    return sum(name in line for line in lines)


def _find_changed_value(lesson: Lesson, evidence: SessionEvidence, step: int) -> str:
    """Return that the session changed a number of a lesson later, beside a name of the lesson in the same line."""
    later_edits = [action for action in _list_code_edits(evidence) if action.step > step]
    for figure in _FIGURE.findall(lesson.text):
        pattern = re.compile(rf"(?<![\w.]){re.escape(figure)}(?![\w.])")
        for name in list_searched_names(lesson.text):
            has_figure = [state for action in later_edits for state in _list_values(action, name, pattern)]
            if has_figure and has_figure[0] and not has_figure[-1]:
                return f"the session changed {figure} of {name} later"
    return ""


def _list_values(action: Action, name: str, pattern: re.Pattern[str]) -> Iterator[bool]:
    """Yield whether the numbered lines with a name that an edit removes, and those that it adds, have a value."""
    for lines in (action.removed, action.added):
        named_lines = [line for line in lines if name in line and _FIGURE.search(line)]
        if named_lines:
            yield any(pattern.search(line) for line in named_lines)


def _find_later_words(lesson: Lesson, evidence: SessionEvidence, last: ViewRow) -> str:
    """Return the later sentence that gives up what a lesson says, or that reports its defect as fixed."""
    is_defect = _is_defect(lesson, evidence, last.step)
    voices = _DECIDING_VOICES - ({Voice.AGENT} if _is_persons_choice(lesson) else set())
    for row in (row for row in evidence.view.rows if row.number > last.number and row.voice in voices):
        for sentence in (part for line in row.text.splitlines() for part in split_sentences(line)):
            is_fix = is_defect and row.voice in _REPORTING_VOICES and _reports_fix(sentence, lesson.text)
            if is_fix or gives_up(sentence, lesson.text):
                return f"later in the session: {sentence.strip()[:REASON_WORDS_CHARS_MAX]}"
    return ""


def _is_defect(lesson: Lesson, evidence: SessionEvidence, step: int) -> bool:
    """Return whether a lesson describes a defect, without a rule, in files that the session changed later."""
    edited = {edit.path for edit in evidence.activity.successful_edits if edit.step > step}
    return (
        lesson.proposal.kind in _DESCRIBING_KINDS
        and not edited.isdisjoint(lesson.files)
        and bool(cue("defect").search(lesson.text))
        and not cue("rule").search(lesson.text)
    )


def _reports_fix(sentence: str, claim: str) -> bool:
    named = [name for name in _list_subjects(claim) if name in sentence.casefold()]
    return len(named) >= SAME_NAMES_MIN and bool(cue("fixed").search(sentence))


def gives_up(words: str, claim: str) -> bool:
    """Return whether some words give up what a claim says: the claim has a name and most words of what they give up.

    Not so where the words keep that name, or where the claim knows what takes its place.
    """
    asserted_names = set(_list_asserted_names(claim))
    asserted = " ".join(_list_asserted(claim))
    for given_up, remainder in list_given_up(words):
        names = {name for name in list_searched_names(given_up) if name not in remainder}
        is_about = bool(names & asserted_names) and asserted_names.isdisjoint(list_searched_names(remainder))
        if is_about and count_shared_words(given_up, asserted) >= GIVEN_UP_SHARE * len(content_words(given_up)):
            return True
    return False


def list_given_up(text: str) -> Iterator[tuple[str, str]]:
    """Yield each thing that a sentence gives up, and the remainder of the sentence."""
    for match in cue("gives_up").finditer(text):
        end = _CLAUSE_END.search(text, match.end())
        stop = end.start() if end else len(text)
        substitute = _SUBSTITUTE.search(text, match.end(), stop)
        stop = substitute.start() if substitute else stop
        yield text[match.end() : stop], text[: match.start()] + text[stop:]
    for match in cue("given_up").finditer(text):
        start = max((end.end() for end in _CLAUSE_END.finditer(text, 0, match.start())), default=0)
        yield text[start : match.start()], text[:start] + text[match.end() :]


def _list_asserted_names(claim: str) -> list[str]:
    return [name for statement in _list_asserted(claim) for name in list_searched_names(statement)]


def _list_asserted(claim: str) -> list[str]:
    """Return the statements of a claim that deny nothing and give nothing up."""
    ends = [match.end() for match in _STATEMENT_END.finditer(claim) if claim.count("`", 0, match.start()) % 2 == 0]
    statements = [claim[start:end] for start, end in zip([0, *ends], [*ends, len(claim)], strict=True)]
    return [part for part in statements if not any(cue(name).search(part) for name in _DENIALS)]


_DENIALS = ("gives_up", "given_up", "denial")
