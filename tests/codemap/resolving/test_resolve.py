"""What cannot be followed gives no edge, and following comes to an end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codemap.resolving.drawn import edges, mapped


@pytest.mark.promise("map-does-not-guess")
def test_what_cannot_be_followed_is_kept_apart_and_gives_no_edge(tmp_path: Path) -> None:
    database = mapped(
        tmp_path, {"a.py": "def f(thing):\n    thing.run()\n", "b.py": "class Job:\n    def run(self): ...\n"}
    )
    assert not edges(database, "calls")
    assert [tuple(row) for row in database.rows("SELECT kind, name, line FROM unresolved")] == [("call", "run", 2)]


def test_cycles_of_imports_and_aliases_come_to_an_end(tmp_path: Path) -> None:
    database = mapped(
        tmp_path,
        {
            "a.py": "from b import *\nfrom b import x as y\nx = y\ny = x\nx()\n",
            "b.py": "from a import *\nfrom a import y as x\n",
        },
    )
    assert "a.py imports b.py" in edges(database)
