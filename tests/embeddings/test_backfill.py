from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import holloway
from holloway.config import EMBED_BATCH_TEXTS, PASSAGE_CHARS_MAX, PASSAGE_FILES_MAX
from holloway.embeddings import backfill
from holloway.embeddings.backfill import PROBE_TEXT, MemoryTexts, Pending, backfill_vectors, embed_query
from holloway.embeddings.provider_choice import EmbedderChoice
from holloway.errors import EmbedderUnavailable, TextNotEmbeddable
from holloway.store.vectors import CACHE_DAYS, EmbeddingCache, VectorStore
from holloway.testing import FakeClock, FakeEmbedder
from tests.conftest import Repository
from tests.store.test_memories import taught


class Texts:
    """Texts in a list."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = dict(enumerate(texts, start=1))
        self.kept: dict[int, bytes] = {}
        self.commits: list[int] = []

    def list_missing(self, limit: int, after: int) -> list[Pending]:
        waiting = [Pending(key, text) for key, text in self.texts.items() if key > after and key not in self.kept]
        return waiting[:limit]

    def save_vectors(self, rows: Sequence[tuple[Pending, bytes]]) -> None:
        self.kept |= {pending.key: vector for pending, vector in rows}
        self.commits.append(len(rows))


class Picky(FakeEmbedder):
    """Refuses every batch that has a bad text in it, and breaks down after so many calls."""

    def __init__(self, calls: int = 10_000, refuses: str = "bad") -> None:
        super().__init__()
        self.calls = calls
        self.refuses = refuses

    def embed(self, texts: Sequence[str], *, is_query: bool = False) -> NDArray[np.float32]:
        self.calls -= 1
        if self.calls < 0:
            raise EmbedderUnavailable("It is gone.")
        if any(text.startswith(self.refuses) for text in texts):
            raise TextNotEmbeddable("No.")
        return super().embed(texts, is_query=is_query)


def test_everything_missing_is_embedded_in_small_commits() -> None:
    source, embedder = Texts([f"text {number}" for number in range(70)]), FakeEmbedder()
    run = backfill_vectors(embedder, source)
    assert (run.embedded, run.skipped, run.is_complete) == (70, 0, True)
    assert source.commits == [EMBED_BATCH_TEXTS, EMBED_BATCH_TEXTS, 70 - 2 * EMBED_BATCH_TEXTS]
    assert source.kept[7] == embedder.embed(["text 6"])[0].astype("<f4").tobytes()


def test_one_text_that_is_refused_does_not_hold_up_the_others() -> None:
    bad = {3, 40, 41}
    source = Texts([f"{'bad' if number in bad else 'good'} {number}" for number in range(70)])
    run = backfill_vectors(Picky(), source)
    assert (run.embedded, run.skipped, run.is_complete) == (67, 3, True)
    assert {key - 1 for key in source.texts if key not in source.kept} == bad


def test_a_whole_batch_of_refused_texts_does_not_hold_up_what_comes_after_it() -> None:
    source = Texts([*["bad"] * (2 * EMBED_BATCH_TEXTS), "good"])
    run = backfill_vectors(Picky(), source)
    assert (run.embedded, run.skipped) == (1, 2 * EMBED_BATCH_TEXTS)


def test_a_provider_that_refuses_everything_ends_the_run_after_a_few_questions() -> None:
    source, embedder = Texts([f"text {number}" for number in range(500)]), Picky(refuses="")
    run = backfill_vectors(embedder, source)
    assert isinstance(run.failure, TextNotEmbeddable)
    assert (run.embedded, run.skipped, run.is_complete) == (0, 0, False)
    assert 10_000 - embedder.calls < 10


def test_a_provider_that_goes_away_ends_the_run_and_the_next_one_goes_on() -> None:
    source = Texts([f"text {number}" for number in range(100)])
    run = backfill_vectors(Picky(calls=2), source)
    assert isinstance(run.failure, EmbedderUnavailable)
    assert run.embedded == len(source.kept) == 2 * EMBED_BATCH_TEXTS
    embedder = FakeEmbedder()
    assert backfill_vectors(embedder, source).embedded == 100 - 2 * EMBED_BATCH_TEXTS
    assert len(embedder.asked) == 100 - 2 * EMBED_BATCH_TEXTS


def test_what_was_embedded_before_a_provider_went_away_within_a_batch_is_kept() -> None:
    source = Texts(["good", "bad"])
    run = backfill_vectors(Picky(calls=2), source)
    assert isinstance(run.failure, EmbedderUnavailable)
    assert list(source.kept) == [1]


def test_a_run_ends_at_its_deadline() -> None:
    source = Texts([f"text {number}" for number in range(100)])
    ticks = iter(range(100))
    run = backfill_vectors(FakeEmbedder(), source, deadline_s=2, monotonic=lambda: float(next(ticks)))
    assert run.out_of_time
    assert not run.is_complete
    assert run.embedded == EMBED_BATCH_TEXTS


def test_a_kill_between_two_batches_costs_nothing_that_was_committed() -> None:
    source = Texts([f"text {number}" for number in range(70)])
    ticks = [0.0, 0.0]

    def read_clock() -> float:
        if not ticks:
            raise KeyboardInterrupt
        return ticks.pop()

    with pytest.raises(KeyboardInterrupt):
        backfill_vectors(FakeEmbedder(), source, deadline_s=9, monotonic=read_clock)
    assert len(source.kept) == EMBED_BATCH_TEXTS
    assert backfill_vectors(FakeEmbedder(), source).embedded == 70 - EMBED_BATCH_TEXTS


def test_the_probe_tells_apart_a_bad_text_and_a_bad_provider() -> None:
    assert PROBE_TEXT in asked_by(["bad"])
    assert PROBE_TEXT not in asked_by(["good"])


def asked_by(texts: list[str]) -> list[str]:
    embedder = Picky()
    backfill_vectors(embedder, Texts(texts))
    return embedder.asked


@pytest.fixture
def vectors(memory: holloway.Holloway) -> VectorStore:
    return VectorStore(memory.store.database, memory.store.memories, memory.store.clock)


def test_memories_are_embedded_with_where_they_belong(memory: holloway.Holloway, vectors: VectorStore) -> None:
    made = taught(memory, "tokens expire early", files=["src/shop/auth/tokens.py"], modules=["auth"])
    embedder = FakeEmbedder()
    source = MemoryTexts(vectors, embedder.model)
    assert source.count_missing() == 1
    assert backfill_vectors(embedder, source).embedded == 1
    assert source.count_missing() == 0
    assert embedder.asked == [backfill.build_passage(made)]
    stored = np.frombuffer(next(blob for _, blob in vectors.stream_vectors("fake", embedder.dims)), dtype="<f4")
    assert stored == pytest.approx(embedder.embed([backfill.build_passage(made)])[0])


def test_a_change_in_what_is_not_embedded_asks_the_model_for_nothing(
    memory: holloway.Holloway, vectors: VectorStore, clock: FakeClock
) -> None:
    made = [taught(memory, f"number {number}") for number in range(40)]
    embedder = FakeEmbedder()
    source = MemoryTexts(vectors, embedder.model)
    backfill_vectors(embedder, source)
    embedder.asked.clear()
    clock.advance(seconds=1)
    for each in made:
        memory.pin(each.id)
    assert source.count_missing() == 40
    assert backfill_vectors(embedder, source).embedded == 0
    assert (source.count_missing(), embedder.asked) == (0, [])
    clock.advance(seconds=1)
    memory.edit(made[39].id, files=["src/shop/auth/tokens.py"])
    assert backfill_vectors(embedder, source).embedded == 1
    assert "tokens.py" in embedder.asked[0]


def test_another_model_embeds_all_again_and_the_old_vectors_stay_until_dropped(
    memory: holloway.Holloway, vectors: VectorStore
) -> None:
    taught(memory, "one")
    backfill_vectors(FakeEmbedder(), MemoryTexts(vectors, "fake"))
    backfill_vectors(FakeEmbedder(dims=16, model="small"), MemoryTexts(vectors, "small"))
    assert vectors.count_by_model() == {"fake": 1, "small": 1}


def test_once_all_are_embedded_a_question_does_not_look_through_the_memories_again(
    memory: holloway.Holloway, vectors: VectorStore, clock: FakeClock
) -> None:
    made = taught(memory, "one")
    source = MemoryTexts(vectors, "fake")
    backfill_vectors(FakeEmbedder(), source)
    assert vectors.is_settled("fake", backfill.EDITION)
    seen: list[str] = []
    memory.store.database.connection.set_trace_callback(seen.append)
    assert (list(source.list_missing(9, 0)), source.count_missing()) == ([], 0)
    memory.store.database.connection.set_trace_callback(None)
    assert seen
    assert not any("memories" in statement for statement in seen)
    clock.advance(seconds=1)
    memory.edit(made.id, files=["src/shop/auth/tokens.py"])
    assert source.count_missing() == 1


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


def test_a_memory_is_read_as_its_type_its_place_and_its_words(memory: holloway.Holloway) -> None:
    made = replace(taught(memory, "tokens\n   expire  early", type="gotcha"), files=("a.py", "b.py"), modules=("auth",))
    assert backfill.build_passage(made) == "gotcha (auth; a.py, b.py): tokens expire early"
    assert backfill.build_passage(taught(memory, "money is cents", type="decision")) == "decision: money is cents"


def test_many_files_do_not_drown_the_words(memory: holloway.Holloway) -> None:
    made = replace(taught(memory, "the point"), files=tuple(f"file{number}.py" for number in range(30)))
    text = backfill.build_passage(made)
    assert text.count("file") == PASSAGE_FILES_MAX
    assert text.endswith("the point")


@given(st.text(alphabet=st.characters(codec=None)))
def test_any_text_becomes_one_bounded_line_that_can_be_sent(text: str) -> None:
    made = backfill.collapse_whitespace(text * 50)
    assert len(made) <= PASSAGE_CHARS_MAX
    assert made == " ".join(made.split())
    assert made.encode().decode() == made


def test_the_hash_is_of_the_words() -> None:
    assert backfill.hash_passage("one") == backfill.hash_passage("one") != backfill.hash_passage("two")


def test_huge_texts_are_cut_before_they_are_looked_at() -> None:
    assert backfill.collapse_whitespace(" " * 10_000_000 + "late") == ""
    assert len(backfill.collapse_whitespace("word " * 1_000_000)) <= PASSAGE_CHARS_MAX
