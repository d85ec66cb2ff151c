"""Checks of a reader's answer: each lesson is compared with its session and the checkout.

A check is a function that returns the reason to act. A refusal ends the lesson. A lesson that must wait is held until
its change is committed. A lesson for review is quarantined until a person has decided. An empty reason passes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from holloway.observer.own_text import strip_own_text
from holloway.observer.provenance import WEAK_SOURCES
from holloway.observer.words.self_correction import find_self_correction
from holloway.promotion.reader.lesson_evidence import (
    STATING_VOICES,
    content_words,
    count_shared_words,
    cue,
    list_hosts,
    list_named_paths,
    list_searched_names,
)
from holloway.promotion.reader.lesson_reversals import check_reversal, list_given_up
from holloway.promotion.reader.view_rows import AGENT_VOICES, PERSON_VOICES, Voice
from holloway.safety.guarded_commands import lowers_protection
from holloway.safety.prompt_injection import find_injection
from holloway.safety.repository_text import is_readable
from holloway.text.command_compare import main_step, normalise_command
from holloway.text.commands import parse_command
from holloway.text.file_roles import is_documentation
from holloway.text.programs import CHECK, TEST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.scratchpad import Action
    from holloway.promotion.reader.lesson_evidence import Lesson, SessionEvidence

DECIDED_KINDS = frozenset({"user_rule", "convention", "decision", "constraint"})
"""Kinds of lessons that say how something is to be."""
WISH_KINDS = frozenset({"user_rule", "convention"})
"""Kinds of lessons that may be a wish for one task only."""
KNOWN_SHARE = 0.75
"""Share of the words of a lesson that a paragraph of an instruction file has when it says the same."""
KNOWN_WORDS_MIN = 4
CORRECTED_SHARE = 0.6
STATED_SHARE = 0.5
"""Share of the words of a lesson that own quotes must have where the lesson repeats untrusted text, too."""
STATED_FACT_SHARE = 0.3
"""The same for a fact, after which nobody runs, installs, disables, sends or fetches anything."""
OWN_ACT_SHARE = 0.6
"""Share of the words of what an agent would do that own quotes must have for it to be the project's own word."""
_FIGURE = re.compile(r"(?<![\w./:#-])\d+(?:\.\d+)*(?![\w/:-])")
"""A number that is no part of a name, a version or a range."""
_BACKTICKED_COMMAND = re.compile(r"`([^`\n]{2,160})`")
_WORKS = re.compile(r"\b(?:works|passes|succeeds|use|run|fix(?:es)? (?:it|this)|needs? to be run)\b", re.IGNORECASE)
_FAILS = re.compile(r"\b(?:fails?|breaks?|errors?|crash(?:es)?|hangs?|does not work|doesn't work)\b", re.IGNORECASE)
_READING_GIT = frozenset({"git log", "git diff", "git show", "git status", "git blame", "git grep"})
_ACTING_VOICES = STATING_VOICES | {Voice.COMMAND}
"""Voices whose own words make an act the project's own: also what the agent ran, unless untrusted text said so."""
_PROPER_NOUN = re.compile(r"(?:[A-Z][a-z]+){2,3}")
_PASSES = re.compile(r"\b(?:works|passes|succeeds)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[.;,:]\s|\bbut\b|\bso\b|\bbecause\b|\(")


class Treatment(StrEnum):
    """Treatment of a lesson that a check has a reason against."""

    REFUSE = "refuse"
    WAIT = "wait"
    REVIEW = "review"


class CheckResult(NamedTuple):
    """The result of the checks of one lesson: the treatment, the name of the check, and its reason."""

    treatment: Treatment | None
    check: str = ""
    reason: str = ""


LessonCheck = Callable[["Lesson", "SessionEvidence"], str]


def check_quote_states_claim(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Refuse a lesson of which no quote states the claim."""
    return "" if lesson.stating_quotes or lesson.is_stated_by_others else "no quote states its claim"


def check_work_state(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Refuse the state of work, and counts."""
    return "it is the state of the work, or a count" if cue("work_state").search(lesson.text) else ""


def check_task_wish(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Refuse a rule about the task at hand, but no decision or fact that the person qualified by "for now"."""
    if lesson.proposal.kind not in WISH_KINDS:
        return ""
    if cue("task_only").search(lesson.text):
        return "it is for one task only"
    quotes = lesson.person_quotes
    if quotes and all(cue("task_only").search(quote.text) for quote in quotes):
        return "the person said it for one task only"
    return ""


def check_files(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Refuse a lesson about files that neither the checkout has nor the session touched."""
    if lesson.proposal.files and not lesson.files:
        return "none of its files exists"
    for path in list_named_paths(lesson.text):
        is_known = evidence.checkout.has_file_ending(path) or evidence.has_touched_ending(path)
        if not is_known and evidence.checkout.commit and not _is_quoted(path, lesson):
            return f"it names {path[:100]}, which does not exist"
    return ""


def _is_quoted(name: str, lesson: Lesson) -> bool:
    return any(name in quote.text for quote in lesson.quotes)


def check_names(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Refuse a lesson that names code which nothing but prose has: a proposal that nobody made real, or a past name.

    Names in outputs and commands may be of other programs, names in edits may wait for their commit, and a name that is
    said to be absent is searched for by another check.
    """
    clauses = (*_list_clauses("absence", lesson.text), *(clause for clause, _ in list_given_up(lesson.text)))
    absent_names = {name for clause in clauses for name in list_searched_names(clause)}
    for name in (name for name in list_searched_names(lesson.text) if name not in absent_names):
        if _is_proper_noun(name, lesson.text):
            continue
        if not evidence.has_code_name(name) and not evidence.is_seen_name(name):
            return f"it names {name}, which neither the code nor a command of the session has"
    return ""


def _is_proper_noun(name: str, text: str) -> bool:
    """Return whether a name is that of a product, such as GitLab, in a text that puts its code into backticks."""
    return bool(_PROPER_NOUN.fullmatch(name)) and "`" in text and f"`{name}" not in text


def check_hosts(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Refuse a lesson that names a host which neither the session nor the checkout names."""
    for host in list_hosts(f"{lesson.text} {lesson.proposal.why}"):
        if not evidence.is_named(host) and evidence.checkout.find_files_with(host) == frozenset():
            return f"it names {host[:100]}, which nobody in the session did"
    return ""


def check_forgery(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Refuse a text that poses as an entry which holloway showed."""
    texts = f"{lesson.text}\n{lesson.proposal.why}"
    return "it has the marks of an entry of holloway" if strip_own_text(texts).strip() != texts.strip() else ""


def check_surroundings(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Refuse a text with a name or a number that neither its files nor the rows around its quotes have."""
    texts = [row.text for row in evidence.list_rows_near([quote.row for quote in lesson.quotes])]
    near = "\n".join(texts).lower()
    figures = [figure for figure in _FIGURE.findall(lesson.text) if not _make_figure_pattern(figure).search(near)]
    names = [name for name in list_searched_names(lesson.text) if name.lower() not in near]
    for item in (*names, *figures):
        if (evidence.checkout.find_files_with(item) or frozenset()).isdisjoint(lesson.files):
            return f"it says {item[:100]}, and nothing near its quotes does"
    return ""


def _make_figure_pattern(figure: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\d.]){re.escape(figure)}(?!\d)")


def check_location(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Refuse a location of code whose names are all elsewhere."""
    paths = {path for path in lesson.files if path in evidence.checkout.files}
    names = list_searched_names(lesson.text)
    if lesson.proposal.kind != "location" or not names or not paths or len(paths) < len(lesson.files):
        return ""
    places = [evidence.checkout.find_files_with(name) for name in names]
    if all(files is not None and not files & paths for files in places):
        return f"none of its names is in {min(paths)[:100]}"
    return ""


def check_absence(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Refuse a claim of absence that a search of the checkout refutes, and one of an agent that names nothing."""
    for clause in _list_clauses("nowhere", lesson.text):
        names = list_searched_names(clause)
        if present := next((name for name in names if evidence.checkout.find_files_with(name)), ""):
            return f"it says that {present} is absent, but the checkout has it"
    for clause in _list_clauses("exclusive", lesson.text):
        if reason := _check_exclusive_clause(clause, lesson, evidence):
            return reason
    return ""


def _check_exclusive_clause(clause: str, lesson: Lesson, evidence: SessionEvidence) -> str:
    """Return why a claim that nothing else uses a name is false: more files have it than the lesson names."""
    for name in list_searched_names(clause):
        files = evidence.checkout.find_files_with(name)
        other_paths = {path for path in files or () if path not in lesson.files and not is_documentation(path)}
        if len(other_paths) > 1:
            return f"it says that only one place has {name}, but {len(other_paths)} other files do"
    return ""


def _list_clauses(name: str, text: str) -> Iterator[str]:
    """Yield the clause after each cue of this name; the words before an exclusive cue belong to it."""
    for match in cue(name).finditer(text):
        end = _CLAUSE_END.search(text, match.end())
        yield text[match.start() : end.start() if end else len(text)]


def check_commands(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Refuse a claim about a command that its runs do not bear, read with their folder and exit code."""
    for command in _BACKTICKED_COMMAND.findall(lesson.text):
        runs = _find_runs(command, evidence)
        if not runs:
            continue
        before, _, after = lesson.text.partition(f"`{command}`")
        end = _CLAUSE_END.search(after)
        claim = f"{before[-60:]} {after[: end.start() if end else 80][:80]}"
        has_failed, has_passed = (any(run.ok is value for run in runs) for value in (False, True))
        is_shown = has_failed or any(_FAILS.search(quote.text) for quote in lesson.own_quotes)
        if _FAILS.search(claim) and not _WORKS.search(claim) and not is_shown:
            return f"it says that {command[:60]} fails, which no run of the session shows"
        if _claims_pass(claim, runs) and not _FAILS.search(claim) and has_failed and not has_passed:
            return f"it says that {command[:60]} works, and every run of it failed"
        if not (_FAILS.search(claim) or _PASSES.search(claim)):
            continue
        folders = {_folder_of(run) for run in runs if run.ok is not bool(_FAILS.search(claim))}
        other_folders = {_folder_of(run) for run in runs} - folders
        if (
            has_failed
            and has_passed
            and len(folders) == 1
            and other_folders
            and not any(folder and _mentions(lesson, folder) for folder in folders | other_folders)
        ):
            return f"{command[:60]} failed in one folder and passed in another, and it names neither"
    return ""


def _claims_pass(claim: str, runs: list[Action]) -> bool:
    """Return whether a claim says that a command passes.

    To run tests is good advice while they fail, and so is not to run what fails.
    """
    if _PASSES.search(claim):
        return True
    steps = (main_step(run.command) for run in runs)
    is_test = any(step is not None and step.kind == TEST for step in steps)
    return bool(_WORKS.search(claim)) and not is_test and not cue("denial").search(claim)


def _mentions(lesson: Lesson, folder: str) -> bool:
    """Return whether a lesson, its reason or one of its quotes names a folder."""
    texts = (lesson.text, lesson.proposal.why, *(quote.text for quote in lesson.quotes))
    return any(folder in text for text in texts)


def _find_runs(command: str, evidence: SessionEvidence) -> list[Action]:
    """Return the actions that ran a command; none for a file, an option or a name that a command only mentions."""
    step, wanted = main_step(command), normalise_command(command)
    if step is None or not wanted:
        return []
    actions = [action for action in evidence.pad.actions if action.command and action.ok is not None]
    return [
        action
        for action in actions
        if wanted in normalise_command(action.command)
        and any(run.program == step.program for run in parse_command(action.command))
    ]


def _folder_of(action: Action) -> str:
    match = re.match(r"cd ([^\s&;]+) *&&", action.command)
    return match[1] if match else ""


def check_plan(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Refuse what only the agent said and the person declined right after it."""
    if lesson.person_quotes:
        return ""
    quotes = [quote for quote in lesson.own_quotes if quote.row.voice in AGENT_VOICES]
    if not quotes or len(quotes) < len(lesson.own_quotes):
        return ""
    for quote in quotes:
        replies = [row for row in evidence.view.rows if row.number > quote.row.number]
        reply = next((row for row in replies if row.voice in (*PERSON_VOICES, Voice.EDIT, Voice.COMMIT)), None)
        is_declined = reply is not None and (
            reply.voice is Voice.REJECTED
            or (reply.voice is Voice.PERSON and cue("refusal").search(reply.text[:200]) is not None)
        )
        if not is_declined:
            return ""
    return "the person declined what the agent proposed"


def check_not_corrected(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Refuse what the agent itself took back later in the session."""
    if lesson.person_quotes or not lesson.own_quotes:
        return ""
    last = max((quote.row for quote in lesson.own_quotes), key=lambda row: row.number)
    claim = content_words(lesson.text)
    for row in evidence.list_later_agent_rows(last):
        correction = find_self_correction(row.text)
        belief = content_words(correction.belief) if correction else set()
        if len(belief) > KNOWN_WORDS_MIN and len(belief & claim) >= CORRECTED_SHARE * len(belief):
            return "the agent corrected it later"
    return ""


def check_instructions(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Refuse what an instruction file of the project says already."""
    words = content_words(lesson.text)
    if len(words) < KNOWN_WORDS_MIN:
        return ""
    for paragraph in evidence.checkout.instructions:
        if len(words & content_words(paragraph)) >= KNOWN_SHARE * len(words):
            return "an instruction file of the project says it already"
    return ""


def check_injection(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Refuse a text that tries to instruct an agent, unless the person did so in the words that it quotes."""
    texts = f"{lesson.text}\n{lesson.proposal.why}"
    reason = find_injection(texts)
    is_persons = reason and _is_persons_alone(lesson) and any(find_injection(text) for text in _list_own_rows(lesson))
    return f"it tries to instruct an agent ({reason})" if reason and not is_persons else ""


def _is_persons_alone(lesson: Lesson) -> bool:
    return all(quote.row.voice in PERSON_VOICES and not quote.source for quote in lesson.quotes)


def _list_own_rows(lesson: Lesson) -> list[str]:
    """List the whole texts of the rows that the own quotes of a lesson are from."""
    return [quote.row.text for quote in lesson.own_quotes]


def check_age(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Refuse a lesson whose file has changed for the most part since the session, unless all its names still stand."""
    moment = datetime.fromtimestamp(min(max(evidence.pad.last_at, 0.0), 4e9), UTC)
    names = list_searched_names(lesson.text)
    for path in lesson.files:
        if path in evidence.checkout.files and evidence.checkout.has_changed_since(path, moment):
            if names and all(evidence.checkout.find_files_with(name) for name in names):
                return ""
            return f"{path[:100]} has changed for the most part since"
    return ""


def check_committed(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Let a lesson wait that is about names or files which no commit has yet, the session's own included.

    The person's word on how something is to be holds before any code does it.
    """
    is_persons = lesson.proposal.kind in DECIDED_KINDS and set(lesson.person_quotes) & set(lesson.stating_quotes)
    if is_persons or not evidence.checkout.commit:
        return ""
    for name in list_searched_names(lesson.text):
        if evidence.checkout.find_files_with(name) == frozenset() and evidence.is_uncommitted_name(name):
            return f"no commit has {name} yet"
    missing = [path for path in lesson.files if path not in evidence.checkout.files]
    uncommitted = [path for path in missing if evidence.is_uncommitted_file(path)]
    return f"no commit has {uncommitted[0][:100]} yet" if len(uncommitted) == len(lesson.files) > 0 else ""


def check_origin(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Let a person review a lesson that no own quote states.

    Output of the project confirms what somebody says about it, unless an agent would act on it.
    """
    if lesson.stating_quotes or (lesson.is_stated_by_project and not _find_foreign_act(lesson, evidence)):
        return ""
    source = next((quote.source for quote in lesson.quotes if quote.source), "output of the project")
    return f"no quote of its own states it, only {source}"


def check_foreign_text(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Let a person review a text that repeats untrusted text of which its own quotes state only a part."""
    source, words = _find_foreign_source(lesson), len(content_words(lesson.text))
    own_text = "\n".join(quote.text for quote in lesson.own_quotes)
    share = STATED_SHARE if any(_is_act(clause, evidence) for clause in _split_lesson(lesson)) else STATED_FACT_SHARE
    if not source or count_shared_words(lesson.text, own_text) >= share * words:
        return ""
    return f"its own quotes state only a part of it, the rest is from {source}"


def check_foreign_action(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Let a person review what would make an agent act on the word of untrusted text."""
    source = next((quote.source for quote in lesson.foreign_quotes), "") or _find_foreign_source(lesson)
    act = _find_foreign_act(lesson, evidence) if source else ""
    return f"it would make an agent act ({act[:100]}), and quotes {source}" if act else ""


def _find_foreign_source(lesson: Lesson) -> str:
    """Return the untrusted source of the text of a lesson; weak output of the project's programs is none."""
    return "" if lesson.text_source.startswith(WEAK_SOURCES) else lesson.text_source


def _find_foreign_act(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Return the clause of a lesson that would make an agent act on foreign words alone; empty if there is none.

    To run, install, disable, send or fetch something is own where the person, the agent or a commit states it in words
    that no untrusted text has, and each command that it names is theirs or one of the project's files. To change code
    is own also where the project has every word of it.
    """
    own_text = "\n".join(quote.text for quote in lesson.own_quotes if quote.row.voice in _ACTING_VOICES)
    for clause in _split_lesson(lesson):
        is_act = _is_act(clause, evidence)
        is_change = not is_act and bool(cue("change").search(clause))
        own_texts = (own_text, *(row.text for row in evidence.view.rows if row.voice is Voice.PERSON))
        if not (is_act or is_change) or any(_is_stated(clause, text, evidence) for text in own_texts):
            continue
        if is_act or not _is_known(clause, lesson, evidence):
            return clause
    return ""


def _split_lesson(lesson: Lesson) -> list[str]:
    """Return the clauses of a lesson and its reason; text in backticks is not split."""
    clauses = []
    for text in (lesson.text, lesson.proposal.why):
        ends = [match.end() for match in _CLAUSE_END.finditer(text) if text.count("`", 0, match.start()) % 2 == 0]
        clauses += [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]
    return [clause for clause in clauses if clause.strip()]


def _is_act(clause: str, evidence: SessionEvidence) -> bool:
    """Return whether a clause would make an agent run, install, disable, send or fetch something."""
    return bool(cue("action").search(clause)) or bool(_list_runs(clause, evidence))


def _list_runs(text: str, evidence: SessionEvidence) -> list[str]:
    """Return the commands in a text that do something, without tests and checks by a program that the session ran."""
    return [command for command in _BACKTICKED_COMMAND.findall(text) if _is_run(command, evidence)]


def _is_run(command: str, evidence: SessionEvidence) -> bool:
    step = main_step(command) if " " in command.strip() else None
    if step is None or step.kind in ("other", "read", "search", "list") or step.program in _READING_GIT:
        return False
    if step.kind not in (TEST, CHECK):
        return True
    entries = evidence.activity.filter_kinds(step.kind)
    return all(
        run is None or run.program != step.program for run in (main_step(item.action.command) for item in entries)
    )


def _is_stated(clause: str, own_text: str, evidence: SessionEvidence) -> bool:
    """Return whether own words state most of what an agent would do, and know each of its commands and hosts."""
    verbs = " ".join(match[0] for name in ("action", "change") for match in cue(name).finditer(clause))
    is_stated = all(
        own_text and count_shared_words(text, own_text) >= share * len(content_words(text))
        for text, share in ((clause, OWN_ACT_SHARE), (verbs, 1.0))
    )
    named = [*_list_runs(clause, evidence), *list_hosts(clause)]
    return is_stated and all(name in own_text or evidence.checkout.find_files_with(name) for name in named)


def _is_known(clause: str, lesson: Lesson, evidence: SessionEvidence) -> bool:
    """Return whether a lesson is about code of the project, and a clause of it brings in no word from outside."""
    names = list_searched_names(lesson.text)
    own_text = "\n".join(quote.text for quote in lesson.own_quotes)
    words = (word for word in content_words(clause) if not count_shared_words(word, own_text))
    return (
        bool(names) and all(map(evidence.has_code_name, names)) and all(map(evidence.checkout.find_files_with, words))
    )


def check_guarded(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Let a person review what widens trust, lowers a protection or loses work, unless they said so themselves."""
    if not lowers_protection(f"{lesson.text} {lesson.proposal.why}"):
        return ""
    if _is_persons_alone(lesson) and any(map(lowers_protection, _list_own_rows(lesson))):
        return ""
    return "it would widen trust, lower a protection or lose work"


def check_unstated_act(lesson: Lesson, evidence: SessionEvidence) -> str:
    """Let a person review an act that no own words of the session state: a page may have asked the reader for it."""
    own_rows = _list_own_rows(lesson)
    own_texts = ("\n".join(own_rows), *(row.text for row in evidence.list_decided_rows()))
    texts = (lesson.text, lesson.proposal.why)
    for clause in (clause for text in texts for clause in _list_act_clauses(text, evidence)):
        needed = STATED_SHARE * len(content_words(clause))
        if not evidence.checkout.find_files_with(clause) and not any(
            count_shared_words(clause, text) >= needed for text in own_texts
        ):
            return f"nobody in the session said or ran: {clause[:100].strip()}"
    return ""


def _list_act_clauses(text: str, evidence: SessionEvidence) -> Iterator[str]:
    """Yield what follows each word by which an agent would act, up to the end of its clause, and each command.

    Of a text in a language that the gate cannot read, every clause may ask for an act.
    """
    yield from _list_clauses("action", text) if is_readable(text) else filter(None, _CLAUSE_END.split(text))
    yield from _list_runs(text, evidence)


REFUSING_CHECKS: tuple[tuple[str, LessonCheck], ...] = (
    ("claim", check_quote_states_claim),
    ("work state", check_work_state),
    ("task wish", check_task_wish),
    ("files", check_files),
    ("names", check_names),
    ("hosts", check_hosts),
    ("forgery", check_forgery),
    ("location", check_location),
    ("absence", check_absence),
    ("commands", check_commands),
    ("plan", check_plan),
    ("corrected", check_not_corrected),
    ("instructions", check_instructions),
    ("injection", check_injection),
    ("age", check_age),
    ("surroundings", check_surroundings),
    ("reversed", check_reversal),
)
REVIEW_CHECKS: tuple[tuple[str, LessonCheck], ...] = (
    ("origin", check_origin),
    ("foreign text", check_foreign_text),
    ("foreign action", check_foreign_action),
    ("guarded", check_guarded),
    ("unstated act", check_unstated_act),
)
WAITING_CHECKS: tuple[tuple[str, LessonCheck], ...] = (("commit", check_committed),)

_ORDER = (
    (Treatment.REFUSE, REFUSING_CHECKS),
    (Treatment.REVIEW, REVIEW_CHECKS),
    (Treatment.WAIT, WAITING_CHECKS),
)


def check_lesson(lesson: Lesson, evidence: SessionEvidence) -> CheckResult:
    """Return the first reason against a lesson, refusals before reviews before waiting; none if it passes."""
    for treatment, checks in _ORDER:
        for name, check in checks:
            if reason := check(lesson, evidence):
                return CheckResult(treatment, name, reason)
    return CheckResult(None)
