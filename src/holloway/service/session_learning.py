"""Learning from a session: observe, judge, promote and measure it, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from holloway import git
from holloway.config import TASK_CHARS_MAX
from holloway.domain.ports import format_stamp
from holloway.domain.work import Outcome, SessionSummary
from holloway.embeddings.vocabulary import is_ordinary_word
from holloway.llm.metered_client import meter_writer
from holloway.llm.providers import choose_writer
from holloway.observer.activity import SessionActivity
from holloway.observer.carriers import Trust
from holloway.observer.observer import DetectedSignals
from holloway.observer.outcome import classify_session
from holloway.observer.signals.statements import extract_sha
from holloway.observer.words import prompt
from holloway.promotion import held_candidates, pipeline, synthesis, work_state
from holloway.promotion.candidate import CodeMapLookup, FinishedSession
from holloway.promotion.gates import is_strict
from holloway.promotion.llm_rewrite import rewrite_candidates
from holloway.promotion.pipeline import Promotion
from holloway.promotion.synthesis import collect_statistics
from holloway.proof.session_facts import SessionFacts, collect_before
from holloway.proof.session_record import build_record
from holloway.safety import secrets
from holloway.store import branches, foreign_digests, observations, session_ledger
from holloway.store.local_key import load_or_create_key
from holloway.text.file_roles import is_third_party
from holloway.text.sanitize import clean_text, first_paragraph, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory import Memory
    from holloway.domain.ports import Writer
    from holloway.observer.outcome import SessionClassification
    from holloway.observer.scratchpad import Scratchpad
    from holloway.observer.signals.signal import Signal
    from holloway.promotion.candidate import Candidate
    from holloway.promotion.synthesis import ModuleSynthesis
    from holloway.service.open_project import OpenProject
    from holloway.store.candidates import StoredCandidate


PROJECT_TEXTS_CACHED = 64
"""Searches of the project's files whose results are kept; a session makes at most 20."""
PROJECT_FILES_MAX = 10
"""Files of which one search returns the texts."""


@dataclass(frozen=True, slots=True)
class Learned:
    """The result of learning from a session."""

    session: SessionSummary
    promotion: Promotion
    record: dict[str, Any]
    synthesised: tuple[ModuleSynthesis, ...] = ()
    settled: tuple[StoredCandidate, ...] = ()
    again: bool = False
    """Whether the session had been learned from before and nothing was new."""


class Learning:
    """Turns sessions into memories for one project."""

    def __init__(self, memory: OpenProject, places: CodeMapLookup | None = None, writer: Writer | None = None) -> None:
        self.memory = memory
        self.writer = writer
        self.store = memory.store
        self.database = memory.store.database
        self.places = places or CodeMapLookup(memory.map.module_of, memory.map.explained)
        self._project_texts: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = {}

    def learn(
        self,
        pad: Scratchpad,
        *,
        part: bool = False,
        unseen: str = "",
        settle: bool = True,
        before: SessionFacts | None = None,
    ) -> Learned:
        """Learn from the log of a session. Learning from the same events again changes nothing.

        `part`: the session goes on, and its work so far was validated. `unseen` names a session whose actions nobody
        saw: the origin of its statements is unknown, so they wait for a person. Without `settle`, held candidates of
        earlier sessions are not settled; a caller with many sessions does that once. `before` has facts about
        the session that its events lack.
        """
        activity = SessionActivity(pad)
        judged = _validate_part(classify_session(activity)) if part else classify_session(activity)
        session = _describe_session(activity, judged, part=part)
        earlier = session_ledger.load_session_record(self.database, session.id)
        if earlier.get("events") == pad.events and earlier.get("outcome") == str(judged.outcome):
            return Learned(session, Promotion(()), earlier, again=True)
        detected = DetectedSignals(activity)
        before = self._collect_before(activity, session, before or SessionFacts())
        before = replace(before, group=before.group or earlier.get("group"))
        commit = next((sha for action in reversed(activity.successful_commits) if (sha := extract_sha(action))), "")
        finished = FinishedSession(session, judged, tuple(detected.signals), commit, self.find_branch_only(session))
        candidates = self._judge_candidates(finished, detected, unseen)
        error = "" if part else self._reword(candidates)
        modules = self._modules(activity)
        with self.database.write_transaction():
            observations.save_observations(
                self.database, collect_statistics(activity, session, detected.signals, modules)
            )
            promotion = pipeline.store_candidates(self.store, finished, candidates)
            foreign_digests.save_digests(
                self.database, self._digest_key, detected.foreign_digests, session.id, self.memory.clock.now()
            )
            if not part:
                work_state.save_work(self.store, activity, judged, session)
            metrics = build_record(activity, judged, detected.signals, promotion, before, error)
            session_ledger.finish_session(self.database, session, metrics)
        due = synthesis.find_due_modules(self.store, modules)
        synthesised = [
            synthesis.synthesise_module(self.store, module, threshold, self.places) for module, threshold in due
        ]
        if settle:
            self.take_back()
        settled = tuple(self.settle_held()) if settle and not part else ()
        if not part:
            self.memory.trust.advance()
        return Learned(session, promotion, metrics, tuple(synthesised), settled)

    def _judge_candidates(self, finished: FinishedSession, detected: DetectedSignals, unseen: str) -> list[Candidate]:
        """Return the candidates of a session's signals; all are untrusted if nobody saw its actions."""
        trust = self.trust(finished.session.commit, finished.session.id)

        def find_sources(signals: Sequence[Signal]) -> list[str]:
            return [source or unseen for source in detected.find_taint_sources(signals, trust)]

        return pipeline.evaluate_signals(self.store, finished, self.places, find_sources, strict=is_strict(self.store))

    def _reword(self, candidates: list[Candidate]) -> str:
        """Have a language model improve the texts, if one is configured; one call, outside of any transaction."""
        writer = self.writer or choose_writer(self.memory.settings).writer
        if writer is None:
            return ""
        model = meter_writer(self.store, self.memory.settings, writer, "wording")
        return rewrite_candidates(
            model, self.memory.project.name, [candidate for candidate in candidates if candidate.is_undecided]
        )

    def settle_held(self) -> list[StoredCandidate]:
        """Promote or drop the held candidates whose work was proved or reverted since."""
        return held_candidates.settle_held_candidates(self.store, partial(held_candidates.find_proof, self.store))

    def take_back(self) -> list[Memory]:
        """Set aside memories learned from work that was reverted since the last look at the history.

        Unfinished work that was committed since is closed.
        """
        work_state.close_committed_work(self.store)
        return held_candidates.take_back_reverted(self.store)

    def trust(self, commit: str = "", session: str = "") -> Trust:
        """Return the settings that tell foreign text from the project's own, for a session that began at a commit."""
        root = str(self.memory.project.root)
        sources = frozenset(self.memory.settings.get_words("trusted_sources"))
        tracked = git.list_accepted_files(root, commit) if git.find_root(root) else None
        knows = self.memory.map.knows
        return Trust(
            sources,
            root,
            is_known_name=lambda name: is_ordinary_word(name) or knows(name),
            is_tracked=None if tracked is None else tracked.__contains__,
            is_committed=partial(git.has_lines_at, root, commit),
            find_committed=None if tracked is None else partial(self._find_project_texts, commit, tracked),
            earlier_digests=foreign_digests.load_digests(
                self.database, self._digest_key, self.memory.clock.now(), except_session=session
            ),
        )

    def _find_project_texts(self, commit: str, tracked: frozenset[str], words: tuple[str, ...]) -> tuple[str, ...]:
        """Return the texts at a commit of the project's own files that have most of some words.

        The map knows the files; git would read the whole tree for each search. The results are kept, because a session
        is traced again when a reader has read it.
        """
        key = (commit, words)
        if key not in self._project_texts:
            if len(self._project_texts) >= PROJECT_TEXTS_CACHED:
                self._project_texts.clear()
            self._project_texts[key] = self._search_project_texts(commit, tracked, words)
        return self._project_texts[key]

    def _search_project_texts(self, commit: str, tracked: frozenset[str], words: tuple[str, ...]) -> tuple[str, ...]:
        root = str(self.memory.project.root)
        if not self.memory.map.is_ready:
            own_files = {path for path in tracked if not is_third_party(path)}
            return tuple(git.find_texts_with(root, commit, words, own_files))
        paths = self.memory.map.find_files_with_words(words, git.WORDS_SHARE_MIN)
        own_paths = [path for path in paths if path in tracked and not is_third_party(path)][:PROJECT_FILES_MAX]
        return tuple(filter(None, [git.read_files_at(root, commit, own_paths)]))

    @property
    def _digest_key(self) -> bytes:
        return load_or_create_key(self.memory.home, foreign_digests.DIGEST_KEY_NAME)

    def _modules(self, activity: SessionActivity) -> list[str]:
        """Return the modules that the session changed, or read if it changed nothing."""
        paths = list(activity.edited_files) or list(activity.touched_files)
        return [module for module in dict.fromkeys(map(self.places.module_of, paths)) if module]

    def _collect_before(self, activity: SessionActivity, session: SessionSummary, before: SessionFacts) -> SessionFacts:
        code_map = self.memory.map
        touched = [module for path in activity.touched_files if (module := code_map.module_of(path))]
        return collect_before(
            self.store,
            session,
            list(activity.touched_files),
            replace(
                before,
                trust_level=self.memory.trust.level,
                modules=tuple(sorted(set(touched))) if code_map.is_ready else None,
            ),
            {part.name for part in code_map.overview().modules},
        )

    def find_branch_only(self, session: SessionSummary) -> str:
        """Return the branch that the session's memories stay on until it is merged; empty for all branches."""
        if self.memory.settings.get_text("branch_scope") == "everywhere" or not session.branch:
            return ""
        return branches.find_unmerged_branch(self.database, str(self.memory.project.root), session.branch)


def _describe_session(activity: SessionActivity, judged: SessionClassification, *, part: bool) -> SessionSummary:
    """Return the row of a session in the ledger."""
    pad = activity.pad
    start = pad.start
    task = secrets.redact_secrets(clean_text(prompt.strip_host_additions(activity.task_text)))[0]
    return SessionSummary(
        id=(start.session if start else "") or "unknown",
        agent=start.agent if start else "",
        started_at=moment_of(start.at if start else pad.last_at),
        last_event_at=moment_of(pad.last_at),
        ended_at="" if part else moment_of(pad.last_at),
        type=judged.type,
        phase=judged.phase,
        outcome=judged.outcome,
        evidence=secrets.redact_secrets(clean_text(judged.evidence))[0],
        task=_join_paragraphs(task),
        branch=start.branch if start else "",
        commit=start.commit if start else "",
        work_unit=start.work_unit if start else None,
    )


def _join_paragraphs(task: str) -> str:
    """Return a task in two lines with a blank one between: its first paragraph, and the others."""
    first = first_paragraph(task)
    later_paragraphs = one_line(task.strip().removeprefix(first), TASK_CHARS_MAX)
    return f"{one_line(first, TASK_CHARS_MAX)}\n\n{later_paragraphs}".strip()[:TASK_CHARS_MAX]


def _validate_part(judged: SessionClassification) -> SessionClassification:
    """Return the outcome of a part of the work that its caller validated."""
    return replace(judged, outcome=Outcome.SUCCESS, evidence=f"{judged.evidence}; a subtask was validated")


def moment_of(seconds: float) -> str:
    """Return the time of an event as the store writes it, within the range of valid dates."""
    return format_stamp(datetime.fromtimestamp(min(max(seconds, 0.0), 4e9), UTC))
