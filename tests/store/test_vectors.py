import json
from collections.abc import Callable
from pathlib import Path

import pytest

import holloway
from holloway.store import lifecycle, snapshot
from holloway.store.store import Store
from holloway.store.vectors import OutdatedVector, VectorRow, VectorStore, get_cache_path, purge_caches
from holloway.testing import FakeClock
from tests.store.test_memories import taught

MODEL, EDITION = "fake", "1"


@pytest.fixture
def vectors(memory: holloway.Holloway) -> VectorStore:
    return of(memory.store)


def of(store: Store) -> VectorStore:
    return VectorStore(store.database, store.memories, store.clock)


def row(outdated: OutdatedVector, fill: int = 1, text_hash: str = "h") -> VectorRow:
    return VectorRow(outdated.seq, outdated.memory.id, outdated.revision, text_hash, bytes([fill]) * 16)


def embed_all(vectors: VectorStore, model: str = MODEL) -> None:
    vectors.save_vectors(model, [row(each) for each in vectors.list_outdated(model, EDITION, 100)])


def contents(vectors: VectorStore, model: str = MODEL, limit: int = 100, after: int = 0) -> list[str]:
    return [each.memory.content for each in vectors.list_outdated(model, EDITION, limit, after)]


def test_what_has_no_vector_is_outdated_until_it_gets_one(memory: holloway.Holloway, vectors: VectorStore) -> None:
    taught(memory, "one")
    taught(memory, "two")
    assert contents(vectors) == ["one", "two"]
    assert vectors.count_outdated(MODEL, EDITION) == 2
    embed_all(vectors)
    assert contents(vectors) == []
    assert vectors.count_outdated(MODEL, EDITION) == 0
    assert vectors.count_by_model() == {MODEL: 2}


def test_batches_go_on_where_the_last_one_ended(memory: holloway.Holloway, vectors: VectorStore) -> None:
    for number in range(5):
        taught(memory, f"number {number}")
    first = vectors.list_outdated(MODEL, EDITION, 2)
    assert contents(vectors, limit=2, after=first[-1].seq) == ["number 2", "number 3"]


def test_each_model_has_vectors_of_its_own(memory: holloway.Holloway, vectors: VectorStore) -> None:
    taught(memory, "one")
    embed_all(vectors)
    assert contents(vectors, "other") == ["one"]
    embed_all(vectors, "other")
    assert vectors.count_by_model() == {MODEL: 1, "other": 1}


def test_a_changed_memory_and_a_new_edition_are_outdated_with_the_hash_of_the_old_text(
    memory: holloway.Holloway, vectors: VectorStore, clock: FakeClock
) -> None:
    made = taught(memory, "one")
    embed_all(vectors)
    assert [each.text_hash for each in vectors.list_outdated(MODEL, "2", 10)] == ["h"]
    clock.advance(seconds=1)
    memory.edit(made.id, files=["src/shop/auth/tokens.py"])
    (found,) = vectors.list_outdated(MODEL, EDITION, 10)
    assert (found.memory.files, found.text_hash) == (("src/shop/auth/tokens.py",), "h")


def test_a_vector_whose_text_did_not_change_is_confirmed_and_kept(
    memory: holloway.Holloway, vectors: VectorStore, clock: FakeClock
) -> None:
    made = taught(memory, "one")
    embed_all(vectors)
    before = vectors.get_state(MODEL)
    clock.advance(seconds=1)
    memory.pin(made.id)
    (found,) = vectors.list_outdated(MODEL, EDITION, 10)
    vectors.confirm_unchanged(MODEL, [found.seq], [found.revision])
    assert contents(vectors) == []
    assert vectors.get_state(MODEL) == before


def test_the_forgotten_and_the_replaced_are_not_embedded(memory: holloway.Holloway, vectors: VectorStore) -> None:
    made = taught(memory, "one")
    memory.forget([made])
    assert contents(vectors) == []


def test_a_memory_that_changed_while_it_was_embedded_keeps_no_vector_of_the_old_text(
    memory: holloway.Holloway, vectors: VectorStore, clock: FakeClock
) -> None:
    made = taught(memory, "one")
    taught(memory, "two")
    read = vectors.list_outdated(MODEL, EDITION, 10)
    clock.advance(seconds=1)
    memory.store.memories.update_memory(made, "edited", content="another")
    assert vectors.save_vectors(MODEL, [row(each) for each in read]) == 1
    assert contents(vectors) == ["another"]


def test_a_memory_that_was_forgotten_while_it_was_embedded_leaves_nothing_even_where_its_row_is_taken_again(
    memory: holloway.Holloway, vectors: VectorStore
) -> None:
    made = taught(memory, "one")
    read = vectors.list_outdated(MODEL, EDITION, 10)
    memory.forget([made], hard=True)
    assert vectors.save_vectors(MODEL, [row(each) for each in read]) == 0
    taught(memory, "in its place")
    assert [each.seq for each in vectors.list_outdated(MODEL, EDITION, 10)] == [read[0].seq]
    assert vectors.save_vectors(MODEL, [row(each) for each in read]) == 0
    assert vectors.count_by_model() == {}


@pytest.mark.promise("forget")
def test_a_hard_forget_takes_the_vector_along_in_the_store_and_its_backups(
    memory: holloway.Holloway, vectors: VectorStore
) -> None:
    made = taught(memory, "one")
    embed_all(vectors)
    needle = b"\x01" * 16
    backup = memory.store.create_backup()
    assert needle in backup.read_bytes()
    memory.forget([made], hard=True)
    assert vectors.count_by_model() == {}
    assert needle not in backup.read_bytes()
    memory.close()
    assert needle not in memory.project.database_path.read_bytes()


def test_pruning_for_good_takes_the_vector_along_and_caches_notice(
    memory: holloway.Holloway, vectors: VectorStore, clock: FakeClock
) -> None:
    made = taught(memory, "one")
    embed_all(vectors)
    before = vectors.get_state(MODEL)
    memory.forget([made])
    clock.advance(days=31)
    assert lifecycle.prune_memories(memory.store.database, clock.now()).removed == (made.id,)
    assert vectors.count_by_model() == {}
    assert vectors.get_state(MODEL).removals != before.removals


def test_additions_move_the_state_forward_and_removals_change_it(
    memory: holloway.Holloway, vectors: VectorStore, clock: FakeClock
) -> None:
    assert vectors.get_state(MODEL) == ("", 0, "")
    first = taught(memory, "one")
    embed_all(vectors)
    one = vectors.get_state(MODEL)
    taught(memory, "two")
    embed_all(vectors)
    two = vectors.get_state(MODEL)
    assert (two.removals, two.last) == (one.removals, one.last + 1)
    assert vectors.get_mark(MODEL, one.last) == one.mark != two.mark
    clock.advance(seconds=1)
    memory.edit(first.id, files=["src/shop/auth/tokens.py"])
    embed_all(vectors)
    assert vectors.get_state(MODEL).removals != two.removals
    assert vectors.get_mark(MODEL, one.last) == ""


def test_another_models_vectors_do_not_move_the_state(memory: holloway.Holloway, vectors: VectorStore) -> None:
    taught(memory, "one")
    embed_all(vectors)
    before = vectors.get_state(MODEL)
    embed_all(vectors, "other")
    memory.store.database.execute("DELETE FROM memory_vectors WHERE model = 'other'")
    assert vectors.get_state(MODEL) == before


def test_two_histories_after_one_backup_never_have_the_same_state(
    memory: holloway.Holloway, vectors: VectorStore
) -> None:
    made = [taught(memory, text) for text in ("one", "two")]
    embed_all(vectors)
    backup = memory.store.create_backup()
    memory.forget([made[0]], hard=True)
    first = vectors.get_state(MODEL)
    memory.store.database.replace_with(backup)
    memory.forget([made[1]], hard=True)
    assert vectors.get_state(MODEL).removals != first.removals


def test_the_stream_is_ordered_and_leaves_out_what_has_another_size(
    memory: holloway.Holloway, vectors: VectorStore, clock: FakeClock
) -> None:
    first = taught(memory, "one")
    for number in range(3):
        taught(memory, f"number {number}")
    embed_all(vectors)
    before = vectors.get_state(MODEL).last
    clock.advance(seconds=1)
    memory.edit(first.id, files=["src/shop/auth/tokens.py"])
    embed_all(vectors)
    seqs = [seq for seq, _ in vectors.stream_vectors(MODEL, 4)]
    assert seqs == sorted(seqs)
    assert len(seqs) == 4
    assert [seq for seq, _ in vectors.stream_vectors(MODEL, 4, after=before)] == seqs[:1]
    assert list(vectors.stream_vectors(MODEL, 5)) == []
    memory.store.database.execute("UPDATE memory_vectors SET vector = x'00' WHERE seq = ?", (seqs[0],))
    assert [seq for seq, _ in vectors.stream_vectors(MODEL, 4)] == seqs[1:]


def test_a_batch_is_kept_whole_or_not_at_all(memory: holloway.Holloway, vectors: VectorStore) -> None:
    taught(memory, "one")
    taught(memory, "two")
    rows = [row(each) for each in vectors.list_outdated(MODEL, EDITION, 10)]
    broken = rows[1]._replace(text_hash=None)  # type: ignore[arg-type]
    with pytest.raises(holloway.HollowayError):
        vectors.save_vectors(MODEL, [rows[0], broken])
    assert vectors.count_by_model() == {}


def test_what_is_settled_is_so_until_a_memory_comes_changes_or_loses_its_vector(
    memory: holloway.Holloway, vectors: VectorStore, clock: FakeClock
) -> None:
    made = taught(memory, "one")
    embed_all(vectors)
    assert not vectors.is_settled(MODEL, EDITION)

    def settled_after(change: Callable[[], object]) -> bool:
        embed_all(vectors)
        vectors.mark_settled(MODEL, EDITION)
        assert vectors.is_settled(MODEL, EDITION)
        clock.advance(seconds=1)
        change()
        return vectors.is_settled(MODEL, EDITION)

    assert settled_after(lambda: memory.get(made.id))
    assert not settled_after(lambda: taught(memory, "two"))
    assert not settled_after(lambda: memory.edit(made.id, files=["src/shop/auth/tokens.py"]))
    assert not settled_after(lambda: memory.store.database.execute("DELETE FROM memory_vectors"))
    assert not settled_after(lambda: memory.forget([made]))
    assert not settled_after(lambda: memory.restore(made.id))
    assert not vectors.is_settled(MODEL, "2")
    assert not vectors.is_settled("other", EDITION)


def test_nothing_is_settled_while_a_memory_waits(memory: holloway.Holloway, vectors: VectorStore) -> None:
    taught(memory, "one")
    embed_all(vectors)
    taught(memory, "two")
    vectors.mark_settled(MODEL, EDITION)
    assert not vectors.is_settled(MODEL, EDITION)


def test_to_see_that_nothing_is_missing_reads_indexes_only(memory: holloway.Holloway, vectors: VectorStore) -> None:
    seen: list[str] = []
    memory.store.database.connection.set_trace_callback(seen.append)
    vectors.count_outdated(MODEL, EDITION)
    memory.store.database.connection.set_trace_callback(None)
    plan = [step["detail"] for step in memory.store.database.fetch_rows(f"EXPLAIN QUERY PLAN {seen[-1]}")]
    reads = [step for step in plan if step.startswith(("SCAN", "SEARCH"))]
    assert len(reads) == 2
    assert all("COVERING INDEX" in step for step in reads)


def test_vectors_stay_out_of_archives(memory: holloway.Holloway, vectors: VectorStore) -> None:
    taught(memory, "one")
    embed_all(vectors)
    tables = {json.loads(snapshot.serialize_row(each))["table"] for each in snapshot.dump_rows(memory.store)}
    assert not tables & {"memory_vectors", "vector_states"}


def test_purging_removes_every_cache_and_nothing_else(tmp_path: Path) -> None:
    kept = tmp_path / "memory.db"
    kept.touch()
    for path in (
        get_cache_path(tmp_path, "a"),
        get_cache_path(tmp_path, "b/../c"),
        tmp_path / "vectors-0.matrix.7.new",
    ):
        assert path.parent == tmp_path
        path.touch()
    assert purge_caches(tmp_path) == 3
    assert list(tmp_path.iterdir()) == [kept]
    assert purge_caches(tmp_path / "nowhere") == 0


def test_two_vectors_fit_a_page(memory: holloway.Holloway, vectors: VectorStore) -> None:
    count = 40
    for number in range(count):
        taught(memory, f"number {number}")
    read = vectors.list_outdated(MODEL, EDITION, count)
    before = memory.store.database.fetch_value("PRAGMA page_count")
    vectors.save_vectors(MODEL, [row(each)._replace(vector=bytes(384 * 4)) for each in read])
    assert memory.store.database.fetch_value("PRAGMA page_count") - before < 0.8 * count


def test_a_snapshot_keeps_its_reads_on_one_state_of_the_vectors(
    memory: holloway.Holloway, vectors: VectorStore
) -> None:
    taught(memory, "one")
    embed_all(vectors)
    taught(memory, "two")
    with holloway.open(memory.project.root) as other:
        with vectors.read_snapshot():
            before = vectors.get_state(MODEL)
            embed_all(of(other.store))
            assert vectors.get_state(MODEL) == before
            assert vectors.count_by_model() == {MODEL: 1}
        assert vectors.get_state(MODEL).last == before.last + 1
        assert vectors.count_by_model() == {MODEL: 2}
