"""Evidence for a lesson: its quotes with their voice and origin, and what later in the session agrees with it."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING

from holloway import git
from holloway.data import load_table
from holloway.domain.event import ToolKind
from holloway.observer.activity import SessionActivity
from holloway.observer.provenance import WEAK_SOURCES, trace_signals
from holloway.observer.signals.signal import Signal, SignalName
from holloway.observer.signals.statements import extract_code_names, extract_sha
from holloway.promotion.reader.checkout_search import CheckoutSearch
from holloway.promotion.reader.quote_search import LocatedQuote, fold_space
from holloway.promotion.reader.view_rows import AGENT_VOICES, AGREED_VOICES, PERSON_VOICES, Voice
from holloway.text.command_compare import covers_target, is_same_program, main_step
from holloway.text.identifiers import STOP_WORDS, expand_words, split_sentences
from holloway.text.programs import CHECK, RUN, TEST

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holloway.observer.activity import ActivityEntry
    from holloway.observer.carriers import Trust
    from holloway.observer.scratchpad import Scratchpad
    from holloway.promotion.reader.lesson_answer import ProposedLesson
    from holloway.promotion.reader.session_view import ReaderView
    from holloway.promotion.reader.view_rows import ViewRow

_VOICE_SOURCES = {Voice.PASTED: "pasted into a prompt", Voice.TEAMMATE: "a message of a team-mate"}
"""Voices that are foreign whatever they quote: nobody saw where their words come from."""
PERSON_SAID = "the person said it"
CLAIM_WORDS_SHARED_MIN = 2
_FACT_VOICES = frozenset({Voice.PERSON, Voice.PASTED, Voice.COMMAND, Voice.OUTPUT, Voice.LOOKUP, Voice.COMMIT})
_CODE_KINDS = frozenset({ToolKind.READ, ToolKind.SEARCH, ToolKind.EDIT, ToolKind.WRITE, ToolKind.SUBAGENT})
"""Kinds of tools whose results are code of the project or prose: the code is searched for at its newest state."""
NAMES_IN_TREE_MIN = 2
"""Names of code that a plain fact must have, all of them in its files, for the checkout to bear it out."""
CLAIM_STEM_CHARS = 5
CLAIM_SENTENCE_SHARE_MIN = 0.4
"""Share of the words of a claim that a sentence has in which somebody states it."""
CLAIM_SENTENCE_WORDS_MIN = 4
CLAIM_SENTENCE_CHARS_MAX = 300
CLAIM_SENTENCES_MAX = 3
NEAR_ROWS_MAX = 40
"""Distance from a quote at which the session still speaks of the same."""
WORDS_CACHED = 16_384
"""Texts whose words are kept: each lesson of a session is compared with each sentence of it."""
STATING_VOICES = frozenset({Voice.PERSON, Voice.AGENT, Voice.PLAN, Voice.ANSWER, Voice.COMMIT})
_BACKTICKED = re.compile(r"`([^`\n]{2,120})`")
_HOST_NAME = re.compile(
    r"(?<![\w/@.-])(?:[a-z0-9-]{1,63}\.){1,5}(?:com|org|net|io|dev|sh|app|ai|co|info|xyz|ru|cn|tk|uk|eu|invalid|example)\b"
    r"(?![\w(])",
    re.IGNORECASE,
)
_CODE_LIKE = re.compile(r"[a-z][a-z0-9]*[A-Z]|[A-Z][a-z0-9]+[A-Z]|\w_\w|\w\(\)|::|\w\.\w")


@cache
def cue(name: str) -> re.Pattern[str]:
    """Return the compiled cue of this name."""
    return re.compile(load_table("reader_cues")[name], re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A proposed lesson with its quotes in the session, and those of its files that exist or were touched."""

    proposal: ProposedLesson
    quotes: tuple[LocatedQuote, ...]
    files: tuple[str, ...] = ()
    text_source: str = ""
    """The untrusted source that the text itself repeats, whatever its quotes are; empty if it is its own."""

    @property
    def text(self) -> str:
        """The text as proposed."""
        return self.proposal.text

    @property
    def own_quotes(self) -> tuple[LocatedQuote, ...]:
        """The quotes that may prove a lesson: of the person, the agent, a commit or an edit, and from nowhere else."""
        return tuple(quote for quote in self.quotes if not quote.source and quote.row.voice is not Voice.OUTPUT)

    @property
    def stating_quotes(self) -> tuple[LocatedQuote, ...]:
        """The own quotes that state the claim, alone or together: a question and its answer share the words."""
        stating = tuple(quote for quote in self.own_quotes if states_claim(quote.text, self.text))
        together = " ".join(quote.text for quote in self.own_quotes)
        return stating or (self.own_quotes if states_claim(together, self.text) else ())

    @property
    def is_stated_by_others(self) -> bool:
        """Whether quotes state the claim, but no own one."""
        return not self.stating_quotes and any(states_claim(quote.text, self.text) for quote in self.quotes)

    @property
    def is_stated_by_project(self) -> bool:
        """Whether the output of the project's own programs states the claim, and an own quote is about it."""
        weak = [quote for quote in self.quotes if quote not in (*self.own_quotes, *self.foreign_quotes)]
        is_about = any(count_shared_words(quote.text, self.text) for quote in self.own_quotes)
        return is_about and any(states_claim(quote.text, self.text) for quote in weak)

    @property
    def foreign_quotes(self) -> tuple[LocatedQuote, ...]:
        """The quotes of untrusted text."""
        return tuple(quote for quote in self.quotes if quote.source and not quote.source.startswith(WEAK_SOURCES))

    @property
    def person_quotes(self) -> tuple[LocatedQuote, ...]:
        """The own quotes of the person."""
        return tuple(quote for quote in self.own_quotes if quote.row.voice in PERSON_VOICES)

    @property
    def step(self) -> int:
        """The step of the last quote."""
        return max(quote.row.step for quote in self.quotes)


class SessionEvidence:
    """A session and its checkout, as the checks of its lessons see them."""

    def __init__(self, pad: Scratchpad, view: ReaderView, checkout: CheckoutSearch, root: str) -> None:
        self.pad = pad
        self.view = view
        self.checkout = checkout
        self.root = root
        self.activity = SessionActivity(pad)
        self._added = "\n".join("\n".join(action.added) for action in pad.actions if action.added)

    def is_touched(self, path: str) -> bool:
        """Return whether the session read or changed a file."""
        return path in self.activity.touched_files

    def has_touched_ending(self, path: str) -> bool:
        """Return whether the session read or changed a file with this path or this end of one."""
        return any(f"/{file}".endswith(f"/{path.lstrip('/')}") for file in self.activity.touched_files)

    def added_name(self, name: str) -> bool:
        """Return whether the session's own edits have a name."""
        return name in self._added

    def has_code_name(self, name: str) -> bool:
        """Return whether the checkout, an edit of the session or its last commit has a name; unknown counts as yes."""
        if self._has_name(name):
            return True
        return name.endswith("s") and self._has_name(name[:-1])  # several of them

    def _has_name(self, name: str) -> bool:
        if self.checkout.find_files_with(name) != frozenset() or self.added_name(name):
            return True
        return self._last_commit is not None and self._last_commit.find_files_with(name) != frozenset()

    def is_seen_name(self, name: str) -> bool:
        """Return whether a name is in what a program printed, a person or a commit said, and not only in prose."""
        if any(name in row.text for row in self.view.rows if row.voice in _FACT_VOICES):
            return True
        outputs = (action for action in self.pad.actions if action.kind not in _CODE_KINDS)
        return any(name in action.command or name in (action.whole or action.text) for action in outputs)

    @cached_property
    def _last_commit(self) -> CheckoutSearch | None:
        """The checkout as the session committed it last, on whatever branch; None without such a commit."""
        hashes = [extract_sha(commit) for commit in self.activity.successful_commits]
        sha = next((sha for sha in reversed(hashes) if sha and git.has_commit(self.root, sha)), "")
        return CheckoutSearch(self.root, sha) if sha else None

    def is_uncommitted_name(self, name: str) -> bool:
        """Return whether the session's edits brought a name, and no commit of the session followed."""
        steps = [action.step for action in self.pad.actions if any(name in line for line in action.added)]
        return bool(steps) and not self._has_commit_after(min(steps))

    def is_uncommitted_file(self, path: str) -> bool:
        """Return whether the session edited a file, and no commit of the session followed."""
        steps = [edit.step for edit in self.activity.successful_edits if edit.path == path]
        return bool(steps) and not self._has_commit_after(min(steps))

    def _has_commit_after(self, step: int) -> bool:
        """Return whether a commit of the session that the repository has, on any branch, followed a step."""
        later = (commit for commit in self.activity.successful_commits if commit.step >= step)
        return any(git.has_commit(self.root, sha) for commit in later if (sha := extract_sha(commit)))

    def list_rows_near(self, rows: Sequence[ViewRow]) -> list[ViewRow]:
        """Return the rows of the session that are not far from some rows."""
        numbers = [row.number for row in rows]
        return [row for row in self.view.rows if any(abs(row.number - number) <= NEAR_ROWS_MAX for number in numbers)]

    def list_later_prompts(self, step: int) -> Iterator[ViewRow]:
        """Yield what the person said after a step."""
        return (row for row in self.view.rows if row.voice in PERSON_VOICES and row.step >= step)

    def list_decided_rows(self) -> Iterator[ViewRow]:
        """Yield what the person said or accepted, and what the agent ran."""
        voices = PERSON_VOICES | AGREED_VOICES | {Voice.COMMAND}
        return (row for row in self.view.rows if row.voice in voices)

    def list_later_agent_rows(self, row: ViewRow) -> Iterator[ViewRow]:
        """Yield what the agent said after a row."""
        return (later for later in self.view.rows if later.voice is Voice.AGENT and later.number > row.number)

    def trace_lessons(self, lessons: Sequence[Lesson], trust: Trust) -> list[Lesson]:
        """Return lessons with the untrusted source of their text and of each quote; the session is replayed once.

        A lesson that untrusted text says, too, gets own sentences that state it, if there are any. What the person
        pasted is never their own word.
        """
        if not lessons:
            return []
        statements = [self.find_own_statements(lesson.text) for lesson in lessons]
        quotes = [
            quote
            for lesson, own_quotes in zip(lessons, statements, strict=True)
            for quote in (*lesson.quotes, *own_quotes)
        ]
        sources, text_sources = self._trace(quotes, [lesson.text for lesson in lessons], trust)
        traced = iter(sources)
        return [
            _replace_quotes(
                lesson, [next(traced) for _ in lesson.quotes], [next(traced) for _ in own_quotes], text_source
            )
            for lesson, own_quotes, text_source in zip(lessons, statements, text_sources, strict=True)
        ]

    def _trace(
        self, quotes: Sequence[LocatedQuote], texts: Sequence[str], trust: Trust
    ) -> tuple[list[LocatedQuote], list[str]]:
        """Return quotes with the source of each at its step, and the sources of texts as of the session's end."""
        quoting = [
            Signal(_choose_signal(quote.row.voice), "quote", quote.row.step, quotes=(quote.text,)) for quote in quotes
        ]
        telling = [Signal(SignalName.CONCLUSION, "text", self.pad.step + 1, quotes=(text,)) for text in texts]
        sources = trace_signals(self.pad, [*quoting, *telling], trust).sources
        traced = [
            quote._replace(source=_VOICE_SOURCES.get(quote.row.voice, "") or sources.get(id(signal), ""))
            for quote, signal in zip(quotes, quoting, strict=True)
        ]
        return traced, [sources.get(id(signal), "") for signal in telling]

    def is_named(self, name: str) -> bool:
        """Return whether any row of the session has a name, whoever said or printed it."""
        return any(name.lower() in row.text.lower() for row in self.view.rows)

    @cached_property
    def _stating_sentences(self) -> list[tuple[str, ViewRow]]:
        """The sentences of the person, the agent and commits that are short enough to be quotes."""
        sentences = (
            (fold_space(part), row)
            for row in self.view.rows
            if row.voice in STATING_VOICES
            for line in row.text.splitlines()
            for part in split_sentences(line)
        )
        return [(sentence, row) for sentence, row in sentences if len(sentence) <= CLAIM_SENTENCE_CHARS_MAX]

    def find_own_statements(self, claim: str) -> list[LocatedQuote]:
        """Return the sentences of the person, the agent and commits that state a claim, the closest ones first.

        A model may quote an output or a report where the agent says the same in its own words.
        """
        words_min = max(CLAIM_SENTENCE_WORDS_MIN, CLAIM_SENTENCE_SHARE_MIN * len(content_words(claim)))
        statements = []
        for sentence, row in self._stating_sentences:
            shared_count = count_shared_words(claim, sentence)
            if shared_count >= words_min:
                statements.append((shared_count, LocatedQuote(sentence, row)))
        statements.sort(key=lambda pair: -pair[0])
        return [quote for _, quote in statements[:CLAIM_SENTENCES_MAX]]

    def find_corroboration(self, lesson: Lesson) -> str:
        """Return what agrees with a lesson beyond the agent's own words; empty if nothing does."""
        if set(lesson.person_quotes) & set(lesson.stating_quotes):
            return PERSON_SAID
        step = max((quote.row.step for quote in lesson.own_quotes), default=0)
        commit_row = next((quote.row for quote in lesson.own_quotes if quote.row.voice is Voice.COMMIT), None)
        if commit_row is not None and self._stands(commit_row.step):
            return "a commit that stands says it"
        return (
            self._find_agreement(lesson)
            or self._find_green_run(lesson, step)
            or self._find_commit(lesson, step)
            or self._find_in_tree(lesson)
        )

    def _find_agreement(self, lesson: Lesson) -> str:
        """Return whether the person agreed in the next prompt after the agent said it, or answered as quoted."""
        for quote in lesson.own_quotes:
            if quote.row.voice in AGREED_VOICES:
                return "the person agreed"
            if quote.row.voice not in AGENT_VOICES:
                continue
            reply = next(
                (row for row in self.list_later_prompts(quote.row.step) if row.number > quote.row.number), None
            )
            if reply is None or cue("refusal").search(reply.text[:300]):
                continue
            if cue("agreement").search(reply.text[:300]) or any(item.row == reply for item in lesson.person_quotes):
                return "the person agreed"
        return ""

    def _find_green_run(self, lesson: Lesson, step: int) -> str:
        """Return whether a run that failed before passed later, after an edit of a file of the lesson.

        That proves a cause or a fix; how code behaves was perhaps changed by that very edit.
        """
        if not cue("diagnosis").search(f"{lesson.text} {lesson.proposal.why}"):
            return ""
        edited = {entry.path: entry.step for entry in self.activity.successful_edits if entry.path in lesson.files}
        if not edited:
            return ""
        last_edit = max(edited.values())
        for entry in self.activity.entries:
            if entry.step >= max(step, last_edit) and _has_passed(entry) and self._failed_before(entry):
                return "a run that failed before passed later"
        return ""

    def _failed_before(self, passed: ActivityEntry) -> bool:
        later = main_step(passed.action.command)
        if later is None:
            return False
        for entry in self.activity.filter_kinds(TEST, CHECK, RUN):
            is_failure = entry.action.ok is False or entry.verdict == "red"
            before = main_step(entry.action.command) if entry.step < passed.step and is_failure else None
            if before is not None and is_same_program(before, later) and covers_target(before, later):
                return True
        return False

    def _find_commit(self, lesson: Lesson, step: int) -> str:
        """Return whether the session committed a file of the lesson after it was said, and that commit stands."""
        for commit in self.activity.successful_commits:
            changed = (edit.path for edit in self.activity.successful_edits if edit.step <= commit.step)
            if commit.step >= step and set(lesson.files) & set(changed) and self._stands(commit.step):
                return "a commit that stands holds it"
        return ""

    def _stands(self, step: int) -> bool:
        """Return whether the commit of a step is part of the history; an unknown hash is taken for one that is."""
        entry = next((entry for entry in self.activity.successful_commits if entry.step == step), None)
        sha = extract_sha(entry) if entry else ""
        return not sha or git.is_ancestor(self.root, sha, self.checkout.commit)

    def _find_in_tree(self, lesson: Lesson) -> str:
        """Return whether all code names of a plain fact are in the files that it is about."""
        names = list_searched_names(lesson.text)
        paths = set(filter(None, map(self.checkout.resolve_file, lesson.files)))
        if len(names) < NAMES_IN_TREE_MIN or not paths or cue("diagnosis").search(lesson.text):
            return ""
        matches = [self.checkout.find_files_with(name) for name in names]
        return "the checkout has it" if all(files and files & paths for files in matches) else ""


def _replace_quotes(
    lesson: Lesson, quotes: Sequence[LocatedQuote], statements: Sequence[LocatedQuote], text_source: str
) -> Lesson:
    """Return a lesson with its traced quotes, and with the own ones of some statements if untrusted text says it."""
    traced = replace(lesson, quotes=tuple(quotes), text_source=text_source)
    if not (traced.is_stated_by_others or traced.foreign_quotes or text_source):
        return traced
    return replace(traced, quotes=(*quotes, *(quote for quote in statements if not quote.source)))


def _choose_signal(voice: Voice) -> SignalName:
    """Return the signal by whose rules a quote of this voice is traced."""
    if voice in PERSON_VOICES:
        return SignalName.USER_CORRECTION
    return SignalName.EXTERNAL_REFERENCE if voice is Voice.OUTPUT else SignalName.CONCLUSION


def _has_passed(entry: ActivityEntry) -> bool:
    return entry.kind in (TEST, CHECK, RUN) and entry.action.ok is True and entry.verdict != "red"


def states_claim(quote: str, claim: str) -> bool:
    """Return whether a quote has something of a claim: a code name, or some of its words.

    A quote in another script than the claim has other words, so only its names could be compared.
    """
    if extract_code_names(quote) & extract_code_names(claim):
        return True
    words = content_words(quote)
    if words and sum(word.isascii() for word in words) * 2 < len(words):
        return True
    return count_shared_words(quote, claim) >= min(CLAIM_WORDS_SHARED_MIN, len(words) or CLAIM_WORDS_SHARED_MIN)


def count_shared_words(text: str, other: str) -> int:
    """Count the words of a text that another has too, also in another form: "fix" and "fixing"."""
    stems = {word[:CLAIM_STEM_CHARS] for word in content_words(other)}
    words = (word[:CLAIM_STEM_CHARS] for word in content_words(text))
    return sum(word in stems or any(_is_same_stem(word, stem) for stem in stems) for word in words)


def _is_same_stem(word: str, stem: str) -> bool:
    return word.startswith(stem) or stem.startswith(word)


@lru_cache(maxsize=WORDS_CACHED)
def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that carry its meaning."""
    return frozenset(word for word in expand_words(text) if word not in STOP_WORDS and len(word) > 2)


def list_searched_names(text: str) -> list[str]:
    """Return the code identifiers of a text as it spells them: those that the tree of a project would have."""
    quoted = (part.strip() for part in _BACKTICKED.findall(text))
    bare = re.findall(r"[A-Za-z_][\w./-]*[\w)]", text)
    names = (name.rstrip(".,;:").removesuffix("()") for name in [*quoted, *bare])
    return list(dict.fromkeys(name for name in names if _is_identifier(name)))


def _is_identifier(name: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z_]\w{2,80}", name)) and bool(_CODE_LIKE.search(name))


def list_hosts(text: str) -> list[str]:
    """Return the host names in a text."""
    return list(dict.fromkeys(match.lower() for match in _HOST_NAME.findall(text)))


def list_named_paths(text: str) -> list[str]:
    """Return the paths in a text: with a folder and an extension, so that no host or version is taken for one."""
    matches = re.findall(r"(?<![\w:/@.])(?:[\w.@-]+/)+[\w.@-]+\.[A-Za-z]{1,6}\b", text)
    return list(dict.fromkeys(path for path in matches if posixpath.splitext(path)[1]))
