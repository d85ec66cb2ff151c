"""Small questions to the map: which files there are, what defines, imports, tests and uses what."""

from pathlib import Path

import pytest

from holloway.codemap import queries
from holloway.codemap.database import MapDatabase
from tests.codemap.resolve.drawn import mapped

PROJECT = {
    "core.py": "def base():\n    pass\n\nclass Thing:\n    def go(self):\n        base()\n",
    "middle.py": "from core import base\n\ndef layer():\n    base()\n",
    "top.py": "from middle import layer\n\ndef main():\n    layer()\n",
    "lone.py": "def base():\n    return 1\n",
    "tests/test_core.py": "from core import base\n\ndef test_base():\n    base()\n",
}


@pytest.fixture
def database(tmp_path: Path) -> MapDatabase:
    return mapped(tmp_path, PROJECT)


def test_the_files_of_the_map_are_listed_and_others_are_left_out(database: MapDatabase) -> None:
    assert set(queries.list_paths(database)) == set(PROJECT)
    assert queries.filter_existing(database, ["core.py", "gone.py"]) == {"core.py"}
    assert queries.filter_existing(database, []) == set()


def test_files_modules_and_commits_are_counted(database: MapDatabase) -> None:
    assert queries.count_commits_and_modules(database) == (0, 0)
    assert queries.find_module(database, "core.py") == queries.find_module(database, "gone.py") == ""
    assert queries.count_skipped(database) == {}
    with database.write_transaction():
        rows = [("a.js", "generated"), ("b.js", "generated"), ("c.png", "binary")]
        for path, reason in rows:
            database.execute("INSERT INTO skipped (path, reason, size, mtime_ns) VALUES (?, ?, 1, 1)", (path, reason))
    assert queries.count_skipped(database) == {"generated": 2, "binary": 1}


def test_a_name_is_found_where_it_is_defined(database: MapDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(queries.find_definers(database, "base")) == {("core.py", "function"), ("lone.py", "function")}
    assert queries.find_definers(database, "nothing") == []
    monkeypatch.setattr(queries, "DEFINERS_MAX", 1)
    assert len(queries.find_definers(database, "base")) == 1


@pytest.mark.parametrize(
    ("name", "expected"), [("layer", True), ("Thing.go", True), ("Thing.stop", False), ("zeppelin", False), ("", False)]
)
def test_a_name_is_in_the_code_if_all_its_parts_are(database: MapDatabase, name: str, expected: bool) -> None:
    assert queries.has_name(database, name) is expected


def test_connections_follow_the_edges(database: MapDatabase) -> None:
    assert queries.find_connected(database, ["middle.py"], PROJECT) >= {"core.py", "top.py"}
    assert "lone.py" not in queries.find_connected(database, ["middle.py"], PROJECT)
    assert queries.find_connected(database, ["middle.py"], ["lone.py"]) == set()


def test_the_tests_of_a_file_are_named_up_to_a_limit(database: MapDatabase) -> None:
    assert queries.find_tests(database, ["core.py"], 5) == ["tests/test_core.py"]
    assert queries.find_tests(database, ["core.py"], 0) == []
    assert queries.find_tests(database, ["lone.py"], 5) == []


def test_neighbours_use_a_file_or_are_used_by_it(database: MapDatabase) -> None:
    near = queries.find_neighbours(database, ["middle.py", "lone.py"])
    assert near["lone.py"] == {"lone.py": 1.0}
    assert set(near["middle.py"]) == {"middle.py", "core.py", "top.py"}
    assert near["middle.py"]["middle.py"] == 1.0
    assert 0 < near["middle.py"]["core.py"] <= queries.USE_WEIGHT


def test_a_test_leads_to_the_file_that_it_is_named_after(database: MapDatabase) -> None:
    assert queries.find_tested(database, ["tests/test_core.py", "top.py", "gone.py"]) == {
        "tests/test_core.py": "core.py"
    }
    assert queries.find_tested(database, []) == {}
