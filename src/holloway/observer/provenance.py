"""Provenance: traces what a session said to the person and the project, or to an untrusted source (taint).

The session is replayed in order, because a statement from before a page was read cannot come from that page. A
statement is tainted if one of its sentences quotes foreign text, closely paraphrases it, or names something that only
foreign text names, unless an own text says the same. What was merely read near foreign text is not tainted. A tainted
statement counts as foreign text from then on, and so does a file that it is written to.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from holloway.domain.event import TEAMMATE_PREFIX, ToolKind
from holloway.observer.carriers import Carriers, Trust
from holloway.observer.origins import Carrier, Origin, Passage
from holloway.observer.own_text import strip_own_text
from holloway.observer.scratchpad import DELIVERED_OUTSIDE, DELIVERED_REPORT
from holloway.observer.signals.signal import SignalName
from holloway.observer.text_digests import fold_text
from holloway.observer.text_index import TextIndex, digest_sentences, list_names, list_packages
from holloway.observer.words.prompt import has_message_head, is_host_text, split_pasted_blocks
from holloway.safety.prompt_injection import find_imperative, find_injection
from holloway.safety.repository_text import is_readable
from holloway.text.commands import parse_command
from holloway.text.sketch import (
    SKETCH_DIGESTS_ALONE,
    digest_name,
    digest_sentence,
    is_odd_name,
    is_sketched,
    sketch_names,
    sketch_text,
    split_sentences,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from holloway.observer.scratchpad import Action, Note, Scratchpad
    from holloway.observer.signals.signal import Signal
    from holloway.observer.text_index import Sentence

WEAK_SHARE_MIN = 0.8
"""Share of a sentence that must be a quote of weak evidence before the sentence counts as that output's own."""
WEAK_SOURCES = ("history:", "output:")
"""Beginnings of weak sources: they may confirm a lesson, but are never its only quote."""
DELIVERED = "given by the host"
OWN_NAME = "holloway"
"""Our own name: hosts list our server and commands, and an agent that notes a lesson in its shell writes it."""
EARLIER = "read in an earlier session"
PASTED = "pasted into a prompt"
TEAMMATE = "message of a team-mate"
SESSION_DIGESTS_MAX = 5_000
TEXT_DIGESTS_MAX = 1_000
NAME_DIGESTS_MAX = 100
"""Limits of the digests of foreign text that a session, a text and its names leave behind."""
PROJECT_SEARCHES_MAX = 20
"""Maximum number of sentences of a session that are searched for in the project."""
SEARCHED_WORDS_MAX = 8
SEARCHED_WORDS_MIN = 4
"""Number of words, the longest of a sentence, by which files with it are found."""
COMPARED_WORDS_MIN = 2
"""Number of these words that a sentence of such a file has if it is compared."""
OVERFLOW = "too much text to compare"

_SEARCHED_WORD = re.compile(r"[a-z]{4,}")
_DIGEST = re.compile(r"[0-9a-f]{8}")
"""An edited line as the journal stores it: a digest, not text."""
_ORDER = re.compile(
    r"\b(?:must|should|shall|always|never|only|please|ensure|requires?|make sure|do not|don't|needs? to|ha(?:ve|s) to)"
    r"\b",
    re.IGNORECASE,
)
"""Signs of an order in a pasted block."""
_EXTERNAL_URL = re.compile(r"https?://(?!localhost|127\.)")


class SourceTracer:
    """Finds the untrusted source of statements. Feed it one session in order."""

    def __init__(self, trust: Trust, branch: str = "") -> None:
        self._is_known_name = trust.is_known_name
        self._find_committed = trust.find_committed
        self._project_searches: dict[str, TextIndex | None] = {}
        self._carriers = Carriers(trust, branch)
        self._own = TextIndex()
        """What the person typed and what tracked files say: it outweighs foreign text that says the same."""
        self._said = TextIndex()
        """What the agent said and wrote, untainted: own only where it came before the foreign text."""
        self._weak = TextIndex(quoted_share_min=WEAK_SHARE_MIN, quoted_runs_sure=None)
        self._foreign = TextIndex()
        self._earlier = trust.earlier_digests
        """Digests of foreign text that earlier sessions read."""
        self._sketches: dict[int, str] = {}
        """Digests of foreign text of this session that was too long to record."""
        self.foreign_digests: dict[int, None] = {}
        """Digests of all foreign text of this session, for later sessions."""
        self._own.add_names(list_names(trust.root), "project")
        self._latest_foreign = (-1, "")
        self._foreign_call = ""

    def observe_action(self, action: Action) -> str:
        """Record a tool call with its result; returns the source of a foreign result, else an empty string."""
        request_source = self._observe_request(action)
        call = action.call.partition("#")[0]
        if call and call == self._foreign_call:
            return self._latest_foreign[1]  # Another file of the same call, with the output of all of them.
        passages = self._carriers.classify_result(action)
        if request_source and action.kind is ToolKind.SHELL:
            self._carriers.taint_writes(action.command, request_source)
        for passage in passages:
            self._index_passage(passage)
        if passages[0].carrier.origin is Origin.FOREIGN:
            self._add_unrecorded_part(action, passages[0].carrier.source)
        sources = [carrier.source for carrier, _ in passages if carrier.origin is Origin.FOREIGN]
        if sources and any(text.strip() for carrier, text in passages if carrier.origin is Origin.FOREIGN):
            self._latest_foreign, self._foreign_call = (action.step, sources[0]), call
        return sources[0] if sources else ""

    def observe_statement(self, text: str, *, by_user: bool = False) -> str:
        """Record a statement of the agent or the person; returns the source that taints it, or an empty string.

        Taint does not spread inside of a statement: each of its sentences is traced alone.
        """
        if by_user and not is_host_text(text):
            return self._observe_prompt(text)
        if not self._has_foreign:
            self._said.queue_text(text, "said")
            return ""
        statement_source = ""
        for sentence in split_sentences(text):
            if source := self.find_source(sentence):
                self._foreign.add_text(sentence, source, self._own)
                self._note_digests(sentence)
                statement_source = statement_source or source
            else:
                self._said.queue_text(sentence, "said")
        return statement_source

    @property
    def _has_foreign(self) -> bool:
        return bool(self._foreign or self._weak or self._sketches or self._earlier)

    def observe_report(self, text: str) -> None:
        """Record the result of a subagent whose own actions are recorded: what it repeats of foreign text is foreign.

        The rest proves nothing: the subagent's own statements are recorded with it.
        """
        for sentence in split_sentences(text):
            if source := self.find_source(sentence):
                self._foreign.add_text(sentence, source, self._own)

    def observe_delivery(self, text: str, path: str = "", *, outside: bool = False) -> None:
        """Record a text that the host gave the agent: own if git tracks its file, otherwise foreign."""
        carrier = self._carriers.classify_path(path, outside=outside) if path else Carrier(Origin.FOREIGN, DELIVERED)
        self._index_passage(Passage(carrier, strip_own_text(text)))

    def observe_teammate(self, text: str) -> None:
        """Record the message of another agent, whose steps nobody saw: what instructs or leads elsewhere is foreign."""
        for sentence in split_sentences(text):
            if _leads_elsewhere(sentence):
                self._add_foreign(sentence, TEAMMATE)
            else:
                self.observe_statement(sentence)

    def find_source(self, text: str) -> str:
        """Return the untrusted source that taints a text, or an empty string."""
        if self._foreign.full_source:
            return f"{OVERFLOW}: {self._foreign.full_source}"
        for words, sentence in zip(split_sentences(fold_text(text)), digest_sentences(text), strict=True):
            if source := self._find_sentence_source(words, sentence):
                return source
        return self._find_named_source(text) or self._find_sketched_source(text)

    def _find_sketched_source(self, text: str) -> str:
        """Return the source of foreign text that is known by its digests only, or an empty string."""
        if not self._sketches and not self._earlier:
            return ""
        for sentence in split_sentences(text):
            if is_sketched(sentence, self._earlier) and not self._was_said(sentence, self._own):
                return EARLIER
            if is_sketched(sentence, self._sketches) and not self._was_said(sentence, self._own, self._said):
                return next(self._sketches[digest] for digest in digest_sentence(sentence) if digest in self._sketches)
        for digest in map(digest_name, self._list_odd_names(text)):
            if digest in self._sketches or digest in self._earlier:
                return self._sketches.get(digest, EARLIER)
        return ""

    @staticmethod
    def _was_said(text: str, *indexes: TextIndex) -> bool:
        """Whether these indexes have all sentences of a text."""
        return all(any(index.find_quoted_source(part) for index in indexes) for part in digest_sentences(text))

    def _list_odd_names(self, text: str) -> list[str]:
        return [name for name in list_names(text) if is_odd_name(name) and self._is_strange(name)]

    def find_quoted_source(self, text: str) -> str:
        """Return the foreign source that a text quotes word for word, or an empty string."""
        sources = (
            self._foreign.find_quoted_source(sentence)
            for sentence in digest_sentences(text)
            if not self._own.find_quoted_source(sentence)
        )
        return next(filter(None, sources), "")

    def _find_sentence_source(self, words: str, sentence: Sentence) -> str:
        """Return the source of a sentence, unless a file of the project has it, however the session printed it."""
        source = self._trace_sentence(sentence, self._own)
        project = self._search_project(words) if source else None
        return self._trace_sentence(sentence, self._own, project) if project else source

    def _trace_sentence(self, sentence: Sentence, *own_indexes: TextIndex) -> str:
        """Return the source of a sentence; what it repeats of own text proves nothing about the rest of it."""
        if source := self._foreign.find_quoted_source(sentence, *own_indexes):
            return source
        if any(index.find_quoted_source(sentence) or index.find_similar_source(sentence) for index in own_indexes):
            return ""
        return self._foreign.find_similar_source(sentence) or self._weak.find_quoted_source(sentence)

    def _search_project(self, words: str) -> TextIndex | None:
        """Return an index of files of the project that have most long words of a sentence; None if there are none."""
        longest = sorted(set(_SEARCHED_WORD.findall(words)), key=lambda word: (-len(word), word))[:SEARCHED_WORDS_MAX]
        if self._find_committed is None or len(longest) < SEARCHED_WORDS_MIN:
            return None
        if words not in self._project_searches and len(self._project_searches) < PROJECT_SEARCHES_MAX:
            self._project_searches[words] = self._index_project(longest, self._find_committed)
        return self._project_searches.get(words)

    def _index_project(
        self, words: Sequence[str], find_committed: Callable[[tuple[str, ...]], Iterable[str]]
    ) -> TextIndex | None:
        """Return an index of the sentences of committed files that have some of these words; None without any."""
        project = TextIndex()
        for text in find_committed(tuple(words)):
            for part in split_sentences(text):
                # What an earlier session took from foreign text is no proof, also if it was committed since.
                if _has_words(part, words) and not (self._earlier and is_sketched(part, self._earlier)):
                    project.queue_text(part, "project")
        return project or None

    def _find_named_source(self, text: str) -> str:
        for name in list_names(text):
            if (source := self._foreign.find_name_source(name)) and self._is_strange(name):
                return source
        for name in list_packages(text):
            if (source := self._foreign.find_package_source(name)) and self._is_strange(name):
                return source
        return ""

    def _is_strange(self, name: str) -> bool:
        """Whether a name is known neither from own text nor to the project; without a word list its form decides."""
        if name == OWN_NAME or self._own.find_name_source(name):
            return False
        return is_odd_name(name) if self._is_known_name is None else not self._is_known_name(name)

    def _observe_prompt(self, text: str) -> str:
        """Record a prompt: typed text is own, unless it quotes; orders in a pasted block are foreign."""
        source = ""
        is_message = False
        for block, is_pasted in split_pasted_blocks(text):
            is_message = is_message or has_message_head(block)
            if quoted := self.find_quoted_source(block):
                source = source or quoted
            elif not is_pasted:
                self._own.queue_text(block, "user")
            elif not is_readable(block):
                self._foreign.add_text(block, PASTED, self._own, self._said)
                source = source or PASTED
            elif orders := [line for line in split_sentences(block) if _is_order(line, is_message=is_message)]:
                self._foreign.add_text("\n".join(orders), PASTED, self._own, self._said)
                source = source or PASTED
        return source

    def _observe_request(self, action: Action) -> str:
        """Record what the agent asked a tool to do, before the tool answers; returns the source that taints it."""
        request = "\n".join(filter(None, (action.path, action.command, action.pattern, action.url)))
        source = self.observe_statement(request) if request else ""
        if action.kind in (ToolKind.EDIT, ToolKind.WRITE) and action.path:
            self._observe_edit(action)
        return source

    def _observe_edit(self, action: Action) -> None:
        lines = [line for line in action.added if not _DIGEST.fullmatch(line)]
        source = self.observe_statement("\n".join(lines)) if lines else self._find_unreadable_source(action)
        if action.kind is ToolKind.WRITE:
            self._carriers.record_new_file(action.path, source)
        else:
            self._carriers.record_edit(action.path, source)

    def _find_unreadable_source(self, action: Action) -> str:
        """Return the source of foreign text that was read just before an edit whose words were not recorded."""
        step, source = self._latest_foreign
        return source if action.added and 0 <= action.step - step <= 1 else ""

    def _index_passage(self, passage: Passage) -> None:
        (origin, source), text = passage
        if origin is Origin.FOREIGN:
            self._add_foreign(text, source)
        elif origin is Origin.OWN:
            self._add_own(text)
        elif origin is Origin.WEAK:
            self._index_weak_output(text, source)

    def _add_unrecorded_part(self, action: Action, source: str) -> None:
        """Add the part of a long foreign result that is known by its digests only."""
        digests: Sequence[int] = action.digests
        if action.whole and not digests:
            sentences = sketch_text(action.whole, TEXT_DIGESTS_MAX, SKETCH_DIGESTS_ALONE)
            digests = [*sketch_names(action.whole, NAME_DIGESTS_MAX), *sentences]
        room = SESSION_DIGESTS_MAX - len(self._sketches)
        self._sketches.update(dict.fromkeys(digests[: max(0, room)], source))
        self.foreign_digests.update(dict.fromkeys(digests[: max(0, SESSION_DIGESTS_MAX - len(self.foreign_digests))]))

    def _add_foreign(self, text: str, source: str) -> None:
        self._foreign.add_text(text, source, self._own, self._said)
        self._note_digests(text)

    def _note_digests(self, text: str) -> None:
        """Note the digests of a foreign text, and of its names that nobody else knows, for later sessions."""
        if len(self.foreign_digests) >= SESSION_DIGESTS_MAX:
            return
        self.foreign_digests.update(dict.fromkeys(sketch_text(text, TEXT_DIGESTS_MAX)))
        self.foreign_digests.update(dict.fromkeys(map(digest_name, self._list_odd_names(text)[:NAME_DIGESTS_MAX])))

    def _add_own(self, text: str) -> None:
        """Add a text of the project, without sentences that an earlier session took from foreign text."""
        if not self._earlier:
            self._own.queue_text(text, "project")
            return
        for sentence in split_sentences(text):
            if is_sketched(sentence, self._earlier):
                self._add_foreign(sentence, EARLIER)
            else:
                self._own.queue_text(sentence, "project")

    def _index_weak_output(self, text: str, source: str) -> None:
        """Index the output of the project's programs; lines that instruct or lead elsewhere are foreign."""
        lines = text.splitlines() if _leads_elsewhere(text) else ()
        foreign_lines = list(filter(_leads_elsewhere, lines))
        if foreign_lines:
            self._foreign.add_text("\n".join(foreign_lines), source, self._own, self._said)
        if self._is_known_name is not None:
            own_indexes = (self._own, self._said)
            names = (
                name for name in list_names(text) if not any(index.find_name_source(name) for index in own_indexes)
            )
            self._foreign.add_names(names, source)
        self._weak.add_text(text, source, self._own, self._said)


def _has_words(text: str, words: Sequence[str]) -> bool:
    """Whether a text has some of these words in lower case: other sentences of a large file need not be compared."""
    folded = text.lower()
    return sum(word in folded for word in words) >= COMPARED_WORDS_MIN


def _is_order(line: str, *, is_message: bool) -> bool:
    """Whether a pasted line gives an order; in somebody else's message, every imperative is one."""
    return bool(_ORDER.search(line) or find_injection(line) or (is_message and find_imperative(line)))


def _leads_elsewhere(text: str) -> bool:
    """Whether a text that is neither own nor foreign instructs its reader or names an address."""
    return bool(_EXTERNAL_URL.search(text)) or bool(find_imperative(text))


class SessionTrace(NamedTuple):
    """The untrusted source of each tainted signal, by the signal's identity, and the digests of foreign text."""

    sources: dict[int, str]
    foreign_digests: tuple[int, ...]


def trace_signals(pad: Scratchpad, signals: Iterable[Signal], trust: Trust) -> SessionTrace:
    """Trace the quotes of signals, each at its step."""
    pending: dict[int, list[Signal]] = {}
    for signal in signals:
        if _can_be_untrusted(signal):
            pending.setdefault(signal.step, []).append(signal)
    sources: dict[int, str] = {}
    tracer = SourceTracer(trust, pad.start.branch if pad.start else "")
    for step, result_source in _replay_session(pad, tracer):
        for signal in pending.pop(step, ()):
            sources[id(signal)] = _find_signal_source(signal, tracer, result_source)
    for late_signals in pending.values():
        for signal in late_signals:
            sources[id(signal)] = _find_signal_source(signal, tracer, "")
    return SessionTrace(sources, tuple(tracer.foreign_digests))


def trace_texts(pad: Scratchpad, texts: Sequence[str], trust: Trust) -> list[str]:
    """Return the untrusted source of each of these texts as of the end of a session, or empty strings."""
    tracer = SourceTracer(trust, pad.start.branch if pad.start else "")
    list(_replay_session(pad, tracer))
    return [tracer.find_source(text) for text in texts]


def _replay_session(pad: Scratchpad, tracer: SourceTracer) -> Iterator[tuple[int, str]]:
    """Replay a session of all its agents into the tracer; yields each step with the source of its result.

    The result of a subagent is replayed when it came, after the subagent's own actions.
    """
    notes: dict[int, list[Note]] = {}
    for note in pad.notes:
        notes.setdefault(note.step, []).append(note)
    is_watched = _are_subagents_recorded(pad)
    running: list[Action] = []
    actions: list[Action | None] = [None, *pad.actions]
    for action in actions:
        step, source = (action.step, "") if action else (0, "")
        if action:
            _finish_subagents(running, math.nextafter(action.at, 0.0), tracer)
            if action.kind is ToolKind.SUBAGENT and is_watched:
                running.append(action)
            else:
                source = tracer.observe_action(action)
        for text in _list_commit_messages(action):
            tracer.observe_statement(text)
        for note in notes.get(step, ()):
            _finish_subagents(running, note.at, tracer)
            _replay_note(note, tracer, is_watched=is_watched)
        yield step, source
    _finish_subagents(running, math.inf, tracer)


def _replay_note(note: Note, tracer: SourceTracer, *, is_watched: bool) -> None:
    if note.voice == "host" and note.type == DELIVERED_REPORT and is_watched:
        tracer.observe_report(note.text)
    elif note.voice == "host":
        # The host delivers what holloway injected, too: the commands of a brief are no foreign names.
        tracer.observe_delivery(strip_own_text(note.text), *note.files, outside=note.type == DELIVERED_OUTSIDE)
    elif _is_unseen_summary(note):
        tracer.observe_delivery(note.text)
    elif note.actor.startswith(TEAMMATE_PREFIX):
        tracer.observe_teammate(note.text)
    else:
        tracer.observe_statement(note.text, by_user=note.voice == "user")


def _is_unseen_summary(note: Note) -> bool:
    """Whether a note sums up a conversation of which nothing was seen, so that nobody knows what it quotes."""
    return note.step == 0 and (note.voice == "summary" or (note.voice == "user" and is_host_text(note.text)))


def _are_subagents_recorded(pad: Scratchpad) -> bool:
    """Whether the actions of as many subagents are recorded as were started."""
    recorded = {action.actor for action in pad.actions if action.actor}
    return bool(recorded) and len(recorded) >= sum(action.kind is ToolKind.SUBAGENT for action in pad.actions)


def _finish_subagents(running: list[Action], now: float, tracer: SourceTracer) -> None:
    """Record the results of subagents that have ended by now; a result is the subagent's statement."""
    for action in [action for action in running if action.ended_at <= now]:
        running.remove(action)
        tracer.observe_report(action.text)


def _list_commit_messages(action: Action | None) -> list[str]:
    if action is None or not action.command:
        return []
    return [step.message for step in parse_command(action.command) if step.message]


def _can_be_untrusted(signal: Signal) -> bool:
    """Whether a signal has quotes that may be untrusted; an edit that fixed an error is the agent's own action."""
    return bool(signal.quotes) and signal.facts.get("fix_kind") != "edit"


_FROM_TOOL = frozenset({SignalName.E2E, SignalName.EXTERNAL_REFERENCE})


def _find_signal_source(signal: Signal, tracer: SourceTracer, result_source: str) -> str:
    """Find the untrusted source of a signal's quotes, or return an empty string."""
    words = " ".join(signal.quotes)
    if signal.name in _FROM_TOOL:
        return result_source
    if signal.name is SignalName.USER_CORRECTION:
        # A line that the user edited was written by the agent first.
        agents_line = str(signal.facts.get("agents_line", ""))
        return tracer.find_quoted_source(words) or (tracer.find_source(agents_line) if agents_line else "")
    if signal.name is SignalName.ERROR_RETRY:
        # The project's own program printed the error; only a fix that some output told the agent to run is untrusted.
        return tracer.find_source(str(signal.facts["fix"]))
    return next(filter(None, map(tracer.find_source, signal.quotes)), "")
