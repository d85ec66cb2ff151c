"""A question that was asked before is not sent again."""

import pytest

import holloway
from holloway.embeddings.memory_texts import MemoryTexts
from holloway.embeddings.provider_choice import EmbedderChoice
from holloway.embeddings.query_vectors import embed_query
from holloway.store.embedding_cache import CACHE_DAYS, EmbeddingCache
from holloway.store.vectors import VectorStore
from holloway.testing import FakeClock, FakeEmbedder
from tests.conftest import Repository
from tests.store.test_memories import taught


def test_a_question_is_embedded_once_for_each_model_and_only_for_some_weeks(
    memory: holloway.Holloway, clock: FakeClock
) -> None:
    cache, embedder = EmbeddingCache(memory.store.database, clock), FakeEmbedder()
    first = embed_query("why does it hang", embedder, cache)
    assert (embed_query("why does it hang", embedder, cache) == first).all()
    assert embedder.asked == ["why does it hang"]
    embed_query("why does it hang", other := FakeEmbedder(model="other"), cache)
    embed_query("why \ud800", embedder, cache)
    assert (other.asked, embedder.asked[1:]) == (["why does it hang"], ["why \ud800"])
    clock.advance(days=CACHE_DAYS, seconds=1)
    embed_query("why does it hang", embedder, cache)
    assert len(embedder.asked) == 3


def test_without_a_cache_every_question_is_embedded() -> None:
    embedder = FakeEmbedder()
    assert (embed_query("one", embedder) == embed_query("one", embedder)).all()
    assert embedder.asked == ["one", "one"]


def test_a_server_is_not_asked_again_and_the_words_are_not_kept(
    repository: Repository, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLLOWAY_EMBEDDING_PROVIDER", "ollama")
    embedder = FakeEmbedder()
    with holloway.open(repository.root, clock=clock) as memory:
        taught(memory, "tokens live an hour")
        memory.search.__dict__["choice"] = EmbedderChoice(embedder)
        for _ in range(2):
            memory.recall("how long do zeppelins live")
    assert embedder.asked == ["how long do zeppelins live"]
    kept = [path.read_bytes() for path in memory.project.folder.iterdir() if path.is_file()]
    assert any(b"tokens live an hour" in content for content in kept)
    assert not any(b"zeppelins" in content for content in kept)


def test_what_was_asked_goes_with_a_memory_that_is_forgotten(memory: holloway.Holloway, clock: FakeClock) -> None:
    made = taught(memory, "tokens live an hour")
    cache, embedder = EmbeddingCache(memory.store.database, clock), FakeEmbedder()
    embed_query("tokens", embedder, cache)
    memory.forget([made], hard=True)
    embed_query("tokens", embedder, cache)
    assert embedder.asked == ["tokens", "tokens"]


def test_a_memory_that_changed_in_the_millisecond_it_was_read_in_keeps_no_vector_of_the_old_text(
    memory: holloway.Holloway, clock: FakeClock
) -> None:
    made = taught(memory, "one")
    vectors, embedder = VectorStore(memory.store.database, memory.store.memories, clock), FakeEmbedder()
    texts = MemoryTexts(vectors, "fake")
    read = texts.list_missing(10, 0)
    memory.store.memories.update_memory(made, "edited", content="another")
    texts.save_vectors([(one, embedder.embed([one.text])[0].tobytes()) for one in read])
    assert [one.owner for one in texts.list_missing(10, 0)] == [made.id]
