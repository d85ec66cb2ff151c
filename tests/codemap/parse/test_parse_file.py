"""A mistake of ours in one file costs that file and is said; everything else is in the map."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holloway.codemap.database import MapDatabase, open_map
from holloway.codemap.index import update_index
from holloway.codemap.parse import parse_file
from holloway.codemap.parse.facts import Definition, Facts
from holloway.codemap.parse.parser import extract_facts
from holloway.codemap.resolve.resolver import Resolver
from tests.codemap.test_index import clean, content

if TYPE_CHECKING:
    from holloway.codemap.resolve.targets import Resolution

PROJECT = {
    "one.py": "from two import two\n\n\ndef one():\n    two()\n",
    "odd.py": "from two import two\n\n\ndef odd():\n    two()\n",
    "two.py": "def two():\n    pass\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    for name, text in PROJECT.items():
        (folder / name).write_text(text)
    return folder


def callers(database: MapDatabase) -> set[str]:
    sql = "SELECT s.name FROM edges e JOIN nodes s ON s.id = e.source WHERE e.kind = 'calls'"
    return {row[0] for row in database.fetch_rows(sql)}


def skipped(database: MapDatabase) -> dict[str, str]:
    return {row[0]: row[1] for row in database.fetch_rows("SELECT path, reason FROM skipped")}


def facts_that_trip(language: str, data: bytes) -> Facts:
    if b"odd" in data:
        raise IndexError("out of range")
    return extract_facts(language, data)


def facts_that_cannot_be_written(language: str, data: bytes) -> Facts:
    facts = extract_facts(language, data)
    lost = Definition("function", "lost", "lost", 99, 1, 1, "", True, "")
    return facts._replace(definitions=(lost,)) if b"odd" in data else facts


@pytest.mark.usefixtures("mistakes_are_contained")
@pytest.mark.parametrize(
    ("tripping", "reason"),
    [
        (facts_that_trip, "reading failed (IndexError)"),
        (facts_that_cannot_be_written, "writing failed (IndexError)"),
    ],
)
def test_a_file_that_trips_the_reader_is_left_out_and_said(
    root: Path, monkeypatch: pytest.MonkeyPatch, tripping: object, reason: str
) -> None:
    database = open_map(root.parent / "map.db")
    update_index(database, root, workers=1)
    assert callers(database) == {"one", "odd"}
    monkeypatch.setattr(parse_file, "extract_facts", tripping)
    (root / "odd.py").write_text(PROJECT["odd.py"] + "\n")
    (root / "one.py").write_text(PROJECT["one.py"].replace("one", "first"))
    done = update_index(database, root, workers=1, only=["odd.py", "one.py"])
    assert (done.files, done.skipped) == (2, 1)
    assert callers(database) == {"first"}
    assert skipped(database) == {"odd.py": reason}
    monkeypatch.undo()
    update_index(database, root, workers=1)
    assert not skipped(database)
    assert content(database) == clean(root, root.parent / "clean.db")


@pytest.mark.usefixtures("mistakes_are_contained")
def test_a_file_that_trips_the_resolver_stays_without_edges_and_is_tried_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve = Resolver.resolve_file

    def tripping(self: Resolver, path: str) -> Resolution:
        if path == "odd.py":
            raise RecursionError
        return resolve(self, path)

    monkeypatch.setattr(Resolver, "resolve_file", tripping)
    database = open_map(root.parent / "map.db")
    for _ in range(2):
        done = update_index(database, root, workers=1)
        assert (done.files, done.skipped) == (3, 1)
        assert callers(database) == {"one"}
        assert skipped(database) == {"odd.py": "resolving failed (RecursionError)"}
    monkeypatch.undo()
    update_index(database, root, workers=1)
    assert not skipped(database)
    assert content(database) == clean(root, root.parent / "clean.db")


def test_in_the_tests_of_the_map_a_mistake_is_raised(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse_file, "extract_facts", facts_that_trip)
    with pytest.raises(IndexError):
        update_index(open_map(root.parent / "map.db"), root, workers=1)
