"""Signals in what is said: by the user, by the agent, in commits and in the caller's findings."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from holloway.domain.memory import MemoryType
from holloway.observer import own_text
from holloway.observer.signals.signal import Signal, SignalName
from holloway.observer.words import causal, decision, prompt, self_correction, user_correction
from holloway.text.fingerprint import normalise_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.activity import Account, Deed
    from holloway.observer.scratchpad import Note

CORRECTIONS_MAX = 20
EVIDENCE_STEPS = 40
"""Within so many steps the session must show that a correction was right."""
NAME_CHARS_MIN = 3

_CODE = re.compile(r"`([^`\n]{2,80})`|\b(\w+(?:[._/]\w+)+|[a-z]+[A-Z]\w+|[A-Z]\w*[a-z][A-Z]\w*|\w+\(\))")
_SHA = re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\]", re.MULTILINE)


def self_corrections(activity: Account) -> Iterator[Signal]:
    """The agent was wrong about something and says what is true; whether what it did then agrees with that."""
    found = 0
    for note, words in activity.own_words:
        correction = self_correction.find(words)
        if correction is None or found >= CORRECTIONS_MAX:
            continue
        found += 1
        file = _about(activity, note, f"{correction.belief} {correction.fact}")
        facts = {
            "belief": correction.belief,
            "fact": correction.fact,
            "kind": str(correction.kind),
            "sentence": correction.sentence,
            "score": round(correction.score, 3),
            "agrees": agrees(activity, note.step, correction.fact),
        }
        files = (file,) if file else ()
        quotes = (correction.belief, correction.fact)
        yield Signal(SignalName.SELF_CORRECTION, _key(correction.fact), note.step, files, facts, quotes)


def causal_statements(activity: Account) -> Iterator[Signal]:
    """The agent says that one thing must change whenever another does."""
    for note, words in activity.own_words:
        stated = causal.find(words)
        if stated is not None:
            told = f"{stated.when} {stated.then}"
            facts = {"when": stated.when, "then": stated.then, "agrees": agrees(activity, note.step, told)}
            files = tuple(filter(None, (_about(activity, note, stated.when), _about(activity, note, stated.then))))
            key = _key(told)
            quotes = (stated.when, stated.then)
            yield Signal(SignalName.CAUSAL_STATEMENT, key, note.step, tuple(dict.fromkeys(files)), facts, quotes)


def user_corrections(activity: Account) -> Iterator[Signal]:
    """The user says no, or what always holds."""
    for place, note in enumerate(activity.said("user")):
        words = prompt.spoken(own_text.strip(note.text))
        edited = any(note.step - 3 <= entry.step <= note.step for entry in activity.edits)
        said = user_correction.find(words, after_edit=edited, interrupted=activity.pad.interrupted_at == note.step)
        if said is not None:
            file = _about(activity, note, said.text)
            facts = {"said": said.text, "score": round(said.score, 3), "prompt": place}
            files = (file,) if file else ()
            kind = MemoryType(str(said.kind))
            yield Signal(SignalName.USER_CORRECTION, _key(said.text), note.step, files, facts, (said.text,), type=kind)


def commit_auto(activity: Account) -> Iterator[Signal]:
    """A commit whose message gives a reason."""
    for entry in activity.commits:
        reason = decision.reason_in(entry.message)
        if reason:
            files = tuple(path for path, edits in activity.edited.items() if edits[0].step < entry.step)[:8]
            subject = entry.message.strip().splitlines()[0][:200]
            facts = {"subject": subject, "reason": reason, "sha": sha_of(entry)}
            yield Signal(SignalName.COMMIT_AUTO, _key(subject), entry.step, files, facts, (subject, reason))


def agent_records(activity: Account) -> Iterator[Signal]:
    """What the agent asked to be remembered."""
    for note in activity.said("record"):
        text = own_text.strip(note.text)
        if text.strip():
            kind = MemoryType(note.type) if note.type in set(MemoryType) else MemoryType.GOTCHA
            facts = {"text": text}
            yield Signal(SignalName.AGENT_RECORD, _key(text), note.step, note.files, facts, (text,), type=kind)


def qa_findings(activity: Account) -> Iterator[Signal]:
    """What a check of the work found wrong."""
    for finding in activity.pad.qa_findings:
        files = tuple(path for path in activity.edited if posixpath.basename(path) in finding)[:4]
        facts = {"finding": finding, "passed": bool(activity.pad.qa_passed)}
        yield Signal(SignalName.QA_FINDING, _key(finding), activity.pad.step, files, facts, (finding,))


def sha_of(entry: Deed) -> str:
    """The commit that git reported."""
    found = _SHA.search(entry.action.text)
    return found.group(1) if found else ""


def agrees(activity: Account, step: int, fact: str) -> bool:
    """Whether something the session did afterwards, with success, was about what the fact names."""
    named = names_in(fact)
    later = (entry for entry in activity.deeds if step < entry.step <= step + EVIDENCE_STEPS and entry.action.ok)
    for entry in later:
        action = entry.action
        told = " ".join((entry.path, entry.pattern, action.command[:1_000], *action.added[:40])).casefold()
        if (entry.changes or entry.kind in ("test", "check", "run", "commit")) and any(name in told for name in named):
            return True
    return False


def names_in(text: str) -> set[str]:
    """What a sentence names that code can hold: identifiers, paths, things between backticks."""
    found = {(quoted or bare).strip("()").casefold() for quoted, bare in _CODE.findall(text)}
    return {name for name in found if len(name) >= NAME_CHARS_MIN}


def _about(activity: Account, note: Note, text: str) -> str:
    """The file that a sentence speaks of: one it names, else the last one that was touched before it."""
    flat = text.casefold()
    named = [path for path in activity.touched if posixpath.basename(path).casefold() in flat]
    if named:
        return named[0]
    before = [entry.path for entry in activity.deeds if entry.step <= note.step and entry.path in activity.touched]
    return before[-1] if before and names_in(text) else ""


def _key(text: str) -> str:
    return normalise_text(text)[:160]
