"""Promises and tests, checked both ways."""

import ast
from pathlib import Path

from docs.promises import list_kept, load_broken, load_planned, render_page

TESTS = Path(__file__).parents[1]


def marked() -> dict[str, set[str]]:
    """The promises that tests name, each with the files that name it."""
    found: dict[str, set[str]] = {}
    for path in TESTS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.promise":
                for argument in node.args:
                    assert isinstance(argument, ast.Constant)
                    found.setdefault(str(argument.value), set()).add(path.name)
    return found


def test_every_promise_is_held_by_a_test() -> None:
    assert set(list_kept()) - set(marked()) == set()


def test_every_marked_test_holds_a_promise_that_is_made() -> None:
    assert set(marked()) - set(list_kept()) == set()


def test_what_is_not_built_yet_is_not_called_kept() -> None:
    assert set(list_kept()) & set(load_planned()) == set()


def test_what_was_found_is_about_a_promise_that_is_made_and_stands_on_the_page() -> None:
    assert set(load_broken()) <= set(list_kept())
    for name, found in load_broken().items():
        assert f"| `{name}` | {found} |" in render_page()


def test_every_promise_is_one_sentence() -> None:
    for name, sentence in (list_kept() | load_planned()).items():
        assert sentence.endswith("."), name
        assert sentence[0].isupper(), name
        assert "\n" not in sentence, name
