"""What counts as a right edge, and what simple programs find without a parser."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.graph.cases import cases_of
from benchmarks.graph.mapped import map_of
from benchmarks.graph.scanners import name_matching_edges, regex_edges
from benchmarks.graph.score import Counts, count_pairs, score

FILES = {
    "shop/__init__.py": "from .tokens import refresh\n",
    "shop/tokens.py": "import os\n\n\ndef refresh():\n    return os.name\n",
    "main.py": "from shop import refresh\n\n\ndef main():\n    refresh()\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / "project" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "project" / name).write_text(text)
    return tmp_path / "project"


def test_a_pair_that_is_neither_right_nor_wrong_is_held_against_nobody() -> None:
    found, wanted = {("a", "b"), ("a", "package"), ("a", "wrong")}, {("a", "b"), ("c", "d")}
    assert count_pairs(found, wanted, [("a", "package")]) == [Counts(1, 2, 1), Counts(0, 0, 1)]
    assert count_pairs(found, wanted | {("a", "package")}, [("a", "package")])[0] == Counts(2, 3, 2), "wanted counts"


def test_precision_and_recall_are_over_all_pairs() -> None:
    one = score([Counts(3, 4, 3), Counts(0, 0, 3)])
    assert (one.precision, one.recall, one.wanted) == (0.75, 0.5, 6)
    assert one.f1 == pytest.approx(0.6)
    assert one.low <= one.f1 <= one.high


def test_the_scanner_sees_what_an_import_names_and_the_map_also_what_it_leads_to(shop: Path) -> None:
    named = {("main.py", "shop/__init__.py"), ("shop/__init__.py", "shop/tokens.py")}
    assert regex_edges(shop, set(FILES)).imports == named
    assert map_of(shop).imports == named | {("main.py", "shop/tokens.py")}


def test_names_alone_tie_a_call_to_every_function_of_that_name(shop: Path) -> None:
    (shop / "other.py").write_text("def refresh(): ...\n")
    calls = {("main.main", "shop.tokens.refresh")}
    assert name_matching_edges(shop).calls == calls | {("main.main", "other.refresh")}
    assert map_of(shop).calls == calls


def test_calls_are_sorted_into_own_external_and_built_in_ones(tmp_path: Path) -> None:
    case = tmp_path / "snippets" / "functions" / "call"
    case.mkdir(parents=True)
    (case / "main.py").write_text("")
    (case / "callgraph.json").write_text('{"main": ["main.f", "<builtin>.len", "os.path.join"]}')
    (found,) = cases_of(tmp_path)
    assert (found.category, found.name) == ("functions", "call")
    assert (found.own, found.external) == ({("main", "main.f")}, {("main", "os")})
    assert found.builtin == {("main", "<builtin>.len")}
