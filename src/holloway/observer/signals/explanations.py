"""Explanations: passages that people, agents and commits of a session wrote and that the ranker takes for lessons.

An agent's words are often overtaken by its next edit. On labelled sessions of five projects 15 % of the best-ranked
passages of agents were wrong by the end, but 3 % of those said after the last edit, so only these count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.domain.memory import MemoryType
from holloway.observer.passage_ranker import LESSON_SCORES, is_english, score_passage
from holloway.observer.passages import Speaker, list_passages
from holloway.observer.signals.signal import Signal, SignalName
from holloway.observer.signals.statements import (
    ANSWERED_CHARS_MAX,
    build_key,
    detect_user_corrections,
    extract_sha,
    find_named_file,
)
from holloway.observer.words.normative import is_normative

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.activity import SessionActivity
    from holloway.observer.passages import ProsePassage

CONCLUSIONS_MAX = 24
"""Limit of conclusions that are checked against the repository; few of them pass."""
_SIGNALS = {
    Speaker.PERSON: SignalName.USER_STATEMENT,
    Speaker.AGENT: SignalName.CONCLUSION,
    Speaker.SUMMARY: SignalName.CONCLUSION,
    Speaker.COMMIT: SignalName.COMMIT_AUTO,
    Speaker.PULL_REQUEST: SignalName.AGENT_NOTE,
    Speaker.NOTE: SignalName.AGENT_NOTE,
}


def detect_explanations(activity: SessionActivity) -> Iterator[Signal]:
    """Detect corrections of the user, then the passages of a session that are worth telling, the best first."""
    corrections = list(detect_user_corrections(activity))
    yield from corrections
    rules = [str(signal.facts["said"]) for signal in corrections]
    last_edit = max((entry.step for entry in activity.successful_edits), default=-1)
    scored = [
        (score_passage(passage.text, passage.context, passage.speaker), passage)
        for passage in list_passages(activity)
        if _may_be_told(passage, last_edit) and not any(rule in passage.text for rule in rules)
    ]
    lessons = [pair for pair in scored if pair[0] >= LESSON_SCORES[pair[1].speaker] or not is_english(pair[1].text)]
    conclusions = 0
    for score, passage in sorted(lessons, key=lambda pair: -pair[0]):
        name = _SIGNALS[passage.speaker]
        conclusions += name is SignalName.CONCLUSION
        if name is not SignalName.CONCLUSION or conclusions <= CONCLUSIONS_MAX:
            yield _build_signal(activity, passage, name, score)


def _may_be_told(passage: ProsePassage, last_edit: int) -> bool:
    """Return whether a passage may be a lesson: the ranker reads English only, and another language needs a rule."""
    if passage.speaker is Speaker.PERSON:
        return is_normative(passage.text)
    return is_english(passage.text) and (passage.speaker is not Speaker.AGENT or passage.step >= last_edit)


def _build_signal(activity: SessionActivity, passage: ProsePassage, name: SignalName, score: float) -> Signal:
    file = find_named_file(activity, f"{passage.context} {passage.text}")
    facts = {"text": passage.text, "context": passage.context, "score": round(score, 3), "speaker": passage.speaker}
    if passage.speaker is Speaker.PERSON:
        facts |= {"said": passage.text, "answers": passage.answers[-ANSWERED_CHARS_MAX:]}
    if passage.speaker is Speaker.COMMIT:
        commit = next((entry for entry in activity.successful_commits if entry.step == passage.step), None)
        facts["sha"] = extract_sha(commit) if commit else ""
    kind = MemoryType.PREFERENCE if passage.speaker is Speaker.PERSON else None
    files = (file,) if file else ()
    return Signal(name, build_key(passage.text), passage.step, files, facts, (passage.text,), type=kind)
