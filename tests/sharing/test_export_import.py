import json
import secrets
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import holloway
from holloway.domain.memory import Draft, Memory, MemoryType, Source, State
from holloway.errors import HollowayError
from holloway.sharing import export_import
from holloway.store import contributions, local_key, lookup, snapshot
from holloway.store.contributions import CodeRelation
from holloway.store.filter import EVERYTHING, Filter
from holloway.store.write_gate import sanitize_draft
from holloway.testing import CountedIds, FakeClock
from tests.conftest import Repository, make_repository
from tests.outside_input import bounded_time, bytes_of
from tests.store.test_memories import taught


@pytest.fixture
def rich_memory(memory: holloway.Holloway, clock: FakeClock) -> holloway.Holloway:
    """A memory with everything an archive must carry."""
    made = taught(memory, "Redis in tests", type="dead_end", details={"approach": "Redis", "reason": "not in CI — é"})
    taught(memory, "tokens live an hour", files=["src/shop/auth/tokens.py", "README.md"], tags=["b", "a"], pin=True)
    clock.advance(days=1)
    memory.wrong(made.id, "outdated", note="CI has it now", instead="Redis is in CI since May")
    memory.forget([taught(memory, "forgotten thing")])
    draft = Draft(content="perhaps", source=Source.OBSERVER_INFERRED, session="s1", origin="events 3-9")
    memory.store.memories.add_memory(sanitize_draft(draft))
    connection = memory.store.database.connection
    lookup.touch_session(connection, "s1", "claude-code", "2026-01-06T00:00:00.000Z")
    ids = [each.id for each in memory.memories()]
    lookup.claim_injections(
        connection, ids, session="s1", agent="claude-code", point="tool_result", now="2026-01-06T00:00:00.000Z"
    )
    at = "2026-01-06T00:00:00.000Z"
    contributions.edit_module(memory.store.database, "name", "src/shop/auth", "sign-in", at)
    contributions.edit_module(memory.store.database, "files", "src/shop/auth", "src/shop/tokens/*", at)
    relation = CodeRelation("README.md", "documents", "src/shop/auth/tokens.py", "user", "", "the flow", at)
    contributions.save_relation(memory.store.database, relation)
    return memory


def restored(data: bytes, folder: Path, name: str = "fresh") -> holloway.Holloway:
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.holloway"
    path.write_bytes(data)
    root = make_repository(folder / name, {"own.txt": name}).root
    memory = holloway.open(root, clock=FakeClock(), ids=CountedIds(name))
    memory.project.folder.joinpath("project.json").write_text(
        memory.project.folder.joinpath("project.json").read_text().replace(f'"{name}"', '"shop"')
    )
    memory.close()
    memory = holloway.open(root, clock=FakeClock(), ids=CountedIds(name))
    assert memory.import_file(path).restored
    return memory


@pytest.mark.promise("archive")
def test_an_archive_restores_to_a_store_that_gives_the_same_archive(
    rich_memory: holloway.Holloway, tmp_path: Path
) -> None:
    data = rich_memory.export("archive")
    with restored(data, tmp_path / "other") as again:
        assert again.export("archive") == data
        assert again.store.database.check_integrity() == []
        assert again.store.memories.is_rejected("forgotten thing")
        assert len(contributions.list_module_edits(again.store.database)) == 2
        assert [one.note for one in contributions.list_relations(again.store.database)] == ["the flow"]
        assert {each.id for each in again.memories(EVERYTHING)} == {
            each.id for each in rich_memory.memories(EVERYTHING)
        }


def test_every_table_is_in_the_archive_or_can_be_computed_again(memory: holloway.Holloway) -> None:
    names = "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND name NOT LIKE 'sqlite_%'"
    tables = {row[0] for row in memory.store.database.fetch_rows(names)}
    with_memories = {"memories", "memory_files", "memory_modules", "memory_relations", "memory_history", "meta"}
    left_out = {"memory_vectors", "vector_states", "embedding_cache", "migrations", "llm_calls", "foreign_digests"}
    left_out |= {"readings", "reading_answers", "told_texts", "bulk_changes", "bulk_change_items"}
    left_out |= {"operations", "shared_memories", "replicas"}  # a part in sharing belongs to one machine's key
    assert tables == with_memories | left_out | snapshot.TABLES.keys()


@pytest.mark.promise("archive")
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(contents=st.lists(st.text(min_size=1, max_size=80).filter(str.strip), max_size=6, unique=True), data=st.data())
def test_any_memories_survive_the_archive(
    contents: list[str], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any")
    for name in ("one", "two"):
        (folder / name / "shop").mkdir(parents=True)
    with holloway.open(folder / "one/shop", home=folder / "data", ids=CountedIds("a")) as first:
        for content in contents:
            try:
                first.remember(content, type=data.draw(st.sampled_from(["gotcha", "decision"])), user=False)
            except HollowayError:
                continue
        made = first.export("archive")
        (folder / "x").write_bytes(made)
        with holloway.open(folder / "two/shop", home=folder / "data", ids=CountedIds("b")) as second:
            second.import_file(folder / "x")
            assert second.export("archive") == made


@pytest.mark.promise("archive")
@pytest.mark.parametrize("change", ["a word", "the seal", "no seal", "another machine", "one line less"])
def test_an_altered_or_foreign_archive_waits_for_review(
    rich_memory: holloway.Holloway, tmp_path: Path, home: Path, change: str
) -> None:
    data = rich_memory.export("archive")
    if change == "a word":
        data = data.replace(b"tokens live an hour", b"tokens live an eon!")
    elif change == "the seal":
        last = data[-4:-3]
        data = data[:-4] + (b"1" if last == b"0" else b"0") + data[-3:]
    elif change == "no seal":
        data = data[: data.rindex(b'{"seal"')]
    elif change == "one line less":
        data = b"".join(line for line in data.splitlines(keepends=True) if b"perhaps" not in line)
    else:
        (home / "archive.key").write_text("00" * 32)
    (tmp_path / "a.holloway").write_bytes(data)
    target = make_repository(tmp_path / "target", {"t": "1"}).root
    with holloway.open(target) as other:
        done = other.import_file(tmp_path / "a.holloway", skip_invalid=True)
        assert not done.restored
        assert done.added == (2 if change == "one line less" else 3)  # what holds: not what was forgotten or replaced
        assert {each.state for each in other.memories()} == {State.QUARANTINED}
        assert other.recall("tokens") == []
        assert len(other.to_review()) == done.added


def test_loading_twice_adds_nothing(rich_memory: holloway.Holloway, tmp_path: Path) -> None:
    data = rich_memory.export("archive")
    (tmp_path / "a").write_bytes(data)
    done = rich_memory.import_file(tmp_path / "a")
    assert (done.restored, done.added) == (True, 0)
    assert rich_memory.export("archive") == data


def test_an_archive_into_a_store_that_has_memories_keeps_both(
    rich_memory: holloway.Holloway, repository: Repository, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(rich_memory.export("archive"))
    target = make_repository(tmp_path / "target", {"t": "1"}).root
    with holloway.open(target, clock=FakeClock(), ids=CountedIds("other")) as other:
        mine = taught(other, "my own words")
        rejected = taught(other, "nonsense of mine")
        other.forget([rejected])
        other.import_file(tmp_path / "a")
        assert other.get(mine.id).content == "my own words"
        assert len(other.memories(Filter())) == len(rich_memory.memories(Filter())) + 1
        assert other.store.memories.is_rejected("forgotten thing")
        assert other.store.memories.is_rejected("nonsense of mine")
        assert other.store.database.check_integrity() == []


def by_uid(memory: holloway.Holloway) -> dict[str, Memory]:
    found = memory.memories(EVERYTHING) + memory.memories(Filter(deleted=True, superseded=True))
    return {each.uid: each for each in found}


def injected(memory: holloway.Holloway) -> list[str]:
    return [row["memory"] for row in memory.store.database.fetch_rows("SELECT memory FROM injections ORDER BY memory")]


def test_ids_that_are_taken_are_renamed_wherever_the_archive_names_them(
    rich_memory: holloway.Holloway, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(rich_memory.export("archive"))
    before = by_uid(rich_memory)
    uids = {each.id: each.uid for each in before.values()}
    target = make_repository(tmp_path / "target", {"t": "1"}).root
    with holloway.open(target, clock=FakeClock(), ids=CountedIds("other")) as other:
        for each in before.values():
            mine = replace(each, uid=each.uid[::-1], content=f"mine {each.id}", relations=(), superseded_by="")
            other.store.memories.import_memory(mine)
        for added in (len(before), 0):
            assert other.import_file(tmp_path / "a").added == added
            after = by_uid(other)
            names = {old: after[uid].id for old, uid in uids.items()}
            assert not set(names.values()) & set(uids)
            for uid, old in before.items():
                assert after[uid].superseded_by == names.get(old.superseded_by, "")
                assert [each.memory for each in after[uid].relations] == [names[each.memory] for each in old.relations]
            assert injected(other) == sorted(names[each] for each in injected(rich_memory))
        assert any(each.superseded_by for each in before.values())
        assert any(each.relations for each in before.values())
        assert other.store.database.check_integrity() == []


def test_a_new_id_is_none_that_another_archived_memory_has(rich_memory: holloway.Holloway, tmp_path: Path) -> None:
    first, second = rich_memory.memories()[:2]
    uid = first.uid[:7] + second.uid[7:]
    rich_memory.store.memories.import_memory(replace(second, uid=uid, id=uid[:7], content="longer id"))
    (tmp_path / "a").write_bytes(rich_memory.export("archive"))
    target = make_repository(tmp_path / "target", {"t": "1"}).root
    with holloway.open(target, clock=FakeClock(), ids=CountedIds("other")) as other:
        other.store.memories.import_memory(replace(first, uid=first.uid[::-1], content="mine"))
        other.import_file(tmp_path / "a")
        assert by_uid(other)[uid].id == uid[:7]
        assert by_uid(other)[first.uid].id == first.uid[:8]


def test_an_archive_shows_one_moment_whatever_is_written_meanwhile(
    rich_memory: holloway.Holloway, repository: Repository
) -> None:
    rows = snapshot.dump_rows(rich_memory.store)
    seen = [next(rows)]
    with holloway.open(repository.root, clock=FakeClock(), ids=CountedIds("writer")) as writer:
        taught(writer, "written meanwhile")
        lookup.touch_session(writer.store.database.connection, "late", "claude-code", "2026-01-06T00:00:00.000Z")
    seen += rows
    assert "written meanwhile" not in {row.get("content") for row in seen}
    assert [row["id"] for row in seen if row["table"] == "sessions"] == ["s1"]
    assert "written meanwhile" in {row.get("content") for row in snapshot.dump_rows(rich_memory.store)}


def test_an_archive_of_ours_may_be_larger_than_other_files(
    rich_memory: holloway.Holloway, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = rich_memory.export("archive")
    monkeypatch.setattr(export_import, "IMPORT_BYTES_MAX", len(data) - 1)
    (tmp_path / "a").write_bytes(data)
    assert rich_memory.import_file(tmp_path / "a").restored
    (tmp_path / "a").write_bytes(data.replace(b"tokens live an hour", b"tokens live an eon!"))
    with pytest.raises(HollowayError, match=f"{len(data):,} bytes and this machine did not seal it") as caught:
        rich_memory.import_file(tmp_path / "a")
    assert f"at most {len(data) - 1:,} bytes" in caught.value.hint
    (tmp_path / "a").write_bytes(b"- x" + data)
    with pytest.raises(HollowayError, match=f"{len(data) + 3:,} bytes") as caught:
        rich_memory.import_file(tmp_path / "a")
    assert "split the file" in caught.value.hint


def test_an_archive_beyond_its_own_limit_is_refused_and_nobody_is_told_to_split_it(
    rich_memory: holloway.Holloway, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = rich_memory.export("archive")
    monkeypatch.setattr(export_import, "ARCHIVE_BYTES_MAX", len(data) - 1)
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(HollowayError, match=f"{len(data):,} bytes") as caught:
        rich_memory.import_file(tmp_path / "a")
    assert "split" not in caught.value.hint


def test_nothing_is_parsed_before_the_seal_is_verified(
    rich_memory: holloway.Holloway, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = rich_memory.export("archive")

    def parse(text: bytes) -> None:
        raise AssertionError(text)

    monkeypatch.setattr("holloway.sharing.export_import.json.loads", parse)
    assert export_import.is_ours(data, home)
    assert not export_import.is_ours(data[:-1], home)
    assert not export_import.is_ours(data[: data.index(b"\n") + 1], home)


@pytest.mark.promise("archive")
def test_an_archive_is_ours_with_a_byte_order_mark_too(rich_memory: holloway.Holloway, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbf" + rich_memory.export("archive"))
    assert rich_memory.import_file(tmp_path / "a").restored


def test_a_later_format_is_refused(rich_memory: holloway.Holloway, tmp_path: Path, home: Path) -> None:
    head, _, rest = rich_memory.export("archive").partition(b"\n")
    later = json.loads(head) | {"version": 99}
    with pytest.raises(HollowayError, match="format 99"):
        export_import.read_rows(json.dumps(later).encode() + b"\n" + rest)


@pytest.mark.promise("archive")
@pytest.mark.parametrize("left", ["", "00" * 31, "no key"])
def test_a_key_that_was_not_written_to_its_end_seals_and_opens_nothing(
    rich_memory: holloway.Holloway, home: Path, left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "archive.key").write_text(left)
    with monkeypatch.context() as stranger:
        guessed = bytes.fromhex(left) if left != "no key" else b""
        stranger.setattr(local_key, "load_or_create_key", lambda home, name: guessed)
        forged = rich_memory.export("archive")
    assert not export_import.is_ours(forged, home)
    assert export_import.is_ours(rich_memory.export("archive"), home)
    assert not export_import.is_ours(forged, home)


def test_two_first_archives_at_once_are_both_ours(
    rich_memory: holloway.Holloway, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[bytes] = []
    make = secrets.token_bytes

    def while_another_exports(size: int) -> bytes:
        monkeypatch.undo()
        made.append(rich_memory.export("archive"))
        return make(size)

    monkeypatch.setattr(secrets, "token_bytes", while_another_exports)
    made.append(rich_memory.export("archive"))
    assert [export_import.is_ours(data, home) for data in made] == [True, True]
    assert [file.name for file in home.glob("archive.key*")] == ["archive.key"]


@pytest.mark.promise("private-files")
def test_the_key_is_private(rich_memory: holloway.Holloway, home: Path) -> None:
    rich_memory.export("archive")
    assert (home / "archive.key").stat().st_mode & 0o077 == 0


def test_json_is_complete(rich_memory: holloway.Holloway) -> None:
    data = json.loads(rich_memory.export("json"))
    everything = rich_memory.memories(EVERYTHING) + rich_memory.memories(Filter(deleted=True, superseded=True))
    assert {row["id"] for row in data["memories"]} == {each.id for each in everything}


def test_markdown_can_be_read_and_imported_again(rich_memory: holloway.Holloway, tmp_path: Path) -> None:
    text = rich_memory.export("markdown").decode()
    assert "- tokens live an hour (`src/shop/auth/tokens.py`, `README.md`) [hw:" in text
    (tmp_path / "m.md").write_text(text)
    target = make_repository(tmp_path / "target", {"t": "1"}).root
    with holloway.open(target) as other:
        other.import_file(tmp_path / "m.md")
        found = {each.content: each for each in other.memories()}
        assert set(found) == {each.content for each in rich_memory.memories()}
        assert found["tokens live an hour"].files == ("src/shop/auth/tokens.py", "README.md")
        assert found["Redis is in CI since May"].type is MemoryType.DEAD_END


def test_the_rules_style_has_only_what_is_confirmed(rich_memory: holloway.Holloway) -> None:
    text = rich_memory.export("claude").decode()
    assert "tokens live an hour" in text
    assert "perhaps" not in text
    assert "[hw:" not in text


def test_an_unknown_format_is_named_with_the_known_ones(memory: holloway.Holloway) -> None:
    with pytest.raises(HollowayError, match="no format 'yaml'") as caught:
        memory.export("yaml")
    assert caught.value.hint == "Formats: json, markdown, claude, archive."


def test_json_names_its_format_and_puts_the_oldest_memory_first(rich_memory: holloway.Holloway) -> None:
    data = json.loads(rich_memory.export("json"))
    assert (data["format"], data["version"], data["project"]) == ("holloway-export", 1, "shop")
    stamps = [row["created_at"] for row in data["memories"]]
    assert stamps == sorted(stamps)
    assert stamps[0] < stamps[-1]


def test_entries_that_cannot_be_used_stop_an_import_unless_they_are_skipped(
    memory: holloway.Holloway, tmp_path: Path
) -> None:
    path = tmp_path / "m.json"
    path.write_text(
        json.dumps([{"content": "Ports are free"}, *({"content": "x", "type": "riddle"} for _ in range(7))])
    )
    with pytest.raises(HollowayError, match="7 of 8 entries cannot be used, so nothing was imported") as caught:
        memory.import_file(path)
    assert caught.value.message.count("'riddle' is not a valid MemoryType") == 5
    assert caught.value.message.endswith("and 2 more")
    assert memory.memories() == []
    done = memory.import_file(path, skip_invalid=True)
    assert (done.added, len(done.skipped), done.restored, done.altered) == (1, 7, False, False)


def test_a_path_that_is_no_file_and_a_file_that_is_too_large_are_refused(
    memory: holloway.Holloway, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (tmp_path, tmp_path / "gone"):
        with pytest.raises(HollowayError, match="is not a file"):
            memory.import_file(path)
    (tmp_path / "m.json").write_text('[{"content": "Ports are free"}]')
    monkeypatch.setattr(export_import, "IMPORT_BYTES_MAX", 30)
    with pytest.raises(HollowayError, match="has 31 bytes") as caught:
        memory.import_file(tmp_path / "m.json")
    assert "split the file" in caught.value.hint
    monkeypatch.setattr(export_import, "IMPORT_BYTES_MAX", 31)
    assert memory.import_file(tmp_path / "m.json").added == 1


@given(
    bytes_of(
        '{"format":"holloway-archive","version":1}\n', '{"seal":"', '"}\n', '{"table":"memories"}\n', "{", "[", "null\n"
    )
)
def test_any_bytes_are_no_archive_of_this_machine(data: bytes) -> None:
    with TemporaryDirectory() as folder, bounded_time():
        export_import.is_archive(data)
        assert not export_import.is_ours(data, Path(folder))
