import json
import random
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

import holloway
from tests.conftest import make_repository
from tests.faults.figures import NIGHTLY, record
from tests.faults.writer import EDITION, MODEL, digest, embed, vectors_of

WRITER = Path(__file__).with_name("writer.py")
KILLS = 1_000 if NIGHTLY else 50
KILLS_PER_STORE = 50
"""A store grows through so many kills; then the next one begins with nothing, so that first openings die too."""
OPENING_S = 0.25
WORDS_MAX = 12
"""A writer is heard to say up to so many words before it dies, so that a slow machine writes as much as a fast one."""
WRITING_S = 0.05


@dataclass(frozen=True)
class Kept:
    """What was acknowledged of one memory."""

    content: str
    gone: bool = False
    replaced_by: str = ""


@dataclass
class Ledger:
    """Every memory that the writers acknowledged, and the one change that was under way when the last one died."""

    kept: dict[str, Kept] = field(default_factory=dict)
    pending: dict[str, str] | None = None
    acknowledged: int = 0

    def hear(self, line: bytes) -> None:
        said = json.loads(line)
        if said["said"] == "doing":
            self.pending = said
        elif said["said"] == "done":
            assert self.pending is not None
            self._apply(self.pending, said["id"])
            self.pending = None
            self.acknowledged += 1

    def compare(self, found: dict[str, Kept]) -> None:
        """What is found is what was acknowledged, with the change under way done wholly or not at all."""
        if self.pending is not None and found != self.kept:
            made = found.keys() - self.kept.keys()
            assert len(made) <= 1
            self._apply(self.pending, made.pop() if made else self.pending.get("id", ""))
        self.pending = None
        lost = {name: kept for name, kept in self.kept.items() if found.get(name) != kept}
        assert lost == {}
        assert found == self.kept

    def _apply(self, doing: dict[str, str], result: str) -> None:
        change, old = doing["change"], doing.get("id", "")
        if change in ("teach", "edit"):
            self.kept[result] = Kept(doing["content"])
        elif change == "replace":
            self.kept[old] = replace(self.kept[old], replaced_by=result)
            self.kept[result] = Kept(doing["content"])
        elif change == "forget":
            self.kept[old] = replace(self.kept[old], gone=True)
        else:
            del self.kept[old]


def write_until_killed(project: Path, seed: int, ledger: Ledger) -> None:
    rng = random.Random(seed)
    command = [sys.executable, str(WRITER), str(project), str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stderr is not None
        moment_s = rng.uniform(0, OPENING_S)
        if rng.random() < 0.8:
            for _ in range(rng.randrange(1, WORDS_MAX)):
                ledger.hear(writer.stdout.readline())
            moment_s = rng.uniform(0, WRITING_S)
        with suppress(subprocess.TimeoutExpired):
            writer.wait(moment_s)
        assert writer.poll() is None, writer.stderr.read()
        writer.kill()
        for line in writer.stdout:
            ledger.hear(line)
        assert writer.stderr.read() == b""


def examine(project: Path, ledger: Ledger) -> None:
    with holloway.open(project) as memory:
        found = {
            kept.id: Kept(kept.content, bool(kept.deleted_at), kept.superseded_by)
            for kept in memory.chosen(everything=True)
        }
        ledger.compare(found)
        assert memory.store.database.check_integrity() == []
        wrong = [kept.id for kept, vector in embedded(memory) if vector != digest(kept)]
        assert wrong == []


def embedded(memory: holloway.Holloway) -> list[tuple[holloway.Memory, bytes]]:
    """The memories that have a vector of today's text, each with it."""
    sql = (
        "SELECT m.seq, v.vector FROM memory_vectors v JOIN memories m USING (seq) WHERE model = ? "
        "AND revision = ? || ' ' || m.updated_at AND m.deleted_at = '' AND m.superseded_by = ''"
    )
    vectors = {row["seq"]: row["vector"] for row in memory.store.database.fetch_rows(sql, (MODEL, EDITION))}
    return [(kept, vectors[seq]) for seq, kept in memory.store.memories.get_by_seqs(list(vectors)).items()]


def embed_the_rest(project: Path) -> int:
    """After the last kill every memory that lives gets its vector, and nothing else has one; returns how many."""
    with holloway.open(project) as memory:
        while vectors_of(memory).count_outdated(MODEL, EDITION):
            embed(memory)
        assert {kept.id for kept, _ in embedded(memory)} == {kept.id for kept in memory.memories(limit=-1)}
        return len(embedded(memory))


@pytest.mark.promise("not-lost")
@pytest.mark.parametrize("store", range(KILLS // KILLS_PER_STORE))
def test_what_was_acknowledged_survives_every_kill(tmp_path: Path, store: int) -> None:
    project = make_repository(tmp_path / "shop").root
    ledger = Ledger()
    for kill in range(KILLS_PER_STORE):
        write_until_killed(project, store * KILLS_PER_STORE + kill, ledger)
        examine(project, ledger)
    figures = {"acknowledged": ledger.acknowledged, "kept": len(ledger.kept), "vectors": embed_the_rest(project)}
    record("kill", kills=KILLS_PER_STORE, **figures, lost=0, unsound=0)
    assert ledger.acknowledged > KILLS_PER_STORE
