"""Review findings: those that the session acted on, and those that the person declined.

A finding holds a cause and a fix ready-made, but many are wrong. The session's edit of the file that the finding names
shows that it was taken seriously; a declined one says that something is wanted as it is.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from holloway.data import load_table
from holloway.domain.event import ToolKind
from holloway.domain.memory import MemoryType
from holloway.observer import own_text
from holloway.observer.passage_ranker import LESSON_SCORES, score_passage
from holloway.observer.passages import Speaker, extract_typed_text, split_passages
from holloway.observer.signals.signal import Signal, SignalName
from holloway.observer.signals.statements import build_key, find_named_file
from holloway.observer.words.prompt import split_pasted_blocks, strip_host_additions
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.activity import SessionActivity

REVIEW_FINDINGS_MAX = 5
DECLINED_MAX = 10
FINDING_CHARS_MAX = 240
REVIEW_HEAD_CHARS = 800
"""Beginning of a report that says whether it is a review."""

_ITEM = re.compile(r"^\s*(?:#{1,4}\s*)?\**(\d{1,2})[.)]\**\s+(\S.*)$", re.MULTILINE)
_ANSWER = re.compile(r"(?:^|[,;\n])\s*#?(\d{1,2})\s*[.):=-]?\s*([^,;\n]{2,200})")


def detect_review_findings(activity: SessionActivity) -> Iterator[Signal]:
    """Detect the findings of reviews on which the session acted: it changed the file that a finding names."""
    scored = []
    for step, text, is_pasted in _list_reviews(activity):
        for passage, context in split_passages(text):
            file = find_named_file(activity, f"{context} {passage}")
            if file and any(entry.step > step for entry in activity.edited_files.get(file, ())):
                score = score_passage(passage, context, Speaker.REVIEW)
                facts = {"text": passage, "context": context, "score": round(score, 3), "speaker": Speaker.REVIEW}
                facts |= {"pasted": True} if is_pasted else {}
                scored.append(Signal(SignalName.AGENT_NOTE, build_key(passage), step, (file,), facts, (passage,)))
    lessons = [signal for signal in scored if float(str(signal.facts["score"])) >= LESSON_SCORES[Speaker.REVIEW]]
    lessons.sort(key=lambda signal: -float(str(signal.facts["score"])))
    yield from lessons[:REVIEW_FINDINGS_MAX]


def _list_reviews(activity: SessionActivity) -> Iterator[tuple[int, str, bool]]:
    """Yield the reviews of a session: reports of subagents, and text that the person pasted into a prompt."""
    for action in activity.pad.actions:
        text = own_text.strip_own_text(action.whole or action.text)
        if action.kind is ToolKind.SUBAGENT and action.ok and _cue("review").search(text[:REVIEW_HEAD_CHARS]):
            yield action.step, text, False
    for note in activity.filter_notes("user"):
        prompt = strip_host_additions(own_text.strip_own_text(note.text))
        if _cue("review").search(prompt[:REVIEW_HEAD_CHARS]):
            pasted = [block for block, is_pasted in split_pasted_blocks(prompt) if is_pasted]
            yield note.step, "\n\n".join(pasted), True


def detect_declined_findings(activity: SessionActivity) -> Iterator[Signal]:
    """Detect the findings of a review that the person declined by their number ("1 yes, 3 no, it is wanted")."""
    review = ""
    count = 0
    for note in activity.filter_notes("user", "agent"):
        text = own_text.strip_own_text(note.text)
        if note.voice == "agent":
            review = text if not note.actor else review
            continue
        findings = dict(_ITEM.findall(review))
        if len(findings) < 2 or not _cue("review").search(review):
            continue
        for number, answer in islice(_ANSWER.findall(extract_typed_text(text)), DECLINED_MAX):
            declined = _cue("declined").match(answer)
            if declined and number in findings and count < DECLINED_MAX:
                count += 1
                yield _build_declined(activity, note.step, findings[number], answer.strip())


def _build_declined(activity: SessionActivity, step: int, finding: str, answer: str) -> Signal:
    item = one_line(finding.replace("**", ""), FINDING_CHARS_MAX)
    text = f"The person declined this finding of a review ({one_line(answer, 100)}): {item}"
    file = find_named_file(activity, item)
    facts = {"text": text, "said": answer, "answers": item, "speaker": Speaker.PERSON, "declined": True}
    name, files = SignalName.USER_STATEMENT, (file,) if file else ()
    return Signal(name, build_key(text), step, files, facts, (answer, item), type=MemoryType.PREFERENCE)


@cache
def _cue(name: str) -> re.Pattern[str]:
    return re.compile(load_table("prose_cues")["review"][name])
