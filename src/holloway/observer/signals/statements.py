"""Statement signals: corrections, causal statements, decisions, records and QA findings in messages and commits."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from holloway.domain.memory import MemoryType
from holloway.observer import own_text
from holloway.observer.passages import extract_typed_text, split_passages
from holloway.observer.signals.reading_evidence import is_confirmed_by_reading
from holloway.observer.signals.signal import Signal, SignalName
from holloway.observer.words import causal, prompt, self_correction, user_correction
from holloway.text.fingerprint import normalise_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.activity import ActivityEntry, SessionActivity
    from holloway.observer.scratchpad import Note

CORRECTIONS_MAX = 20
ANSWERED_CHARS_MAX = 400
"""Length of the end of the agent's message that is kept with the prompt that answers it."""
EVIDENCE_STEPS = 40
"""Number of steps within which the session must confirm a correction by a successful action."""
STATED_NAME_CHARS_MIN = 3
STATEMENT_WORDS_MIN = 8
"""Minimum number of words of a rule that refers back but is told without the sentences around it."""
CLEAR_STATEMENT_WORDS_MIN = 5
"""The same for a rule that does not refer back."""

_REFERS_BACK = re.compile(r"\b(?:it|its|this|that|these|those|them|they|here|there|so|such|both)\b", re.IGNORECASE)
_CODE = re.compile(r"`([^`\n]{2,80})`|\b(\w+(?:[._/]\w+)+|[a-z]+[A-Z]\w+|[A-Z]\w*[a-z][A-Z]\w*|\w+\(\))")
_SHA = re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\]", re.MULTILINE)


def detect_self_corrections(activity: SessionActivity) -> Iterator[Signal]:
    """Detect statements in which the agent corrects itself, and whether its later actions agree with them."""
    count = 0
    for note, text in activity.agent_texts:
        correction = self_correction.find_self_correction(text)
        if correction is None or count >= CORRECTIONS_MAX:
            continue
        count += 1
        statement = f"{correction.belief} {correction.fact}"
        file = find_subject_file(activity, note.step, statement)
        named_file, names = find_named_file(activity, statement), extract_code_names(correction.fact)
        is_confirmed = is_confirmed_later(activity, note.step, correction.fact)
        is_read = not is_confirmed and is_confirmed_by_reading(activity, note.step, named_file, names)
        facts = {
            "belief": correction.belief,
            "fact": correction.fact,
            "kind": str(correction.kind),
            "sentence": correction.sentence,
            "score": round(correction.score, 3),
            "agrees": is_confirmed or is_read,
            "only_read": is_read,
        }
        files = (file,) if file else ()
        quotes = (correction.belief, correction.fact)
        yield Signal(SignalName.SELF_CORRECTION, build_key(correction.fact), note.step, files, facts, quotes)


def detect_causal_statements(activity: SessionActivity) -> Iterator[Signal]:
    """Detect statements of the agent that one thing must change whenever another does."""
    for note, text in activity.agent_texts:
        statement = causal.find_causal_statement(text)
        if statement is not None:
            sentence = f"{statement.when} {statement.then}"
            facts = {
                "when": statement.when,
                "then": statement.then,
                "agrees": is_confirmed_later(activity, note.step, sentence),
            }
            files = tuple(
                filter(
                    None,
                    (
                        find_subject_file(activity, note.step, statement.when),
                        find_subject_file(activity, note.step, statement.then),
                    ),
                )
            )
            key = build_key(sentence)
            quotes = (statement.when, statement.then)
            yield Signal(SignalName.CAUSAL_STATEMENT, key, note.step, tuple(dict.fromkeys(files)), facts, quotes)


def detect_user_corrections(activity: SessionActivity) -> Iterator[Signal]:
    """Detect prompts in which the user corrects the agent or states a lasting rule."""
    for prompt_index, (note, answered) in enumerate(_pair_with_answered(activity)):
        text = prompt.extract_user_text(own_text.strip_own_text(note.text))
        follows_edit = any(note.step - 3 <= entry.step <= note.step for entry in activity.successful_edits)
        correction = user_correction.find_user_correction(
            text, after_edit=follows_edit, interrupted=activity.pad.interrupted_at == note.step
        )
        if correction is not None:
            statement = _find_whole_statement(note.text, correction.text)
            file = find_subject_file(activity, note.step, statement)
            facts = {"said": statement, "score": round(correction.score, 3), "prompt": prompt_index}
            facts |= {"answers": answered[-ANSWERED_CHARS_MAX:]} if answered else {}
            files = (file,) if file else ()
            kind = MemoryType(str(correction.kind))
            yield Signal(
                SignalName.USER_CORRECTION, build_key(statement), note.step, files, facts, (statement,), type=kind
            )


def _pair_with_answered(activity: SessionActivity) -> Iterator[tuple[Note, str]]:
    """Yield each prompt with the message of the agent that it answers."""
    answered = ""
    for note in activity.filter_notes("user", "agent"):
        if note.voice == "user":
            yield note, answered
        elif not note.actor:
            answered = own_text.strip_own_text(note.text)


def _find_whole_statement(prompt_text: str, sentence: str) -> str:
    """Return a rule with the sentences around it if it is too short to be understood alone."""
    min_words = STATEMENT_WORDS_MIN if _REFERS_BACK.search(sentence) else CLEAR_STATEMENT_WORDS_MIN
    if len(sentence.split()) >= min_words:
        return sentence
    passages = split_passages(extract_typed_text(own_text.strip_own_text(prompt_text)))
    return next((passage for passage, _ in passages if sentence in passage), sentence)


def detect_agent_records(activity: SessionActivity) -> Iterator[Signal]:
    """Report the records that the agent asked to be remembered."""
    for note in activity.filter_notes("record"):
        text = own_text.strip_own_text(note.text)
        if text.strip():
            kind = MemoryType(note.type) if note.type in set(MemoryType) else MemoryType.GOTCHA
            details = own_text.strip_own_text(note.details)
            facts = {"text": text, "details": details, "tags": note.tags}
            quotes = (text, details) if details else (text,)
            yield Signal(SignalName.AGENT_RECORD, build_key(text), note.step, note.files, facts, quotes, type=kind)


def detect_qa_findings(activity: SessionActivity) -> Iterator[Signal]:
    """Report the findings of QA checks."""
    for finding in activity.pad.qa_findings:
        files = tuple(path for path in activity.edited_files if posixpath.basename(path) in finding)[:4]
        facts = {"finding": finding, "passed": bool(activity.pad.qa_passed)}
        yield Signal(SignalName.QA_FINDING, build_key(finding), activity.pad.step, files, facts, (finding,))


def extract_sha(entry: ActivityEntry) -> str:
    """Return the commit hash in git's output, or an empty string."""
    match = _SHA.search(entry.action.text)
    return match.group(1) if match else ""


def is_confirmed_later(activity: SessionActivity, step: int, fact: str) -> bool:
    """Whether a later successful action of the session involves something that the fact names."""
    named = extract_code_names(fact)
    later = (entry for entry in activity.entries if step < entry.step <= step + EVIDENCE_STEPS and entry.action.ok)
    for entry in later:
        action = entry.action
        action_text = " ".join((entry.path, entry.pattern, action.command[:1_000], *action.added[:40])).casefold()
        if (entry.is_change or entry.kind in ("test", "check", "run", "commit")) and any(
            name in action_text for name in named
        ):
            return True
    return False


def extract_code_names(text: str) -> set[str]:
    """Return the code names in a sentence: identifiers, paths, and text between backticks."""
    names = {(quoted or bare).strip("()").casefold() for quoted, bare in _CODE.findall(text)}
    return {name for name in names if len(name) >= STATED_NAME_CHARS_MIN}


def find_subject_file(activity: SessionActivity, step: int, text: str) -> str:
    """Return the file that a sentence is about: one that it names, else the last one touched before; empty if none."""
    if named := find_named_file(activity, text):
        return named
    before = [entry.path for entry in activity.entries if entry.step <= step and entry.path in activity.touched_files]
    return before[-1] if before and extract_code_names(text) else ""


def find_named_file(activity: SessionActivity, text: str) -> str:
    """Return the touched file that a text names, one whose whole path it has first; empty if none."""
    flat = text.casefold()
    named = [
        path for path in activity.touched_files if _has_extension(path) and posixpath.basename(path).casefold() in flat
    ]
    return max(named, key=lambda path: path.casefold() in flat, default="")


def _has_extension(path: str) -> bool:
    return "." in posixpath.basename(path)[1:]


def build_key(text: str) -> str:
    """Return the key that identifies a statement in any session."""
    return normalise_text(text)[:160]
