"""The map's own file, and what opening it takes."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from holloway.codemap.database import MapDatabase, open_map
from holloway.store.database import Database

if TYPE_CHECKING:
    from pathlib import Path


def test_a_new_map_has_pages_for_long_rows(tmp_path: Path) -> None:
    database = open_map(tmp_path / "map.db")

    assert database.fetch_value("PRAGMA page_size") == MapDatabase.page_bytes > Database.page_bytes
    database.close()


def test_a_map_that_was_made_with_other_pages_is_read_and_written_as_it_is(tmp_path: Path) -> None:
    older = Database(tmp_path / "map.db")
    older.execute("CREATE TABLE of_another_version (x)")
    older.close()

    database = open_map(tmp_path / "map.db")
    with database.write_transaction():
        database.set_meta("kept", "yes")

    assert database.fetch_value("PRAGMA page_size") == Database.page_bytes
    assert database.get_meta("kept") == "yes"
    database.close()


def test_asking_what_breaks_loads_nothing_that_an_answer_does_without() -> None:
    asked = (
        "import sys, holloway.codemap.database, holloway.codemap.graph;"
        "print(*sorted({'json', 'pathlib', 're', 'typing', 'tree_sitter', 'holloway.codemap.parse.languages'} & sys.modules.keys()))"
    )

    loaded = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)

    assert loaded.stdout == "\n"


def test_bringing_a_map_up_to_date_loads_neither_processes_nor_the_drawing_of_modules() -> None:
    asked = (
        "import sys, holloway.codemap.index_run;"
        "print(*sorted({'multiprocessing', 'holloway.codemap.modules.module_store'} & sys.modules.keys()))"
    )

    loaded = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)

    assert loaded.stdout == "\n"
