"""What a memory says, written from its evidence by one template per signal.

A template that could only say something vague says nothing. How many sessions showed it is not part of the words: it
grows, stands in the citation, and words that a person rejected must be recognised when they come again.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, NamedTuple

from holloway.domain.memory import MemoryType
from holloway.domain.memory_details import (
    CausalDependency,
    DeadEnd,
    Decision,
    E2EKind,
    E2EObservation,
    ErrorFix,
    Recipe,
    RecipeStep,
)
from holloway.embeddings.vocabulary import ordinary
from holloway.observer.signals.signal import Signal, SignalName
from holloway.observer.signals.statements import names_in
from holloway.observer.words.decision import without_kind
from holloway.text import command_compare
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holloway.domain.memory_details import Details

_PLACE = re.compile(r"^(?:[\w.@-]+/)*[\w.@-]+\.\w+:\d+(?::\d+)?:\s*")
"""Where a compiler or linter saw an error: another place each time."""

_ASIDE = re.compile(
    r"^(?:(?:ah|oh|wait|hmm|ok|okay|right|so|now|actually|i see)(?: -{1,2} |\b[^,—:.!]{0,30}[,—:.!]\s*)"
    r"|the (?:issue|problem) is that )+",
    re.IGNORECASE,
)
_ORDER = re.compile(r"^i (?:should|need to|must|have to|can) ", re.IGNORECASE)
_TALK = re.compile(r"\b(?:the user|user's)\b", re.IGNORECASE)
"""What is said about the conversation, not about the code."""
_LINK = re.compile(r"^(?:and|but|so|also|ok|okay)\b,? (?:also |remember to )?", re.IGNORECASE)
_DESTROYS = re.compile(
    r"(?<![\w.-])rm [^`]|\b(?:rmdir|shred|dropdb|flushall|flushdb|mkfs|Remove-Item)\b|\bdd if=|--force\b"
    r"|\bgit (?:reset [^`]{0,80}--hard|clean|restore|stash (?:drop|clear)|branch -D|push [^`]{0,80}(?:-f\b| \+\w)"
    r"|checkout (?:[^`]{0,80} )?(?:--|\.|-f\b))"
    r"|\bdrop (?:table|database|schema)\b|\bdelete from\b|\btruncate (?:-s|table\b)|\b(?:db:|migrate )(?:drop|reset)\b"
    r"|\bp?kill(?:all)? -(?:9|KILL)\b|\bfind [^`]{0,80}-delete\b"
    r"|\bdocker[ -][^`]{0,80}(?:\bprune\b|\bdown [^`]{0,80}(?:-v\b|--volumes\b))"
    r"|\b(?:terraform|pulumi) destroy\b|\bkubectl [^`]{0,80}\bdelete\b",
    re.IGNORECASE,
)
"""A fix that destroys something worked once; that is no reason to hand it to the next agent."""
_WORD = re.compile(r"[A-Za-z][\w.'+-]*(?<![.'+-])")

WORDS_MAX = 400
"""Characters of a memory's sentence."""
CLAUSE_MAX = 240
ERROR_CHARS_MIN = 80
"""An error is known by its beginning: it is cut before the fix is."""
RULE_WORDS_MIN = 5
"""What a user lays down in fewer words means nothing outside of its conversation,"""
NAMING_RULE_WORDS_MIN = 3
"""unless it names something: "Always use pnpm"."""
FACT_WORDS_MIN = 6
"""A fact in fewer words needs the sentence that it stands in."""
REASON_WORDS_MIN = 4
"""A reason in fewer words explains nothing."""
FINDING_WORDS_MIN = 2
"""What is wrong, and with what."""
PATTERN_CHARS_MIN = 3
"""What is searched for by fewer could be anything."""


class Worded(NamedTuple):
    """A sentence, its type, and what its type wants to know beside it."""

    type: MemoryType
    content: str
    details: Details | None = None
    files: tuple[str, ...] = ()


class Evidence(NamedTuple):
    """What other sessions had to say about the same, and how many they are."""

    facts: Sequence[Mapping[str, object]] = ()
    sessions: int = 1


def word(signal: Signal, evidence: Evidence) -> Worded | None:
    """The memory that a signal would become, or nothing where it could only be vague."""
    template = _TEMPLATES.get(signal.name)
    found = template(signal, evidence) if template else None
    return found._replace(content=one_line(found.content, WORDS_MAX)) if found and found.content.strip() else None


def _text(signal: Signal, name: str, limit: int = CLAUSE_MAX) -> str:
    return one_line(str(signal.facts.get(name) or ""), limit)


def _error_retry(signal: Signal, evidence: Evidence) -> Worded | None:
    error, fix = _PLACE.sub("", _text(signal, "error")), _text(signal, "fix")
    command = command_compare.normalise_command(_text(signal, "command"))[:120]
    if not (error and fix and signal.facts.get("telling")) or _DESTROYS.search(fix):
        return None
    details = ErrorFix(error, fix, command, str(signal.facts.get("fingerprint", "")))
    told = "`{}` failed with “{}”; what solved it: {}"
    room = WORDS_MAX - len(told.format(command, "", fix))
    said = one_line(error, max(ERROR_CHARS_MIN, room))
    return Worded(MemoryType.ERROR_PATTERN, told.format(command, said, fix), details)


def _self_correction(signal: Signal, evidence: Evidence) -> Worded | None:
    belief, fact = _text(signal, "belief").rstrip("."), _plainly(_text(signal, "fact"))
    if not belief or not fact or _TALK.search(f"{belief} {fact}"):
        return None
    kind = MemoryType.MODULE_INSIGHT if signal.facts.get("kind") == "path" else MemoryType.GOTCHA
    if len(fact.split()) < FACT_WORDS_MIN:
        sentence = _text(signal, "sentence", WORDS_MAX)
        return None if _TALK.search(sentence) else Worded(kind, _plainly(sentence))
    wrong = "" if belief.casefold() in fact.casefold() else f" (wrongly believed at first: {belief})"
    return Worded(kind, f"{fact}{wrong}")


def _user_correction(signal: Signal, evidence: Evidence) -> Worded | None:
    said = _LINK.sub("", _text(signal, "said", WORDS_MAX))
    least = NAMING_RULE_WORDS_MIN if _names(said) else RULE_WORDS_MIN
    told = said[:1].upper() + said[1:]
    return Worded(signal.type or MemoryType.PREFERENCE, told) if len(told.split()) >= least else None


def _names(said: str) -> bool:
    """Whether it names something: as code does, or by what is no word of the language."""
    return bool(names_in(said)) or not all(ordinary(each.lower()) for each in _WORD.findall(said))


def _agent_record(signal: Signal, evidence: Evidence) -> Worded | None:
    return Worded(signal.type or MemoryType.GOTCHA, _text(signal, "text", WORDS_MAX))


def _qa_finding(signal: Signal, evidence: Evidence) -> Worded | None:
    finding = _text(signal, "finding")
    return Worded(MemoryType.GOTCHA, f"QA found: {finding}") if len(finding.split()) >= FINDING_WORDS_MIN else None


def _causal_statement(signal: Signal, evidence: Evidence) -> Worded | None:
    when, then = _text(signal, "when").rstrip("."), _text(signal, "then").rstrip(".")
    if not (when and then):
        return None
    return Worded(MemoryType.CAUSAL_DEPENDENCY, f"When {when}: {then}", CausalDependency(when, then))


def _dead_end(signal: Signal, evidence: Evidence) -> Worded | None:
    approach, reason, instead = (_text(signal, name).rstrip(".") for name in ("approach", "reason", "alternative"))
    if len(reason.split()) < REASON_WORDS_MIN:
        return None
    told = f"Dead end{f': {approach}' if approach else ''}; {reason}" + (f"; instead: {instead}" if instead else "")
    details = DeadEnd(approach or "an approach", reason, instead)
    return Worded(MemoryType.DEAD_END, told, details)


def _co_access(signal: Signal, evidence: Evidence) -> Worded | None:
    if not signal.facts.get("edited"):
        return None
    one, other = signal.files
    details = CausalDependency(one, other, "sessions changed both; no import ties them")
    return Worded(
        MemoryType.CAUSAL_DEPENDENCY,
        f"`{one}` and `{other}` change together, though neither imports the other",
        details,
    )


def _config_touch(signal: Signal, evidence: Evidence) -> Worded | None:
    config, folder = _text(signal, "config"), _text(signal, "folder")
    if folder == ".":
        return None
    details = CausalDependency(folder, config, "sessions that changed one changed the other")
    return Worded(MemoryType.CAUSAL_DEPENDENCY, f"Changes in `{folder}/` tend to need a change in `{config}`", details)


def _read_abandon(signal: Signal, evidence: Evidence) -> Worded | None:
    first, final = _text(signal, "first"), _text(signal, "final")
    return Worded(
        MemoryType.GOTCHA,
        f"`{final}` is where the work is; sessions open `{first}` first by mistake",
        files=(first, final),
    )


def _repeated_grep(signal: Signal, evidence: Evidence) -> Worded | None:
    pattern, found, worked = _text(signal, "pattern", 80), _text(signal, "found_in"), _text(signal, "worked", 80)
    if len(pattern) < PATTERN_CHARS_MIN:
        return None
    hint = f" (search for `{worked}`)" if worked else ""
    return Worded(MemoryType.MODULE_INSIGHT, f"What a search for `{pattern}` is after is in `{found}`{hint}")


def _glob_ignore(signal: Signal, evidence: Evidence) -> Worded | None:
    pattern, instead = _text(signal, "pattern", 80), _text(signal, "instead")
    if len(pattern) < PATTERN_CHARS_MIN:
        return None
    return Worded(
        MemoryType.GOTCHA, f"Listing `{pattern}` returns mostly noise; the work turned out to be in `{instead}`"
    )


def _backtrack(signal: Signal, evidence: Evidence) -> Worded | None:
    path = signal.files[0]
    lists = [set(_strings(facts.get("read"))) for facts in (signal.facts, *evidence.facts)]
    counted = {name: sum(name in each for each in lists) for each in lists for name in each}
    needed = [name for name, times in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])) if times >= 2]
    if not needed:
        return None
    return Worded(
        MemoryType.GOTCHA,
        f"Read `{needed[0]}` before editing `{path}`: edits had to be redone after reading it",
        files=(path, needed[0]),
    )


def _sequence(signal: Signal, evidence: Evidence) -> Worded | None:
    steps = _strings(signal.facts.get("steps"))
    first = next((step for step in steps if step.startswith("edit ")), "")
    if not first or not any(step.startswith("run ") for step in steps):
        return None
    told = [_step(step) for step in steps]
    task = f"change {posixpath.basename(first.removeprefix('edit ')) or 'the code'}"
    details = Recipe(task, tuple(RecipeStep(step) for step in told), evidence.sessions)
    return Worded(
        MemoryType.WORKFLOW_RECIPE,
        f"To {task}: " + "; ".join(f"{n}) {step}" for n, step in enumerate(told, 1)),
        details,
    )


def _step(step: str) -> str:
    verb, _, about = step.partition(" ")
    return f"edit in `{about}`" if verb == "edit" else f"run `{about}`"


def _parallel_conflict(signal: Signal, evidence: Evidence) -> Worded | None:
    return Worded(MemoryType.GOTCHA, f"Two agents edited `{signal.files[0]}` at the same time; give it to one of them")


def _external_reference(signal: Signal, evidence: Evidence) -> Worded | None:
    site, path = _text(signal, "site", 100), _text(signal, "edited")
    if not site:
        return None
    return Worded(MemoryType.MODULE_INSIGHT, f"Work on `{path}` needs what {site} documents; sessions look it up there")


def _commit_auto(signal: Signal, evidence: Evidence) -> Worded | None:
    subject = without_kind(_text(signal, "subject")).rstrip(".")
    reason = _text(signal, "reason").rstrip(".")
    if not reason:
        return None
    told = reason if subject.casefold() in reason.casefold() else f"{subject}: {reason}"
    return Worded(MemoryType.DECISION, told, Decision(reason))


def _strings(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def _e2e(signal: Signal, evidence: Evidence) -> Worded | None:
    tool, message = _text(signal, "tool", 60), _text(signal, "message")
    details = E2EObservation(E2EKind(str(signal.facts["kind"])), tool)
    return Worded(MemoryType.E2E_OBSERVATION, f"In the running application, {tool} reported: {message}", details)


def _plainly(text: str) -> str:
    """What an agent says to itself, as it would say it to others."""
    told = _ORDER.sub("", _ASIDE.sub("", text)).rstrip(".")
    return told[:1].upper() + told[1:]


_TEMPLATES: dict[SignalName, Callable[[Signal, Evidence], Worded | None]] = {
    SignalName.ERROR_RETRY: _error_retry,
    SignalName.SELF_CORRECTION: _self_correction,
    SignalName.USER_CORRECTION: _user_correction,
    SignalName.AGENT_RECORD: _agent_record,
    SignalName.QA_FINDING: _qa_finding,
    SignalName.CAUSAL_STATEMENT: _causal_statement,
    SignalName.DEAD_END: _dead_end,
    SignalName.CO_ACCESS: _co_access,
    SignalName.CONFIG_TOUCH: _config_touch,
    SignalName.READ_ABANDON: _read_abandon,
    SignalName.REPEATED_GREP: _repeated_grep,
    SignalName.GLOB_IGNORE: _glob_ignore,
    SignalName.BACKTRACK: _backtrack,
    SignalName.SEQUENCE: _sequence,
    SignalName.PARALLEL_CONFLICT: _parallel_conflict,
    SignalName.EXTERNAL_REFERENCE: _external_reference,
    SignalName.COMMIT_AUTO: _commit_auto,
    SignalName.E2E: _e2e,
}
"""File access, import chases, test order, overruns and costs are figures: synthesis words them across sessions."""
