"""Several processes make the map that one makes, and leave nothing else behind."""

from __future__ import annotations

import os
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from holloway.codemap import process_pool
from holloway.codemap.database import MapDatabase, open_map
from holloway.codemap.index import PARALLEL_FILES_MIN, update_index
from holloway.codemap.parse import source_files
from holloway.codemap.parse.facts import Facts
from holloway.codemap.process_pool import (
    SCOPES_CACHED_MAX,
    FactsCache,
    FactsFileReader,
    MapFactsSource,
    create_facts_file,
)
from holloway.codemap.resolve.imports.import_resolver import ImportResolver
from holloway.codemap.resolve.resolver import Resolver
from holloway.errors import HollowayError
from tests.codemap.test_index import FILES, clean, content, write

COUNT = PARALLEL_FILES_MIN + 20
FACTS = Facts().encode_facts()


def module(number: int) -> str:
    above = (number + 1) % COUNT
    return (
        f"from m{above} import Thing as Base, make as other\n\n\n"
        f"class Thing(Base):\n    def go{number}(self):\n        return other().go{above}()\n\n\n"
        f"def make() -> Thing:\n    return Thing()\n"
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name, versions in FILES.items():
        write(folder, name, versions[0])
    for number in range(COUNT):
        write(folder, f"m{number}.py", module(number))
    return folder


def indexed(root: Path, workers: int) -> MapDatabase:
    database = open_map(root.parent / "parallel.db")
    update_index(database, root, workers=workers)
    return database


def test_many_processes_make_the_map_that_one_process_makes(root: Path) -> None:
    left = root.parent / "parallel.facts"
    left.write_text("what a process that was killed left there")
    assert content(indexed(root, 2)) == clean(root, root.parent / "clean.db")
    assert not left.exists()


def test_many_processes_follow_later_edits_as_one_does(root: Path) -> None:
    database = indexed(root, 2)
    for number in range(COUNT):
        write(root, f"m{number}.py", module(number).replace("make", "build"))
    update_index(database, root, workers=2)
    assert content(database) == clean(root, root.parent / "clean.db")


def read_after_a_kill(root: Path, place: Path) -> None:
    with process_pool.start_workers(1, root, place) as others:
        others._pool.submit(os._exit, 1)
        list(others.parse_files([(source_files.ListedFile("m0.py", 1, 1), b"")]))


def test_a_process_that_is_killed_is_said_and_leaves_nothing_behind(root: Path) -> None:
    place = root.parent / "parallel.facts"
    with pytest.raises(HollowayError, match="died before it finished"):
        read_after_a_kill(root, place)
    assert not place.exists()


def test_what_a_file_was_resolved_from_stays_when_the_next_one_is_resolved(root: Path) -> None:
    database = indexed(root, 1)
    read = FactsCache(MapFactsSource(database))
    paths = [row[0] for row in database.fetch_rows("SELECT path FROM files")]
    resolver = Resolver(
        ImportResolver(paths, partial(source_files.read_manifest, root)), read.load_scopes, read.load_mentions
    )
    first = resolver.resolve_file("m0.py")
    looked_at = set(first.consulted)
    resolver.resolve_file("pkg/a.py")
    assert "m1.py" in looked_at
    assert first.consulted == looked_at


def test_what_is_on_the_shelf_is_read_by_its_file_and_by_nobody_else(tmp_path: Path) -> None:
    place = tmp_path / "map.facts"
    with create_facts_file(place) as written:
        written.add_record("a.py", "python", b"facts of a", b"mentions of a")
        written.add_record("README.md", "", b"", b"")
        written.add_record("b\n.py", "python", "facts of b: é".encode(), b"")
        written.finish()
        read = FactsFileReader(str(place))
        assert place.stat().st_mode & 0o077 == 0
        assert list(read.paths) == ["a.py", "README.md", "b\n.py"]
        assert [read.load_facts(path) for path in ("b\n.py", "a.py", "README.md", "c.py")] == [
            ("python", "facts of b: é".encode()),
            ("python", b"facts of a"),
            ("", b""),
            ("", b""),
        ]
        assert [read.load_mentions(path) for path in ("a.py", "b\n.py", "c.py")] == [b"mentions of a", b"", b""]
        read.close()
    assert not place.exists()


class Counted:
    """A source that knows how often each file was read."""

    def __init__(self) -> None:
        self.read: Counter[str] = Counter()

    def load_facts(self, path: str) -> tuple[str, bytes]:
        self.read[path] += 1
        return ("python", FACTS) if path.endswith(".py") else ("", b"")

    def load_mentions(self, path: str) -> bytes:
        return b'[["call","go",[-1],[3]]]' if path == "a.py" else b""


def test_a_file_that_everybody_asks_for_is_read_once_however_many_others_pass_by() -> None:
    source = Counted()
    read = FactsCache(source)
    for number in range(SCOPES_CACHED_MAX * 3):
        assert read.load_scopes("hub.py") is not None
        read.load_scopes(f"m{number}.py")
    assert source.read["hub.py"] == 1


def test_a_file_that_nobody_asked_for_since_as_many_others_were_is_read_again() -> None:
    source = Counted()
    read = FactsCache(source)
    first = read.load_scopes("a.py")
    assert read.load_scopes("a.py") is first
    for number in range(SCOPES_CACHED_MAX):
        read.load_scopes(f"m{number}.py")
    read.load_scopes("a.py")
    assert source.read["a.py"] == 2


def test_that_a_file_is_no_code_is_remembered_too() -> None:
    source = Counted()
    read = FactsCache(source)
    assert [read.load_scopes("README.md"), read.load_scopes("README.md")] == [None, None]
    assert source.read["README.md"] == 1


def test_what_was_just_read_need_not_be_read_again() -> None:
    source = Counted()
    read = FactsCache(source)
    read.add_parsed("a.py", "python", Facts())
    assert read.load_scopes("a.py") is not None
    assert source.read["a.py"] == 0


def test_mentions_are_those_of_the_file() -> None:
    read = FactsCache(Counted())
    assert [tuple(mention) for mention in read.load_mentions("a.py")] == [("call", "go", [-1], [3])]
    assert read.load_mentions("b.py") == []
