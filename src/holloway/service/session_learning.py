"""Learning from a session: what it did is counted, what it showed is judged, what proved right is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from holloway import git
from holloway.config import TEXT_CHARS_MAX
from holloway.domain.memory import MemoryType
from holloway.domain.ports import moment, stamp
from holloway.domain.session import Outcome, Session
from holloway.embeddings.vocabulary import ordinary
from holloway.llm.metered_client import meter_writer
from holloway.llm.provider_choice import choose
from holloway.observer.activity import Account
from holloway.observer.observer import Detected
from holloway.observer.outcome import judge
from holloway.observer.provenance import Trust
from holloway.observer.signals.signal import SignalName
from holloway.observer.signals.statements import sha_of
from holloway.observer.words import prompt
from holloway.promotion import held_candidates, pipeline, synthesis, work_state
from holloway.promotion.candidate import Finished, Places, sighting_key
from holloway.promotion.llm_rewrite import reword
from holloway.promotion.pipeline import Promotion
from holloway.proof.session_facts import Before, Shown, StoreFigures
from holloway.proof.session_record import record
from holloway.safety import secrets
from holloway.store import branches, feedback_counts, observations, session_ledger
from holloway.store.filter import Filter
from holloway.store.observations import ErrorSeen, Observed, Sighting
from holloway.store.write_gate import admit_watched
from holloway.text.sanitize import clean, one_line
from holloway.text.tokens import estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holloway.domain.memory import Draft, Memory
    from holloway.domain.ports import Writer
    from holloway.observer.outcome import Judged
    from holloway.observer.scratchpad import Scratchpad
    from holloway.observer.signals.signal import Signal
    from holloway.promotion.candidate import Candidate
    from holloway.promotion.held_candidates import Proof
    from holloway.promotion.synthesis import Synthesised
    from holloway.service.holloway import Holloway
    from holloway.store.candidates import Kept

TASK_CHARS_MAX = 4_000
SIGHTINGS_MAX = 600
REJECTED_ABOVE = 0.3
"""A person who rejects more than this share of what was inferred gets fewer and surer memories."""
JUDGED_FROM = 5


@dataclass(frozen=True, slots=True)
class Learned:
    """What came of a session."""

    session: Session
    promotion: Promotion
    record: dict[str, Any]
    synthesised: tuple[Synthesised, ...] = ()
    settled: tuple[Kept, ...] = ()
    again: bool = False
    """Whether the session had been learned from before and nothing was new."""


class Learning:
    """Turns sessions into memories for one project."""

    def __init__(self, memory: Holloway, places: Places | None = None, writer: Writer | None = None) -> None:
        self.memory = memory
        self.writer = writer
        self.store = memory.store
        self.database = memory.store.database
        self.places = places or Places(memory.map.module_of, memory.map.explained)

    def learn(
        self,
        pad: Scratchpad,
        *,
        part: bool = False,
        unseen: str = "",
        settle: bool = True,
        before: Before | None = None,
    ) -> Learned:
        """Learn from what a scratchpad holds. The same events a second time change nothing.

        With `part`, the session goes on, and what it did so far was validated. `unseen` names a session whose deeds
        nobody saw: where its words come from is not known, so they wait for a person. Without
        `settle`, what earlier sessions left waiting is not looked at: who learns from many sessions does that once.
        `before` has what the caller knows of the session beside its events; what the store knows is added to it.
        """
        account = Account(pad)
        judged = _validated(judge(account)) if part else judge(account)
        session = self._session(pad, account, judged, part=part)
        known = session_ledger.record_of(self.database, session.id)
        if known.get("events") == pad.events and known.get("outcome") == str(judged.outcome):
            return Learned(session, Promotion(()), known, again=True)
        detected = Detected(account)
        before = self._before(account, session, before or Before())
        before = replace(before, group=before.group or known.get("group"))
        finished = Finished(session, judged, tuple(detected.signals), self._commit(account), self._branch_only(session))
        found = self._candidates(finished, detected, unseen)
        trouble = "" if part else self._reword(found)
        with self.database.write():
            observations.keep(self.database, self._observed(account, session, detected.signals))
            promotion = pipeline.written(self.store, finished, found)
            self._keep_work(account, judged, session, part=part)
            figures = record(account, judged, detected.signals, promotion, before, trouble)
            session_ledger.finish(self.database, session, figures)
        due = synthesis.due(self.store, self._modules(account))
        looked_at = [synthesis.synthesise(self.store, module, threshold, self.places) for module, threshold in due]
        if settle:
            self.take_back()
        settled = tuple(self.settle_held()) if settle and not part else ()
        if not part:
            self.memory.trust.advance()
        return Learned(session, promotion, figures, tuple(looked_at), settled)

    def _candidates(self, finished: Finished, detected: Detected, unseen: str) -> list[Candidate]:
        """What the session's signals may become, judged; where nobody saw its deeds, all of it is foreign."""
        own = self.trust()

        def sources(asked: Sequence[Signal]) -> list[str]:
            return [source or unseen for source in detected.sources(asked, own)]

        return pipeline.judged(self.store, finished, self.places, sources, strict=self.is_strict())

    def _reword(self, found: list[Candidate]) -> str:
        """Let a language model find better words, where one is configured; one call, outside of any transaction."""
        chosen = self.writer or choose(self.memory.settings).writer
        if chosen is None:
            return ""
        model = meter_writer(self.memory.store, self.memory.settings, chosen, "wording")
        return reword(model, self.memory.project.name, [each for each in found if each.alive])

    def settle_held(self) -> list[Kept]:
        """Release or drop what waits for its work to prove right."""
        return held_candidates.settle(self.store, self._proof)

    def take_back(self) -> list[Memory]:
        """Set aside what was learned from work that was undone since the last look at the history."""
        root = str(self.memory.project.root)
        head = git.head_commit(root)
        seen = self.store.noted("undone_seen")
        if not head or head == seen:
            return []
        taken = held_candidates.take_back(self.store, git.commits_between(root, seen, head))
        self.store.note("undone_seen", head)
        return taken

    def is_strict(self) -> bool:
        """Whether a person rejected so much of what was inferred that it takes more to be kept."""
        kept, rejected = self.store.memories.judged()
        return kept + rejected >= JUDGED_FROM and rejected / (kept + rejected) > REJECTED_ABOVE

    @property
    def threshold_factor(self) -> float:
        """What the thresholds are multiplied with here."""
        return pipeline.REJECTED_TIGHTENS if self.is_strict() else 1.0

    def trust(self) -> Trust:
        """What tells foreign words from own ones here."""
        sources = frozenset(self.memory.settings.words("trusted_sources"))
        knows = self.memory.map.knows
        return Trust(sources, str(self.memory.project.root), lambda name: ordinary(name) or knows(name))

    def _session(self, pad: Scratchpad, account: Account, judged: Judged, *, part: bool) -> Session:
        start = pad.start
        began = start.at if start else pad.last_at
        task = secrets.redact(clean(prompt.whole(account.task)))[0]
        return Session(
            id=(start.session if start else "") or "unknown",
            agent=start.agent if start else "",
            started_at=moment_of(began),
            last_event_at=moment_of(pad.last_at),
            ended_at="" if part else moment_of(pad.last_at),
            type=judged.type,
            phase=judged.phase,
            outcome=judged.outcome,
            evidence=secrets.redact(clean(judged.evidence))[0],
            task=one_line(task, TASK_CHARS_MAX),
            branch=start.branch if start else "",
            commit=start.commit if start else "",
            work_unit=start.work_unit if start else None,
        )

    def _observed(self, account: Account, session: Session, signals: list[Signal]) -> Observed:
        """What goes into the statistics, whatever the outcome."""
        pairs = [signal for signal in signals if signal.name is SignalName.CO_ACCESS]
        errors = [signal for signal in signals if signal.name is SignalName.ERROR_RETRY]
        other = [s for s in signals if s.name not in (SignalName.CO_ACCESS, SignalName.FILE_ACCESS)][:SIGHTINGS_MAX]
        return Observed(
            session=session.id,
            at=session.last_event_at,
            files=tuple(
                (path, 1 + (path in account.edited) + any(deed.kind == "write" for deed in deeds))
                for path, deeds in account.touched.items()
            ),
            modules=tuple(self._modules(account)),
            pairs=tuple((*sorted(signal.files), bool(signal.facts["edited"])) for signal in pairs),  # type: ignore[misc]
            sightings=tuple(Sighting(signal.name, sighting_key(signal), _figures(signal)) for signal in other),
            errors=tuple(
                ErrorSeen(
                    str(signal.facts["fingerprint"]),
                    "shell",
                    _safe(signal.facts["error"]),
                    _safe(signal.facts["fix"]),
                    int(str(signal.facts["retries"])),
                )
                for signal in errors
            ),
        )

    def _modules(self, account: Account) -> list[str]:
        """The modules that the session changed, or read if it changed nothing."""
        paths = list(account.edited) or list(account.touched)
        return [module for module in dict.fromkeys(map(self.places.module_of, paths)) if module]

    def _before(self, account: Account, session: Session, before: Before) -> Before:
        """Add to what the caller knows: what was known before, and what the session was shown of it."""
        touched = list(account.touched)
        known = observations.sessions_with(self.database, touched)
        own = dict(observations.files_of(self.database, [session.id])[session.id])
        dead_ends = self.store.memories.find(Filter(types=(MemoryType.DEAD_END,)), limit=-1)
        return replace(
            before,
            files=frozenset(path for path, (count, _) in known.items() if count - (path in own) > 0),
            errors=frozenset(observations.solved_errors(self.database, session.id)),
            dead_end_files=frozenset(path for memory in dead_ends for path in memory.files),
            shown=tuple(self._shown(session.id)),
            corrected=feedback_counts.corrected_in(self.database, session.id),
            trust_level=self.memory.trust.level,
            flagged=feedback_counts.flagged_in(self.database, session.id),
            search_tokens=observations.mean_search_tokens(self.database, session.started_at),
            modules=self._modules_of(touched),
            store=self._store_figures(),
        )

    def _modules_of(self, paths: Sequence[str]) -> tuple[str, ...] | None:
        """The modules of these files; None where there is no map to know them from."""
        if not self.memory.map.is_ready:
            return None
        return tuple(sorted({module for module in map(self.memory.map.module_of, paths) if module}))

    def _store_figures(self) -> StoreFigures:
        memories = self.store.memories
        mean = memories.mean_confidence()
        modules = {part.name for part in self.memory.map.overview().modules}
        covered = len(modules & memories.modules()) / len(modules) if modules else None
        return StoreFigures(
            memories.count(Filter()),
            None if mean is None else round(mean, 3),
            None if covered is None else round(covered, 3),
        )

    def _shown(self, session: str) -> list[Shown]:
        found = []
        for memory_id, point, at in session_ledger.shown_in(self.database, session):
            if self.store.memories.has(memory_id):
                memory = self.store.memories.get(memory_id)
                command = getattr(memory.details, "command", "")
                fingerprint = getattr(memory.details, "fingerprint", "")
                tokens = estimate(memory.summary)
                at_s = moment(at).timestamp()
                found.append(Shown(memory_id, point, at_s, tokens, memory.files, command, fingerprint))
        return found

    def _keep_work(self, account: Account, judged: Judged, session: Session, *, part: bool) -> None:
        """Where the work stands; the branch's earlier state gives way to it, or is done."""
        if part:
            return
        old = self.store.memories.by_origin(work_state.state_origin(session.branch))
        draft = work_state.work_state(account, judged, session)
        if draft is not None:
            self._put(draft, old)
        elif old is not None and judged.outcome is Outcome.SUCCESS and set(old.files) <= set(account.edited):
            done = {"deleted_at": stamp(self.memory.clock.now()), "deleted_reason": f"done in {session.id}"}
            self.store.memories.change(old, "done", **done)
        for outcome in work_state.unit_outcomes(account, judged, session):
            self._put(outcome, self.store.memories.by_origin(outcome.origin))

    def _put(self, draft: Draft, old: Memory | None) -> None:
        admitted = admit_watched(draft, str(self.memory.project.root))
        if admitted is None:
            return
        if old is None:
            self.store.memories.add(admitted)
        elif old.content != admitted.draft.content or old.details != admitted.draft.details:
            self.store.memories.supersede(old, admitted, "replaced", "a later session went on with it")

    def _commit(self, account: Account) -> str:
        return next((sha for deed in reversed(account.commits) if (sha := sha_of(deed))), "")

    def _branch_only(self, session: Session) -> str:
        """The branch that what was learned stays on until it is merged."""
        if self.memory.settings.text("branch_scope") == "everywhere" or not session.branch:
            return ""
        return branches.unmerged(self.database, str(self.memory.project.root), session.branch)

    def _proof(self, session: str) -> Proof:
        """What became of a session's change: committed, tested by a later session, or undone."""
        found = session_ledger.get(self.database, session)
        if not found:
            return held_candidates.Proof()
        root, ended = str(self.memory.project.root), found[0].last_event_at
        changed = [path for path, weight in observations.files_of(self.database, [session])[session] if weight > 1]
        if not changed:
            return held_candidates.Proof()
        later = observations.proved_later(self.database, session, ended, changed)
        commits = git.commits_since(root, ended, changed)
        undone = [sha for sha, message in commits if message.startswith("Revert ")]
        if undone:
            return held_candidates.Proof(undone=f"commit {undone[0][:10]}")
        if commits:
            return held_candidates.Proof(proved=f"commit {commits[0][0][:10]}")
        return held_candidates.Proof(proved=f"session {later}") if later else held_candidates.Proof()


def _validated(judged: Judged) -> Judged:
    """A part of the work whose caller says that it is right."""
    return replace(judged, outcome=Outcome.SUCCESS, evidence=f"{judged.evidence}; a subtask was validated")


def moment_of(seconds: float) -> str:
    """A time of an event as the store writes it; clocks that jump out of range are brought back into it."""
    return stamp(datetime.fromtimestamp(min(max(seconds, 0.0), 4e9), UTC))


def _figures(signal: Signal) -> Mapping[str, object]:
    """A signal's facts, where no words of somebody else are among them."""
    return {} if signal.quotes else signal.facts


def _safe(text: object) -> str:
    return one_line(secrets.redact(clean(str(text)))[0], TEXT_CHARS_MAX)
