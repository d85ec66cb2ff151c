"""What C includes leads to files."""

from __future__ import annotations

from pathlib import Path

from tests.codemap.resolve.drawn import edges, mapped


def test_an_included_file_is_found_beside_or_by_the_end_of_its_path(tmp_path: Path) -> None:
    project = {
        "src/a.c": '#include "lib/b.h"\n#include "far/c.h"\n#include <stdio.h>\nint main() { return 0; }\n',
        "src/lib/b.h": "int b(void);\n",
        "include/far/c.h": "int c(void);\n",
    }
    assert edges(mapped(tmp_path, project), "imports") == {
        "src/a.c imports src/lib/b.h",
        "src/a.c imports include/far/c.h",
        "src/a.c imports stdio.h",
    }
