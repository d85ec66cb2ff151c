"""Memory text: writes the sentence of a memory from its evidence, with one template for each signal.

A template returns nothing rather than a vague sentence. The number of sessions is not part of the text: it grows, it
is shown in the citation, and a text that a person rejected must be recognised when it comes again.
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
"""Location prefix of a compiler or linter error, which differs each time."""

_ASIDE = re.compile(
    r"^(?:(?:ah|oh|wait|hmm|ok|okay|right|so|now|actually|i see)(?: -{1,2} |\b[^,—:.!]{0,30}[,—:.!]\s*)"
    r"|the (?:issue|problem) is that )+",
    re.IGNORECASE,
)
_ORDER = re.compile(r"^i (?:should|need to|must|have to|can) ", re.IGNORECASE)
_TALK = re.compile(r"\b(?:the user|user's)\b", re.IGNORECASE)
"""Statements about the conversation, not about the code."""
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
"""Destructive commands: a fix that contains one is never suggested to another agent, even if it worked once."""
_WORD = re.compile(r"[A-Za-z][\w.'+-]*(?<![.'+-])")

WORDS_MAX = 400
"""Limit of a memory's sentence, in characters."""
CLAUSE_MAX = 240
ERROR_CHARS_MIN = 80
"""Minimum length of a quoted error; a long error is truncated before the fix is."""
RULE_WORDS_MIN = 5
"""Minimum number of words of a user's rule; a shorter one means nothing outside its conversation."""
NAMING_RULE_WORDS_MIN = 3
"""Minimum number of words of a user's rule that names something: "Always use pnpm"."""
FACT_WORDS_MIN = 6
"""Minimum number of words of a fact; a shorter one is replaced by its full sentence."""
REASON_WORDS_MIN = 4
"""Minimum number of words of a reason."""
FINDING_WORDS_MIN = 2
"""Minimum number of words of a QA finding: the subject and the problem."""
PATTERN_CHARS_MIN = 3
"""Minimum length of a search pattern; a shorter one matches anything."""


class Worded(NamedTuple):
    """The text of a memory, with its type, details and files."""

    type: MemoryType
    content: str
    details: Details | None = None
    files: tuple[str, ...] = ()


class Evidence(NamedTuple):
    """Evidence for a signal: its facts in other sessions, and the number of sessions."""

    facts: Sequence[Mapping[str, object]] = ()
    sessions: int = 1


def word(signal: Signal, evidence: Evidence) -> Worded | None:
    """Write the memory text of a signal; returns None if it would be vague."""
    template = _TEMPLATES.get(signal.name)
    memory_text = template(signal, evidence) if template else None
    if memory_text is None or not memory_text.content.strip():
        return None
    return memory_text._replace(content=one_line(memory_text.content, WORDS_MAX))


def _text(signal: Signal, name: str, limit: int = CLAUSE_MAX) -> str:
    return one_line(str(signal.facts.get(name) or ""), limit)


def _error_retry(signal: Signal, evidence: Evidence) -> Worded | None:
    error, fix = _PLACE.sub("", _text(signal, "error")), _text(signal, "fix")
    command = command_compare.normalise_command(_text(signal, "command"))[:120]
    if not (error and fix and signal.facts.get("telling")) or _DESTROYS.search(fix):
        return None
    details = ErrorFix(error, fix, command, str(signal.facts.get("fingerprint", "")))
    template = "`{}` failed with “{}”; what solved it: {}"
    room = WORDS_MAX - len(template.format(command, "", fix))
    short_error = one_line(error, max(ERROR_CHARS_MIN, room))
    return Worded(MemoryType.ERROR_PATTERN, template.format(command, short_error, fix), details)


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
    rule = _LINK.sub("", _text(signal, "said", WORDS_MAX))
    min_words = NAMING_RULE_WORDS_MIN if _names(rule) else RULE_WORDS_MIN
    sentence = rule[:1].upper() + rule[1:]
    return Worded(signal.type or MemoryType.PREFERENCE, sentence) if len(sentence.split()) >= min_words else None


def _names(said: str) -> bool:
    """Whether a rule names something: a code name, or a token that is no dictionary word."""
    return bool(names_in(said)) or not all(ordinary(token.lower()) for token in _WORD.findall(said))


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
    sentence = f"Dead end{f': {approach}' if approach else ''}; {reason}" + (f"; instead: {instead}" if instead else "")
    details = DeadEnd(approach or "an approach", reason, instead)
    return Worded(MemoryType.DEAD_END, sentence, details)


def _co_access(signal: Signal, evidence: Evidence) -> Worded | None:
    if not signal.facts.get("edited"):
        return None
    path, other_path = signal.files
    details = CausalDependency(path, other_path, "sessions changed both; no import ties them")
    return Worded(
        MemoryType.CAUSAL_DEPENDENCY,
        f"`{path}` and `{other_path}` change together, though neither imports the other",
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
    pattern, target, worked = _text(signal, "pattern", 80), _text(signal, "found_in"), _text(signal, "worked", 80)
    if len(pattern) < PATTERN_CHARS_MIN:
        return None
    hint = f" (search for `{worked}`)" if worked else ""
    return Worded(MemoryType.MODULE_INSIGHT, f"What a search for `{pattern}` is after is in `{target}`{hint}")


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
    counted = {name: sum(name in paths for paths in lists) for paths in lists for name in paths}
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
    sentences = [_step(step) for step in steps]
    task = f"change {posixpath.basename(first.removeprefix('edit ')) or 'the code'}"
    details = Recipe(task, tuple(RecipeStep(step) for step in sentences), evidence.sessions)
    return Worded(
        MemoryType.WORKFLOW_RECIPE,
        f"To {task}: " + "; ".join(f"{n}) {step}" for n, step in enumerate(sentences, 1)),
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
    sentence = reason if subject.casefold() in reason.casefold() else f"{subject}: {reason}"
    return Worded(MemoryType.DECISION, sentence, Decision(reason))


def _strings(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def _e2e(signal: Signal, evidence: Evidence) -> Worded | None:
    tool, message = _text(signal, "tool", 60), _text(signal, "message")
    details = E2EObservation(E2EKind(str(signal.facts["kind"])), tool)
    return Worded(MemoryType.E2E_OBSERVATION, f"In the running application, {tool} reported: {message}", details)


def _plainly(text: str) -> str:
    """Return a statement of an agent to itself as plain advice, without asides and "I should"."""
    sentence = _ORDER.sub("", _ASIDE.sub("", text)).rstrip(".")
    return sentence[:1].upper() + sentence[1:]


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
"""Templates by signal. File access, import chases, test order, overruns and costs have none: synthesis counts them."""
