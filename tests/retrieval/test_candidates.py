"""Where candidates come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holloway.domain.memory import Draft, MemoryType
from holloway.embeddings.backfill import MemoryTexts, backfill_vectors
from holloway.embeddings.nearest_neighbors import VectorIndex
from holloway.retrieval import candidates
from holloway.retrieval.candidates import QueryKind, QueryVector, collect_candidates, parse_query, search_by_vector
from holloway.store.filter import Filter
from holloway.store.vectors import VectorStore
from holloway.store.write_gate import sanitize_draft
from holloway.testing import FakeEmbedder

if TYPE_CHECKING:
    import holloway

ASKED = "zeppelins land at night"
ANY = -1.0
"""The cosine of what could not be less related."""


def learned(memory: holloway.Holloway, *texts: str, kind: MemoryType = MemoryType.GOTCHA) -> None:
    for text in texts:
        memory.store.memories.add_memory(sanitize_draft(Draft(content=text, type=kind)))


def meaning(memory: holloway.Holloway, related_from: float) -> QueryVector:
    """What is asked, among vectors of all that was learned."""
    embedder = FakeEmbedder()
    vectors = VectorStore(memory.store.database, memory.store.memories, memory.clock)
    backfill_vectors(embedder, MemoryTexts(vectors, embedder.model))
    nearest = VectorIndex(vectors, memory.project.folder, embedder.model)
    return QueryVector(embedder.embed([ASKED], is_query=True)[0], nearest, related_from)


def test_what_a_filter_drops_makes_room_for_what_lies_further_away(
    memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "DENSE_MAX", 4)
    learned(memory, *(f"{ASKED} {number}" for number in range(30)))
    learned(memory, "money is cents", "dates are utc", kind=MemoryType.DECISION)
    found = search_by_vector(memory.store, meaning(memory, ANY), Filter(types=(MemoryType.DECISION,)))
    contents = {one.content for one in memory.store.memories.get_by_seqs(list(found)).values()}
    assert contents == {"money is cents", "dates are utc"}


def test_a_cosine_that_is_no_evidence_names_nothing(memory: holloway.Holloway) -> None:
    learned(memory, ASKED, "money is cents")
    near, far = search_by_vector(memory.store, meaning(memory, ANY), Filter()).values()
    assert len(search_by_vector(memory.store, meaning(memory, (near + far) / 2), Filter())) == 1


def test_a_way_that_finds_nothing_is_left_out(memory: holloway.Holloway) -> None:
    learned(memory, "money is cents")
    by_words = collect_candidates(memory.store, parse_query("money"), Filter(), None, {"none.py": 1.0})
    assert list(by_words) == ["text"]
    assert list(collect_candidates(memory.store, parse_query(ASKED), Filter(), meaning(memory, ANY), {})) == ["dense"]


@pytest.mark.parametrize(
    ("text", "files", "kind"),
    [
        ("why do the session tests hang", (), QueryKind.SEMANTIC),
        ("It breaks. Then what?", (), QueryKind.SEMANTIC),
        ("parseHTTPResponse timeouts", (), QueryKind.IDENTIFIER),
        ("parseHTTPResponse swallows timeouts", (), QueryKind.SEMANTIC),
        ("where is parse_header", (), QueryKind.IDENTIFIER),
        ("src/auth/tokens.py", (), QueryKind.IDENTIFIER),
        ("os.path.join on windows", (), QueryKind.IDENTIFIER),
        ("what breaks if I change this", ("a.py",), QueryKind.SEMANTIC),
        ("the of", (), QueryKind.SEMANTIC),
        ("", (), QueryKind.SEMANTIC),
    ],
)
def test_a_question_tells_what_it_is_after(text: str, files: tuple[str, ...], kind: QueryKind) -> None:
    assert parse_query(text, files=files).kind is kind


def test_a_question_is_bounded_and_on_one_line() -> None:
    assert len(parse_query("word\n " * 10_000).text) <= 4_096
    assert parse_query(" a \n\t b ").text == "a b"
