"""Only the store and the code map speak SQL, each to its own file; one reader queries another program's database."""

import re
from pathlib import Path

import holloway

SQL = re.compile(r"[\"'](?:SELECT |INSERT |UPDATE |DELETE FROM |PRAGMA |BEGIN )")
WRITES = re.compile(r"[\"'](?:INSERT |UPDATE |DELETE FROM |BEGIN |CREATE |DROP |ALTER |ATTACH )")
FOREIGN_READER = "capture/opencode_storage.py"
"""Reads the database of OpenCode, which holds sessions; it has nothing to do with the files of holloway."""


def test_nothing_else_speaks_sql() -> None:
    root = Path(holloway.__file__).parent
    files = {str(path.relative_to(root)): path.read_text("utf-8") for path in root.rglob("*.py")}
    speaks = {name for name, text in files.items() if SQL.search(text)}
    assert "store/memories.py" in speaks
    assert {name for name in speaks if not name.startswith(("store/", "codemap/"))} == {FOREIGN_READER}


def test_the_reader_of_another_programs_database_opens_no_file_of_holloway_and_writes_nothing() -> None:
    text = (Path(holloway.__file__).parent / FOREIGN_READER).read_text("utf-8")
    assert not WRITES.search(text)
    assert "holloway.store" not in text
    assert "holloway.codemap" not in text
    assert re.findall(r"sqlite3\.connect\((.+)", text) == [
        'f"{database.absolute().as_uri()}?mode=ro", uri=True, timeout=DATABASE_WAIT_S)'
    ]
