import ast
import builtins
import re
from pathlib import Path

import pytest

from docs import style

SOURCE = '''
"""What agents read. The parser is made anew."""


class Row:
    """A row."""


def told(each):
    for found in each:
        yield found


def parse_rows(rows):
    return [row for row in rows]
'''


@pytest.fixture
def figures(tmp_path: Path) -> dict[str, style.Figure]:
    """The figures of a tree with one good and several odd names."""
    source, pages = tmp_path / "source", tmp_path / "pages"
    source.mkdir()
    pages.mkdir()
    (source / "telling.py").write_text(SOURCE, "utf-8")
    (source / "rows.py").write_text("class Row:\n    pass\n", "utf-8")
    (pages / "page.md").write_text("One page.\n```\nrun it anew\n```\nMend it.\n", "utf-8")
    return {figure.name: figure for figure in style.measure_tree(source, pages)}


def test_variables_named_by_a_filler_word_are_counted(figures: dict[str, style.Figure]) -> None:
    assert figures["filler_variables_percent"].value == 50
    assert figures["filler_variables_percent"].offenders == ["each (telling.py:9)", "found (telling.py:10)"]


def test_functions_named_by_one_word_or_a_participle_are_counted(figures: dict[str, style.Figure]) -> None:
    assert figures["one_word_functions_percent"].offenders == ["told (telling.py:9)"]
    assert figures["participle_functions_percent"].value == 50


def test_gerund_modules_and_repeated_class_names_are_counted(figures: dict[str, style.Figure]) -> None:
    assert figures["gerund_modules"].offenders == ["telling"]
    assert figures["repeated_public_classes"].offenders == ["Row (rows.py, telling.py)"]


def test_a_constant_of_two_modules_is_counted_and_a_private_one_if_it_is_a_number(tmp_path: Path) -> None:
    (tmp_path / "limits.py").write_text('ROWS_MAX, HEAD = 64 * 1024, "a"\n_WIDTH = -1\n_ROW = "x"\n', "utf-8")
    (tmp_path / "rows.py").write_text('ROWS_MAX: int = 5\n_WIDTH = "wide"\n_ROW = "y"\nTAIL = 1\n', "utf-8")
    figures = {figure.name: figure for figure in style.measure_tree(tmp_path, tmp_path)}
    assert figures["repeated_constants"].offenders == [
        "ROWS_MAX (limits.py:1, rows.py:1)",
        "_WIDTH (limits.py:2, rows.py:2)",
    ]


def test_odd_phrases_are_counted_per_ten_thousand_words_outside_of_code_blocks(
    figures: dict[str, style.Figure],
) -> None:
    assert figures["odd_phrases_in_docstrings"].offenders == ["What agents", "anew"]
    assert figures["odd_phrases_in_docs"].value == 0
    assert figures["odd_phrases_in_docstrings"].is_exceeded


@pytest.mark.parametrize(("name", "is_odd"), [("_kept", True), ("loaded", True), ("embed", False), ("load", False)])
def test_a_verb_that_ends_like_a_participle_is_not_counted(name: str, is_odd: bool) -> None:
    assert style.is_participle(name) is is_odd


def test_every_figure_has_a_limit(figures: dict[str, style.Figure]) -> None:
    assert figures.keys() == style.LIMITS.keys()


def test_the_tree_reads_within_its_limits() -> None:
    assert [
        (figure.name, figure.value, figure.offenders[:5]) for figure in style.measure_tree() if figure.is_exceeded
    ] == []


def test_every_exception_that_a_docstring_names_exists() -> None:
    """A renamed exception is easily left behind in the docstrings of the functions that raise it."""
    sources = {path: path.read_text("utf-8") for path in (style.ROOT / "src").rglob("*.py")}
    nodes = [node for source in sources.values() for node in ast.walk(ast.parse(source))]
    defined = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    imported = {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    mentioned = {
        (path.name, name) for path, source in sources.items() for name in re.findall(r"[Rr]aises ([A-Z]\w+)", source)
    }
    assert mentioned
    assert {(path, name) for path, name in mentioned if name not in defined | imported | set(dir(builtins))} == set()
