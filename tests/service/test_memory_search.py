"""Asking a memory: by words, by meaning, by place; and what is left when a part is missing."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

import holloway
from holloway.embeddings.builtin_model import BuiltinEmbedder
from holloway.embeddings.provider_choice import EmbedderChoice
from holloway.errors import EmbeddingFailed
from holloway.retrieval.rank import Fusion
from holloway.service import memory_search
from holloway.store.vectors import VectorStore as StoredVectors
from holloway.testing import FakeClock, FakeEmbedder
from tests.conftest import Repository
from tests.store.test_memories import taught

if TYPE_CHECKING:
    from holloway.domain.ports import Vectors

TOKENS = "src/shop/auth/tokens.py"


class Broken(FakeEmbedder):
    """A provider that is down."""

    def embed(self, texts: Sequence[str], *, is_query: bool = False) -> "Vectors":
        raise EmbeddingFailed("the server is down", "")


def use(memory: holloway.Holloway, embedder: FakeEmbedder | None, reason: str = "") -> None:
    memory.search.__dict__["choice"] = EmbedderChoice(embedder, reason)


def contents(memory: holloway.Holloway, query: str, **options: object) -> list[str]:
    return [result.memory.content for result in memory.recall(query, **options)]  # type: ignore[arg-type]


@pytest.mark.promise("hybrid-search")
def test_a_question_in_other_words_finds_the_memory_by_its_meaning(memory: holloway.Holloway) -> None:
    taught(memory, "The refresh endpoint invalidates the old token at once")
    taught(memory, "Invoices are rounded half up")
    (first, *_) = memory.recall("expired login credentials")
    assert first.memory.content.startswith("The refresh endpoint")
    assert "text" not in first.stages
    assert first.stages["dense"] >= BuiltinEmbedder.related_from
    assert memory.search.degraded == {}


def test_what_has_nothing_to_do_with_a_question_is_no_answer_to_it(memory: holloway.Holloway) -> None:
    taught(memory, "The refresh endpoint invalidates the old token at once")
    assert memory.recall("banana bread recipe") == []


def test_a_memory_is_found_by_meaning_right_after_it_was_taught_changed_or_forgotten(
    memory: holloway.Holloway, clock: FakeClock
) -> None:
    made = taught(memory, "The refresh endpoint invalidates the old token at once")
    assert contents(memory, "expired login credentials")
    clock.advance(days=1)
    memory.edit(made.id, content="Invoices are rounded half up")
    assert contents(memory, "expired login credentials") == []
    assert contents(memory, "rounding of bills")
    memory.forget([memory.get(made.id)])
    assert contents(memory, "rounding of bills") == []


@pytest.mark.promise("stages-say-so")
@pytest.mark.parametrize("broken", [Broken(), None])
def test_without_vectors_a_question_is_answered_by_words_and_that_is_said(
    memory: holloway.Holloway, broken: FakeEmbedder | None
) -> None:
    taught(memory, "tokens live an hour")
    use(memory, broken, "nothing embeds here")
    assert contents(memory, "tokens") == ["tokens live an hour"]
    said = " ".join(memory.search.degraded.values())
    assert ("the server is down" if broken else "nothing embeds here") in said


def test_a_question_does_not_wait_long_for_many_memories_without_vectors(
    memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_search, "CATCH_UP_S", 0.0)
    taught(memory, "tokens live an hour")
    use(memory, FakeEmbedder())
    assert contents(memory, "tokens") == ["tokens live an hour"]
    assert "1 have no vector yet" in memory.search.degraded["new memories by meaning"]


@pytest.mark.promise("models-are-not-mixed")
def test_a_change_of_model_embeds_anew_and_never_mixes(memory: holloway.Holloway) -> None:
    taught(memory, "tokens live an hour")
    use(memory, FakeEmbedder(model="one"))
    contents(memory, "tokens")
    other = FakeEmbedder(dims=32, model="two")
    use(memory, other)
    assert memory.search.to_embed() == 1
    assert contents(memory, "tokens") == ["tokens live an hour"]
    counts = StoredVectors(memory.store.database, memory.store.memories, memory.clock).count_by_model()
    assert counts == {"one": 1, "two": 1}


@pytest.mark.promise("hybrid-search")
def test_memories_on_a_file_in_play_and_near_it_come_forward(memory: holloway.Holloway) -> None:
    memory.map.update()
    use(memory, None)
    taught(memory, "expiry is checked twice", files=[TOKENS])
    taught(memory, "expiry of invoices is a date", files=["src/shop/billing/invoice.py"])
    assert contents(memory, "expiry", files=["src/shop/billing/invoice.py"])[0] == "expiry of invoices is a date"
    near = memory.recall("expiry", files=[TOKENS])
    assert near[0].memory.content == "expiry is checked twice"
    assert near[0].stages["graph"] == 1.0


def test_a_phase_prefers_the_types_that_it_needs(memory: holloway.Holloway) -> None:
    use(memory, None)
    taught(memory, "redis is needed by the tests", type="gotcha")
    taught(memory, "redis is needed for the tests", type="workflow_recipe", details={})
    assert memory.recall("redis tests", phase="implement")[0].memory.type == "gotcha"
    assert memory.recall("redis tests", phase="define")[0].memory.type == "workflow_recipe"


@pytest.mark.promise("stale-code")
def test_what_was_rewritten_since_it_was_learned_is_trusted_less(
    memory: holloway.Holloway, repository: Repository
) -> None:
    memory.map.update()
    use(memory, None)
    made = taught(memory, "refresh burns the token", files=[TOKENS])
    root = memory.project.root
    (root / TOKENS).write_text("def entirely():\n    return 'other'\n" * 20)
    repository.git("commit", "-qam", "rewrite")
    memory.map.update()
    (found,) = memory.recall("refresh token")
    assert found.memory.id == made.id
    assert found.stages["staleness"] < 0.8


def test_a_question_is_answered_while_the_map_is_being_written(
    memory: holloway.Holloway, repository: Repository
) -> None:
    memory.map.update()
    use(memory, None)
    taught(memory, "refresh burns the token", files=[TOKENS])
    repository.commit(TOKENS, "def entirely():\n    return 'other'\n" * 20)
    writer = sqlite3.connect(memory.map.path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    (found,) = memory.recall("refresh token")
    writer.close()
    assert found.stages["staleness"] < 0.8
    assert memory.recall("refresh token")[0].stages["staleness"] == found.stages["staleness"]


def test_both_ways_of_fusing_are_there() -> None:
    assert set(Fusion) == {"scores", "ranks"}


def test_memories_get_their_vectors_in_the_background_by_one_process_at_a_time(memory: holloway.Holloway) -> None:
    taught(memory, "tokens live an hour")
    use(memory, FakeEmbedder())
    with FileLock(str(memory.project.folder / "vectors.lock")):
        assert memory.search.embed_waiting() == 0
    assert memory.search.embed_waiting() == 1
    assert memory.search.to_embed() == 0
    use(memory, None)
    assert memory.search.embed_waiting() == 0


def test_what_holds_in_every_project_gets_its_vectors_in_the_background_too(memory: holloway.Holloway) -> None:
    taught(memory, "tokens live an hour")
    memory.remember("answers are short", user=True)
    use(memory, FakeEmbedder())
    assert memory.search.to_embed() == 2
    assert memory.search.embed_waiting() == 2
    assert memory.search.to_embed() == 0


def test_a_closer_look_that_cannot_be_taken_is_told_with_every_question(
    memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLLOWAY_RERANK_PROVIDER", "onnx")
    use(memory, None)
    taught(memory, "tokens live an hour")
    for _ in range(2):
        assert contents(memory, "tokens") == ["tokens live an hour"]
        assert "rerank.folder" in memory.search.degraded["reranking"]


def test_a_project_without_git_is_searched_without_its_history(tmp_path: Path, clock: FakeClock) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/a.py").write_text("x = 1\n")
    with holloway.open(tmp_path / "plain", clock=clock) as plain:
        use(plain, None)
        stored = taught(plain, "refresh burns the token", files=["a.py"])
        plain.store.memories.update_memory(stored, "edited", "", commit="c0ffee")
        (result,) = plain.recall("refresh token")
        assert result.memory.id == stored.id
        assert plain.search._rewritten([result.memory]) == {}  # type: ignore[list-item]
