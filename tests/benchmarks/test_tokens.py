"""What is measured of the token estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.b4_tokens import errors, packs, passages
from holloway.retrieval.pack import BUDGET_TOKENS
from tests.conftest import make_repository

if TYPE_CHECKING:
    from pathlib import Path


def test_errors_are_shares_of_the_real_count() -> None:
    assert errors(["aaaa", "aaaaaaaa"], [4, 4], len) == pytest.approx([0.5, 1.0, 0.0, 0.5])
    assert errors(["aa"], [4], len)[2] == pytest.approx(-0.5)


def test_passages_come_from_files_of_the_kind_and_are_the_same_on_every_run(tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text("x = 1\n" * 400)
    (tmp_path / "short.py").write_text("x = 1\n")
    (tmp_path / "prose.md").write_text("words " * 400)
    found = passages(tmp_path, {".py"}, 3)
    assert len(found) == 3
    assert all("words" not in text and len(text) >= 200 for text in found)
    assert passages(tmp_path, {".py"}, 3) == found


def test_packs_of_every_phase_are_counted(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "shop", {"a.py": "a = 1\n"})
    repository.commit("a.py", "a = 2\n", "Raise the number of things in the shop")
    rows = packs(repository.root, lambda text: len(text.split()))
    assert [row[1] for row in rows] == list(BUDGET_TOKENS.values())
    assert all(0 < row[-1] < 1 for row in rows)
