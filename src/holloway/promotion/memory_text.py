"""Memory text: writes the sentence of a memory from its evidence, with one template for each signal.

A template returns nothing rather than a vague sentence. The number of sessions is not part of the text: it grows, it
is shown in the citation, and a text that a person rejected must be recognised when it comes again.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from holloway.config import DETAIL_CHARS_MAX
from holloway.domain import memory_json
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
from holloway.embeddings.vocabulary import is_ordinary_word
from holloway.observer.signals.signal import Signal, SignalName
from holloway.observer.signals.statements import extract_code_names
from holloway.observer.words.decision import strip_commit_type
from holloway.promotion import memory_kinds
from holloway.safety.repository_text import admit
from holloway.text import command_compare
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holloway.domain.memory import RelationType
    from holloway.domain.memory_details import Details

_LOCATION = re.compile(r"^(?:[\w.@-]+/)*[\w.@-]+\.\w+:\d+(?::\d+)?:\s*")
"""Location prefix of a compiler or linter error, which differs each time."""

_ASIDE = re.compile(
    r"^(?:(?:ah|oh|wait|hmm|ok|okay|right|so|now|actually|i see)(?: -{1,2} |\b[^,—:.!]{0,30}[,—:.!]\s*)"
    r"|the (?:issue|problem) is that )+",
    re.IGNORECASE,
)
_ORDER = re.compile(r"^i (?:should|need to|must|have to|can) ", re.IGNORECASE)
_ABOUT_CONVERSATION = re.compile(r"\b(?:the user|user's)\b", re.IGNORECASE)
"""Statements about the conversation, not about the code."""
_LINK = re.compile(r"^(?:and|but|so|also|ok|okay)\b,? (?:also |remember to )?", re.IGNORECASE)
_DESTRUCTIVE_COMMAND = re.compile(
    r"(?<![\w.-])rm [^`]|\b(?:rmdir|shred|dropdb|flushall|flushdb|mkfs|Remove-Item)\b|\bdd if=|--force\b"
    r"|\bgit (?:reset [^`]{0,80}--hard|clean|restore|stash (?:drop|clear)|branch -D|push [^`]{0,80}(?:-f\b| \+\w)"
    r"|checkout (?:[^`]{0,80} )?(?:--|\.|-f\b))"
    r"|\bdrop (?:table|database|schema)\b|\bdelete from\b|\btruncate (?:-s|table\b)|\b(?:db:|migrate )(?:drop|reset)\b"
    r"|\bp?kill(?:all)? -(?:9|KILL)\b|\bfind [^`]{0,80}-delete\b"
    r"|\bdocker[ -][^`]{0,80}(?:\bprune\b|\bdown [^`]{0,80}(?:-v\b|--volumes\b))"
    r"|\b(?:terraform|pulumi) destroy\b|\bkubectl [^`]{0,80}\bdelete\b|`(?:sudo|doas) ",
    re.IGNORECASE,
)
"""Destructive or privileged commands: a fix with one is never suggested to another agent, even if it worked once."""
_GENERIC_HEADING = re.compile(
    r"(?:(?:here(?:'s| is| are)|all|done|now|the|my|both|key|main|other|more|final|quick|files?) )*"
    r"(?:summary|changes?|overview|results?|notes?|details?|verification|fix(?:es|ed)?|analysis|context|next steps?"
    r"|done|key technical concepts|problem solving|errors and fixes|intro|what changed|implementation|strengths)\b",
    re.IGNORECASE,
)
"""Headings that say nothing about what is below them."""
_WORD = re.compile(r"[A-Za-z][\w.'+-]*(?<![.'+-])")

_UNNAMED_APPROACH = re.compile(
    r"(?:this|that|the|my|our|these|those|all|it)?"
    r"(?: (?:whole|entire|last|latest|current|first|previous|recent|my|this))*"
    r" ?(?:approach|strategy|solution|idea|plan|route|attempt|method|workaround|design|changes?|edits?|work|path|way)?",
    re.IGNORECASE,
)
"""Words that stand for an approach without naming it: "this approach", "my last changes"."""

MEMORY_SENTENCE_CHARS_MAX = 480
"""Limit of a memory's sentence, in characters."""
MEMORY_CLAUSE_CHARS_MAX = 240
DEAD_END_TASK_CHARS_MAX = 100
ERROR_CHARS_MIN = 80
"""Minimum length of a quoted error; a long error is truncated before the fix is."""
COMMAND_CHARS_MAX = 120
UNQUOTED_ERROR = "an error whose text is withheld"
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


class MemoryText(NamedTuple):
    """The text of a memory, with its type, details, files, tags and relations to memories by their ids."""

    type: MemoryType
    content: str
    details: Details | None = None
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    relations: tuple[tuple[RelationType, str], ...] = ()


class SignalEvidence(NamedTuple):
    """Evidence for a signal: its facts in other sessions, and the number of sessions."""

    facts: Sequence[Mapping[str, object]] = ()
    sessions: int = 1


def write_memory_text(signal: Signal, evidence: SignalEvidence) -> MemoryText | None:
    """Write the memory text of a signal; returns None if it would be vague."""
    template = _TEMPLATES.get(signal.name)
    memory_text = template(signal, evidence) if template else None
    if memory_text is None or not memory_text.content.strip():
        return None
    return memory_text._replace(content=one_line(memory_text.content, MEMORY_SENTENCE_CHARS_MAX))


def strip_location(error: str) -> str:
    """Remove the file and line from the start of a compiler's or linter's error."""
    return _LOCATION.sub("", error)


def _get_fact(signal: Signal, name: str, limit: int = MEMORY_CLAUSE_CHARS_MAX) -> str:
    return one_line(str(signal.facts.get(name) or ""), limit)


def _write_error_retry(signal: Signal, evidence: SignalEvidence) -> MemoryText | None:
    error, fix = strip_location(_get_fact(signal, "error")), _get_fact(signal, "fix")
    # Parsed before its lines are joined, or a here-document would read as arguments.
    command = one_line(command_compare.normalise_command(str(signal.facts.get("command") or "")), COMMAND_CHARS_MAX)
    if not (error and fix and signal.facts.get("telling")) or _DESTRUCTIVE_COMMAND.search(fix):
        return None
    fingerprint = str(signal.facts.get("fingerprint", ""))
    if not admit("failure", error):  # The program's own words may give orders; the fingerprint still finds the fix.
        return MemoryText(
            MemoryType.ERROR_PATTERN,
            f"`{command}` failed; what solved it: {fix}",
            ErrorFix(UNQUOTED_ERROR, fix, command, fingerprint),
        )
    details = ErrorFix(error, fix, command, fingerprint)
    template = "`{}` failed with “{}”; what solved it: {}"
    room = MEMORY_SENTENCE_CHARS_MAX - len(template.format(command, "", fix))
    short_error = one_line(error, max(ERROR_CHARS_MIN, room))
    return MemoryText(MemoryType.ERROR_PATTERN, template.format(command, short_error, fix), details)


def _write_self_correction(signal: Signal, evidence: SignalEvidence) -> MemoryText | None:
    belief, fact = _get_fact(signal, "belief").rstrip("."), _strip_asides(_get_fact(signal, "fact"))
    if not belief or not fact or _ABOUT_CONVERSATION.search(f"{belief} {fact}"):
        return None
    kind = MemoryType.MODULE_INSIGHT if signal.facts.get("kind") == "path" else MemoryType.GOTCHA
    if len(fact.split()) < FACT_WORDS_MIN:
        sentence = _get_fact(signal, "sentence", MEMORY_SENTENCE_CHARS_MAX)
        return None if _ABOUT_CONVERSATION.search(sentence) else MemoryText(kind, _strip_asides(sentence))
    wrong = "" if belief.casefold() in fact.casefold() else f" (wrongly believed at first: {belief})"
    return MemoryText(kind, f"{fact}{wrong}")


def _write_user_correction(signal: Signal, evidence: SignalEvidence) -> MemoryText | None:
    rule = _LINK.sub("", _get_fact(signal, "said", MEMORY_SENTENCE_CHARS_MAX))
    min_words = NAMING_RULE_WORDS_MIN if _has_name(rule) else RULE_WORDS_MIN
    sentence = rule[:1].upper() + rule[1:]
    return MemoryText(signal.type or MemoryType.PREFERENCE, sentence) if len(sentence.split()) >= min_words else None


def _has_name(rule: str) -> bool:
    """Whether a rule names something: a code name, or a token that is no dictionary word."""
    return bool(extract_code_names(rule)) or not all(is_ordinary_word(token.lower()) for token in _WORD.findall(rule))


def _write_agent_record(signal: Signal, evidence: SignalEvidence) -> MemoryText | None:
    memory_type, text = signal.type or MemoryType.GOTCHA, _get_fact(signal, "text", DETAIL_CHARS_MAX)
    recorded = str(signal.facts.get("details") or "")
    details = memory_json.load_record_details(memory_type, recorded)
    details = details or memory_kinds.parse_statement_details(memory_type, text)
    relations = memory_json.load_record_relations(recorded)
    return MemoryText(memory_type, text, details, (), tuple(_list_strings(signal.facts.get("tags"))), relations)


def _write_qa_finding(signal: Signal, evidence: SignalEvidence) -> MemoryText | None:
    finding = _get_fact(signal, "finding")
    if len(finding.split()) < FINDING_WORDS_MIN:
        return None
    return MemoryText(MemoryType.ERROR_PATTERN, f"QA found: {finding}")


def _write_causal_statement(signal: Signal, evidence: SignalEvidence) -> MemoryText | None:
    when, then = _get_fact(signal, "when").rstrip("."), _get_fact(signal, "then").rstrip(".")
    if not (when and then):
        return None
    return MemoryText(MemoryType.CAUSAL_DEPENDENCY, f"When {when}: {then}", CausalDependency(when, then))


def _write_dead_end(signal: Signal, evidence: SignalEvidence) -> MemoryText | None:
    approach, reason, instead = (_get_fact(signal, name).rstrip(".") for name in ("approach", "reason", "alternative"))
    approach = "" if _UNNAMED_APPROACH.fullmatch(approach) else approach
    task = _get_fact(signal, "task", DEAD_END_TASK_CHARS_MAX).rstrip(".")
    if not approach or len(reason.split()) < REASON_WORDS_MIN:
        return None
    sentence = f"Dead end: {approach}; {reason}" + (f"; instead: {instead}" if instead else "")
    return MemoryText(MemoryType.DEAD_END, sentence, DeadEnd(approach, reason, instead, task))


def _write_sequence(signal: Signal, evidence: SignalEvidence) -> MemoryText | None:
    steps = _list_strings(signal.facts.get("steps"))
    first = next((step for step in steps if step.startswith("edit ")), "")
    if not first or not any(step.startswith("run ") for step in steps):
        return None
    sentences = list_recipe_steps(signal)
    task = f"change code in {first.removeprefix('edit ')}"
    files = _list_step_files(signal, evidence, len(steps))
    recipe_steps = tuple(RecipeStep(sentence, file) for sentence, file in zip(sentences, files, strict=True))
    return MemoryText(
        MemoryType.WORKFLOW_RECIPE,
        f"To {task}: " + "; ".join(f"{n}) {step}" for n, step in enumerate(sentences, 1)),
        Recipe(task, recipe_steps, evidence.sessions),
        tuple(dict.fromkeys(filter(None, files))),
    )


def _list_step_files(signal: Signal, evidence: SignalEvidence, steps: int) -> list[str]:
    """Return the file of each step that most of the sessions changed there; empty where they differ."""
    lists = [_list_strings(facts.get("files")) for facts in (signal.facts, *evidence.facts)]
    lists = [files for files in lists if len(files) == steps]
    columns = [Counter(files[step] for files in lists).most_common(1) for step in range(steps)]
    return [column[0][0] if column and column[0][1] > len(lists) / 2 else "" for column in columns]


def list_recipe_steps(signal: Signal) -> list[str]:
    """Return the steps of a sequence as a recipe tells them."""
    return [_render_step(step) for step in _list_strings(signal.facts.get("steps"))]


def _render_step(step: str) -> str:
    verb, _, about = step.partition(" ")
    return f"edit in `{about}`" if verb == "edit" else f"run `{about}`"


def _write_parallel_conflict(signal: Signal, evidence: SignalEvidence) -> MemoryText | None:
    return MemoryText(
        MemoryType.GOTCHA, f"Two agents edited `{signal.files[0]}` at the same time; give it to one of them"
    )


def _write_commit_auto(signal: Signal, evidence: SignalEvidence) -> MemoryText | None:
    subject = strip_commit_type(_get_fact(signal, "context")).rstrip(".")
    text = _get_fact(signal, "text", MEMORY_SENTENCE_CHARS_MAX)
    sentence = text if not subject or subject.casefold() in text.casefold() else f"{subject}: {text}"
    return MemoryText(MemoryType.DECISION, sentence, Decision(f"commit {signal.facts.get('sha') or ''}".strip()))


def _write_passage(signal: Signal, evidence: SignalEvidence) -> MemoryText | None:
    text, context = _get_fact(signal, "text", MEMORY_SENTENCE_CHARS_MAX), _get_fact(signal, "context").rstrip(": ")
    sentence = f"{context}: {text}" if context and not _GENERIC_HEADING.match(context) else text
    kind = memory_kinds.USER_RULE if signal.name is SignalName.USER_STATEMENT else signal.type or MemoryType.GOTCHA
    memory_type = memory_kinds.choose_memory_type(kind, text)
    return MemoryText(memory_type, sentence, memory_kinds.parse_statement_details(memory_type, text))


def _list_strings(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def _write_e2e(signal: Signal, evidence: SignalEvidence) -> MemoryText | None:
    tool, message = _get_fact(signal, "tool", 60), _get_fact(signal, "message")
    details = E2EObservation(E2EKind(str(signal.facts["kind"])), tool)
    return MemoryText(MemoryType.E2E_OBSERVATION, f"In the running application, {tool} reported: {message}", details)


def _strip_asides(text: str) -> str:
    """Return a statement of an agent to itself as plain advice, without asides and "I should"."""
    sentence = _ORDER.sub("", _ASIDE.sub("", text)).rstrip(".")
    return sentence[:1].upper() + sentence[1:]


_TEMPLATES: dict[SignalName, Callable[[Signal, SignalEvidence], MemoryText | None]] = {
    SignalName.ERROR_RETRY: _write_error_retry,
    SignalName.SELF_CORRECTION: _write_self_correction,
    SignalName.USER_CORRECTION: _write_user_correction,
    SignalName.AGENT_RECORD: _write_agent_record,
    SignalName.QA_FINDING: _write_qa_finding,
    SignalName.CAUSAL_STATEMENT: _write_causal_statement,
    SignalName.DEAD_END: _write_dead_end,
    SignalName.SEQUENCE: _write_sequence,
    SignalName.PARALLEL_CONFLICT: _write_parallel_conflict,
    SignalName.COMMIT_AUTO: _write_commit_auto,
    SignalName.AGENT_NOTE: _write_passage,
    SignalName.CONCLUSION: _write_passage,
    SignalName.USER_STATEMENT: _write_passage,
    SignalName.E2E: _write_e2e,
}
"""Templates of the signals that may become memories; the others are only counted."""
