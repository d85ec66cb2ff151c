"""Only the store and the code map speak SQL, each to its own file."""

import re
from pathlib import Path

import holloway

SQL = re.compile(r"[\"'](?:SELECT |INSERT |UPDATE |DELETE FROM |PRAGMA |BEGIN )")


def test_nothing_else_speaks_sql() -> None:
    root = Path(holloway.__file__).parent
    files = {str(path.relative_to(root)): path.read_text("utf-8") for path in root.rglob("*.py")}
    speaks = {name for name, text in files.items() if SQL.search(text)}
    assert "store/memories.py" in speaks
    assert {name for name in speaks if not name.startswith(("store/", "codemap/"))} == set()
