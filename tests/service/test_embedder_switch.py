"""A switch of the embedder: checked before, with progress, and undone by stopping."""

import pytest

from holloway import config
from holloway.domain.memory import MemoryType
from holloway.embeddings.backfill import backfill_vectors
from holloway.errors import HollowayError, InvalidInput
from holloway.service import background_worker, embedder_switch, memory_search
from holloway.service.holloway import Holloway
from tests.store.test_memories import taught


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The starts of the worker, which is not started."""
    folders: list[str] = []
    monkeypatch.setattr(background_worker, "start", lambda folder, root: folders.append(folder))
    return folders


@pytest.fixture
def words_only(memory: Holloway) -> Holloway:
    """A memory of three, without an embedder."""
    for number in range(3):
        taught(memory, f"memory number {number}")
    config.change_setting("embedding.provider", "off", memory.project.key, str(memory.home))
    return memory


def provider(memory: Holloway) -> str:
    return memory.settings.reload().get_text("embedding.provider")


def test_a_switch_starts_the_worker_and_shows_how_far_it_is(words_only: Holloway, started: list[str]) -> None:
    before = embedder_switch.measure_embedding(words_only)
    assert (before.provider, before.model, before.total, before.previous) == ("off", "", 0, "")
    assert "off" in before.problem
    progress = embedder_switch.switch_embedder(words_only, "builtin")
    assert started == [str(words_only.project.folder)]
    assert (progress.provider, progress.total, progress.embedded, progress.waiting) == ("builtin", 3, 0, 3)
    assert (progress.previous, progress.running, progress.problem) == ("off", False, "")
    assert words_only.search.embed_waiting() == 3
    done = embedder_switch.measure_embedding(words_only)
    assert (done.embedded, done.waiting, done.previous) == (3, 0, "")
    assert done.to_json()["waiting"] == 0


def test_a_switch_that_is_stopped_goes_back_and_ends_the_run(words_only: Holloway, started: list[str]) -> None:
    progress = embedder_switch.switch_embedder(words_only, "builtin")
    stopped = embedder_switch.stop_switch(words_only)
    assert (stopped.provider, provider(words_only)) == ("off", "off")
    assert memory_search.is_stopped(words_only.project.folder, progress.model)
    assert words_only.search.choice.embedder is not None
    assert words_only.search.embed_waiting() == 0
    with pytest.raises(InvalidInput, match="No switch of the embedder is under way"):
        embedder_switch.stop_switch(words_only)
    embedder_switch.switch_embedder(words_only, "builtin")
    assert words_only.search.embed_waiting() == 3
    assert len(started) == 2


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("gold", {}, "embedding.provider cannot be 'gold'"),
        ("ollama", {"colour": "red"}, "'colour' is no setting"),
        ("ollama", {"dims": "many"}, "embedding.dims cannot be 'many'"),
        ("openai", {"key_env": "NO_SUCH_KEY"}, "NO_SUCH_KEY"),
        ("ollama", {"base_url": "http://127.0.0.1:9"}, "127.0.0.1:9"),
    ],
)
def test_a_choice_that_cannot_run_changes_nothing(
    words_only: Holloway, started: list[str], name: str, options: dict[str, str], says: str
) -> None:
    with pytest.raises(HollowayError, match=says):
        embedder_switch.switch_embedder(words_only, name, options)
    assert provider(words_only) == "off"
    assert words_only.settings.reload().get_text("embedding.base_url") == ""
    assert started == []
    assert embedder_switch.measure_embedding(words_only).previous == ""


def test_a_choice_that_the_environment_makes_is_left_alone(
    words_only: Holloway, started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLLOWAY_EMBEDDING_PROVIDER", "off")
    with pytest.raises(InvalidInput, match="HOLLOWAY_EMBEDDING_PROVIDER decides that"):
        embedder_switch.switch_embedder(words_only, "builtin")
    assert started == []


def test_turning_meaning_off_needs_no_check(memory: Holloway, started: list[str]) -> None:
    taught(memory, "x is y", type=MemoryType.GOTCHA)
    progress = embedder_switch.switch_embedder(memory, "off")
    assert (progress.provider, progress.model, len(started)) == ("off", "", 1)


def test_a_run_stops_before_its_next_batch() -> None:
    class Waiting:
        def list_missing(self, limit: int, after: int) -> list[object]:
            return [object()]

    result = backfill_vectors(None, Waiting(), should_stop=lambda: True)  # type: ignore[arg-type]
    assert (result.stopped, result.is_complete, result.embedded) == (True, False, 0)
