"""The store against a plain dictionary: whatever is done in whatever order, both hold the same."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

import holloway
from holloway.config import PRUNE_AFTER_HALF_LIVES
from holloway.domain import confidence
from holloway.domain.memory import Draft, MemoryType, Source
from holloway.domain.ports import parse_stamp
from holloway.store.filter import EVERYTHING, Filter
from holloway.store.search import search_memories
from holloway.store.text_traces import RUN_WORDS
from holloway.store.write_gate import sanitize_draft
from holloway.testing import CountedIds, FakeClock
from holloway.text.fingerprint import normalise_text

CONTENT = st.lists(
    st.sampled_from("auth token redis cache parseHTTP invoice gate zeppelin".split()), min_size=1, max_size=6
)
TYPES = st.sampled_from([MemoryType.GOTCHA, MemoryType.DECISION, MemoryType.PATTERN])


class StoreAgainstDictionary(RuleBasedStateMachine):
    known = Bundle("known")

    @initialize()
    def open(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name) / "project"
        self.root.mkdir()
        self.home = Path(self.folder.name) / "data"
        self.clock, self.ids = FakeClock(), CountedIds()
        self.alive: dict[str, tuple[str, MemoryType, bool]] = {}
        self.gone: dict[str, str] = {}
        self.replaced: dict[str, str] = {}
        self.rejected: set[str] = set()
        self.faded: set[str] = set()
        self.memory = holloway.open(self.root, home=self.home, clock=self.clock, ids=self.ids)

    def teardown(self) -> None:
        if hasattr(self, "memory"):
            self.memory.close()
            self.folder.cleanup()

    def says(self, content: str) -> str:
        return normalise_text(content)

    def twin(self, content: str) -> str | None:
        return next((i for i, (text, _, _) in self.alive.items() if self.says(text) == self.says(content)), None)

    @rule(target=known, content=CONTENT, kind=TYPES)
    def remember(self, content: list[str], kind: MemoryType) -> str:
        text = " ".join(content)
        done = self.memory.remember(text, type=kind)
        assert done.memory is not None
        self.rejected.discard(self.says(text))
        if twin := self.twin(text):
            assert (done.outcome, done.memory.id) == ("reinforced", twin)
            self.alive[twin] = (self.alive[twin][0], kind, self.alive[twin][2])
        else:
            assert done.outcome == "added"
            self.alive[done.memory.id] = (text, kind, False)
        return done.memory.id

    @rule(content=CONTENT)
    def infer(self, content: list[str]) -> None:
        text = " ".join(content)
        if self.says(text) in self.rejected:
            draft = Draft(content=text, source=Source.OBSERVER_INFERRED)
            assert self.memory.store.memories.add_memory(sanitize_draft(draft)).outcome == "refused"

    @rule(target=known, old=known, content=CONTENT)
    def replace(self, old: str, content: list[str]) -> str:
        if old not in self.alive:
            return old
        text = " ".join(content)
        new = self.memory.wrong(old, "outdated", instead=text)
        before, kind, pinned = self.alive.pop(old)
        self.rejected.add(self.says(before))
        self.rejected.discard(self.says(text))
        self.replaced[old] = before
        self.alive[new.id] = (text, kind, pinned)
        return new.id

    @rule(one=known)
    def forget(self, one: str) -> None:
        if one in self.alive:
            self.memory.forget([self.memory.get(one)])
            text = self.alive.pop(one)[0]
            self.gone[one] = text
            self.rejected.add(self.says(text))

    @rule(one=known)
    def restore(self, one: str) -> None:
        if one in self.gone:
            back = self.memory.restore(one)
            self.faded.discard(one)
            self.alive[one] = (self.gone.pop(one), back.type, back.pinned)
            self.rejected.discard(self.says(back.content))

    @rule(one=consumes(known))
    def forget_for_good(self, one: str) -> None:
        text = self.alive.get(one, ("",))[0] or self.gone.get(one, "") or self.replaced.get(one, "")
        if text:
            self.memory.forget([self.memory.get(one)], hard=True)
            for place in (self.alive, self.gone, self.replaced):
                place.pop(one, None)
            self.forget_copies(text)
            self.rejected.add(self.says(text))

    def forget_copies(self, text: str) -> None:
        """What was set aside or replaced goes too if it has the whole text, and that is more than a few words."""
        whole = f" {text} "
        for place in (self.gone, self.replaced):
            copies = [name for name, other in place.items() if whole in f" {other} " and len(text.split()) >= RUN_WORDS]
            for name in copies:
                del place[name]

    @rule(one=known)
    def pin(self, one: str) -> None:
        if one in self.alive:
            text, kind, pinned = self.alive[one]
            self.memory.pin(one, on=not pinned)
            self.alive[one] = (text, kind, not pinned)

    @rule(days=st.integers(1, 400))
    def prune(self, days: int) -> None:
        self.clock.advance(days=days)
        done = self.memory.prune()
        for one in done.faded:
            text, kind, pinned = self.alive.pop(one)
            half_life = confidence.HALF_LIFE_DAYS[kind]
            assert half_life is not None
            assert not pinned
            idle = self.clock.now() - parse_stamp(self.memory.get(one).last_used_at)
            assert idle.days >= half_life * PRUNE_AFTER_HALF_LIVES
            self.gone[one] = text
            self.faded.add(one)
        for one in done.removed:
            assert one not in self.faded
            del self.gone[one]

    @rule()
    def reopen(self) -> None:
        self.memory.close()
        self.memory = holloway.open(self.root, home=self.home, clock=self.clock, ids=self.ids)

    @invariant()
    def both_hold_the_same(self) -> None:
        if not hasattr(self, "memory"):
            return
        found = {each.id: (each.content, each.type, each.pinned) for each in self.memory.memories(limit=-1)}
        assert found == self.alive
        gone = self.memory.memories(Filter(deleted=True, superseded=True), limit=-1)
        assert {each.id: each.content for each in gone} == self.gone
        everything = {each.id for each in self.memory.memories(EVERYTHING, limit=-1)}
        assert everything == set(self.alive) | set(self.replaced)

    @invariant()
    def search_finds_what_lives_and_nothing_else(self) -> None:
        if not hasattr(self, "memory"):
            return
        for word in ("zeppelin", "redis"):
            rows = search_memories(self.memory.store.database, word, Filter(), 200)
            hits = {each.id for each in self.memory.store.memories.get_by_seqs([seq for seq, _ in rows]).values()}
            assert hits == {one for one, (text, _, _) in self.alive.items() if word in text.split()}
        assert self.memory.store.database.check_integrity() == []


NIGHTLY = bool(os.environ.get("HOLLOWAY_NIGHTLY"))
TestStoreAgainstDictionary = pytest.mark.promise("not-lost")(StoreAgainstDictionary.TestCase)
TestStoreAgainstDictionary.settings = settings(
    max_examples=1_000 if NIGHTLY else 60,
    stateful_step_count=50 if NIGHTLY else 25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
