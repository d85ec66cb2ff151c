"""Better words from a language model, in one call for all candidates of a session; without it the templates stand."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from holloway.config import LLM_ANSWER_CHARS_MAX, WORDING_ANSWER_TOKENS, WORDING_DEADLINE_S
from holloway.domain import memory_details as typed
from holloway.errors import HollowayError
from holloway.llm.prompts import prompt
from holloway.observer.signals.statements import names_in
from holloway.promotion.memory_text import WORDS_MAX
from holloway.safety.neutralize import neutral
from holloway.safety.prompt_injection import instructs
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holloway.domain.memory import Draft
    from holloway.domain.ports import Writer
    from holloway.promotion.candidate import Candidate

SYSTEM = "You write short, exact notes for developers from findings about their codebase."
FINDINGS_MAX = 20
SENTENCE_CHARS_MIN = 20

_PATH = re.compile(r"[\w@.-]+(?:/[\w@.-]+)+|\b[\w-]+\.[A-Za-z]{1,5}\b")


def reword(writer: Writer, project: str, candidates: Sequence[Candidate]) -> str:
    """Give candidates better words where the model kept to the evidence; returns what went wrong, if something did.

    What came from outside is not sent: it waits for a person in the words that it came with. Nor is what is known:
    the memory of it keeps its own words.
    """
    asked = {each.number: each for each in candidates if each.draft and not each.signal.taint and not each.known}
    asked = dict(list(asked.items())[:FINDINGS_MAX])
    if not asked:
        return ""
    findings = "\n".join(f"{number}. {_finding(each.draft)}" for number, each in asked.items() if each.draft)
    text = prompt("wording", project=neutral(project), findings=findings)
    try:
        done = writer.complete(text, system=SYSTEM, max_tokens=WORDING_ANSWER_TOKENS, deadline_s=WORDING_DEADLINE_S)
    except HollowayError as error:
        return error.message
    for number, sentence in read(done.text).items():
        each = asked.get(number)
        if each is not None and each.draft is not None and sound(sentence, each.draft):
            each.draft = replace(each.draft, content=sentence)
    return ""


def read(answer: str) -> dict[int, str]:
    """The sentences in an answer by their number; what is not of that form is left out."""
    sentences: dict[int, str] = {}
    for item in listed(answer):
        if isinstance(item, dict) and isinstance(item.get("number"), int) and isinstance(item.get("sentence"), str):
            sentences[item["number"]] = one_line(item["sentence"], LLM_ANSWER_CHARS_MAX)
    return sentences


def listed(answer: str) -> list[object]:
    """The items of the JSON list in an answer, whatever stands round it; none where it cannot be read."""
    start, end = answer.find("["), answer.rfind("]") + 1
    try:
        found: object = json.loads(answer[start:end]) if 0 <= start < end else []
    except (ValueError, RecursionError):
        return []
    return found if isinstance(found, list) else []


def sound(sentence: str, draft: Draft) -> bool:
    """Whether a sentence keeps to a draft's evidence."""
    return keeps_to(sentence, (draft.content, *draft.files, *typed.texts(draft.details)))


def keeps_to(sentence: str, evidence: Iterable[str]) -> bool:
    """Whether a sentence keeps to the evidence: no file, command or identifier in it that was not seen.

    One that is too long is not cut: what was left would say something else.
    """
    if not SENTENCE_CHARS_MIN <= len(sentence) <= WORDS_MAX:
        return False
    known = " ".join(evidence).casefold()
    named = {name.casefold() for name in (*names_in(sentence), *_PATH.findall(sentence))}
    return all(name in known for name in named) and not instructs(sentence)


def _finding(draft: Draft) -> str:
    facts = "; ".join(typed.texts(draft.details)) if draft.details else ""
    files = f" (files: {', '.join(draft.files)})" if draft.files else ""
    return neutral(f"{draft.type.label}: {draft.content}{files}" + (f" [{facts}]" if facts else ""))
