"""Where candidates come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.domain.memory import Draft, MemoryType
from holloway.embeddings.backfill import catch_up
from holloway.embeddings.memory_texts import MemoryTexts
from holloway.embeddings.nearest_neighbors import Nearest
from holloway.retrieval import candidates
from holloway.retrieval.candidates import Meaning, by_meaning, collected
from holloway.retrieval.query_intent import understand
from holloway.store.filter import Filter
from holloway.store.vectors import Vectors
from holloway.store.write_gate import admit
from holloway.testing import FakeEmbedder

if TYPE_CHECKING:
    import pytest

    import holloway

ASKED = "zeppelins land at night"
ANY = -1.0
"""The cosine of what could not be less related."""


def learned(memory: holloway.Holloway, *texts: str, kind: MemoryType = MemoryType.GOTCHA) -> None:
    for text in texts:
        memory.store.memories.add(admit(Draft(content=text, type=kind)))


def meaning(memory: holloway.Holloway, related_from: float) -> Meaning:
    """What is asked, among vectors of all that was learned."""
    embedder = FakeEmbedder()
    vectors = Vectors(memory.store.database, memory.store.memories, memory.clock)
    catch_up(embedder, MemoryTexts(vectors, embedder.model))
    nearest = Nearest(vectors, memory.project.folder, embedder.model)
    return Meaning(embedder.embed([ASKED], is_query=True)[0], nearest, related_from)


def test_what_a_filter_drops_makes_room_for_what_lies_further_away(
    memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "DENSE_MAX", 4)
    learned(memory, *(f"{ASKED} {number}" for number in range(30)))
    learned(memory, "money is cents", "dates are utc", kind=MemoryType.DECISION)
    found = by_meaning(memory.store, meaning(memory, ANY), Filter(types=(MemoryType.DECISION,)))
    contents = {one.content for one in memory.store.memories.many(list(found)).values()}
    assert contents == {"money is cents", "dates are utc"}


def test_a_cosine_that_is_no_evidence_names_nothing(memory: holloway.Holloway) -> None:
    learned(memory, ASKED, "money is cents")
    near, far = by_meaning(memory.store, meaning(memory, ANY), Filter()).values()
    assert len(by_meaning(memory.store, meaning(memory, (near + far) / 2), Filter())) == 1


def test_a_way_that_finds_nothing_is_left_out(memory: holloway.Holloway) -> None:
    learned(memory, "money is cents")
    by_words = collected(memory.store, understand("money"), Filter(), None, {"none.py": 1.0})
    assert list(by_words) == ["text"]
    assert list(collected(memory.store, understand(ASKED), Filter(), meaning(memory, ANY), {})) == ["dense"]
