"""Renames are followed from commit to commit."""

from __future__ import annotations

import pytest

from holloway.codemap.history import git_log
from tests.codemap.history.repository import BODY, Past


def test_renames_between_two_commits_are_found_step_by_step(past: Past) -> None:
    first = past.commit("first", {"a.py": BODY, "b.py": f"b\n{BODY}", "c.py": "gone\n"})
    past.rename("a.py", "lib/a.py")
    past.commit("rewrite", {"lib/a.py": "\n".join(f"another line {number}" for number in range(40))})
    past.rename("lib/a.py", "core/a.py")
    (past.root / "c.py").unlink()
    last = past.rename("b.py", "with\nnewline.py")
    assert git_log.find_renames(past.root, first, last) == {"a.py": "core/a.py", "b.py": "with\nnewline.py"}
    assert git_log.find_renames(past.root, last, last) == {}
    for wrong in ("", "--output=x", "0" * 40, "HEAD"):
        assert git_log.find_renames(past.root, wrong, last) == {}


@pytest.mark.parametrize(
    ("became", "ends"),
    [
        ({"a": "b", "b": "c"}, {"a": "c", "b": "c"}),
        ({"a": "b", "b": "a", "x": "b"}, {"b": "a", "x": "a"}),
        ({}, {}),
    ],
)
def test_a_name_is_followed_to_its_end_and_a_circle_has_one(became: dict[str, str], ends: dict[str, str]) -> None:
    assert git_log.resolve_renames(became) == ends
