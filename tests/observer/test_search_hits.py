"""The lines of a search have the carrier of the file that they name."""

from __future__ import annotations

from typing import Any

import pytest

from holloway.domain.event import ToolKind
from holloway.observer.origins import NO_ORIGIN, OWN_TEXT, SOURCE_CHARS_MAX, Carrier, Origin
from holloway.observer.scratchpad import Action
from holloway.observer.search_hits import prints_hits, split_hits

WEAK = Carrier(Origin.WEAK, "output:pytest")
UNNAMED = Carrier(Origin.OWN, "the command")


def make_action(kind: ToolKind = ToolKind.SHELL, **fields: Any) -> Action:
    return Action(1, 1.0, kind, ok=True, **fields)


def classify(path: str) -> Carrier:
    return OWN_TEXT if path.startswith("src/") else Carrier(Origin.FOREIGN, path)


def split(text: str, action: Action, carrier: Carrier = UNNAMED) -> list[tuple[str, str]]:
    """Return the passages of a search as rows of source and text."""
    passages = split_hits(text, action, carrier, classify)
    return [(passage.carrier.source or passage.carrier.origin.value, passage.text) for passage in passages]


@pytest.mark.parametrize("command", ["rg vault", "grep -rn vault .", "git grep vault", "pytest; rg vault"])
def test_a_command_that_searches_prints_hits(command: str) -> None:
    assert prints_hits(make_action(command=command))


@pytest.mark.parametrize("command", ["cat a.md", "git log", "pytest -q", ""])
def test_other_commands_print_no_hits(command: str) -> None:
    assert not prints_hits(make_action(command=command))


def test_only_the_search_tool_prints_hits() -> None:
    assert [kind for kind in ToolKind if prints_hits(make_action(kind))] == [ToolKind.SEARCH]


RG = make_action(command="rg -n vault")


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("notes.md:4:vault", "notes.md"),
        ("notes.md-4-vault", "notes.md"),
        ("my notes.md:4:vault", "my notes.md"),
        ("./notes.md:vault", "./notes.md"),
        ("docs/notes.md", "docs/notes.md"),
        ("  notes.md", "notes.md"),
    ],
)
def test_the_file_of_a_line_is_recognised(line: str, path: str) -> None:
    assert split(line, RG) == [(path, line)]


@pytest.mark.parametrize("line", ["4:vault", "12:34: vault", "vault", "see notes.md: vault", "", " : "])
def test_a_line_without_a_file_belongs_to_the_one_before(line: str) -> None:
    assert split(f"{line}\n", RG) == ([("none", f"{line}\n")])
    assert split(f"notes.md:1:x\n{line}\n", RG) == [("notes.md", f"notes.md:1:x\n{line}\n")]


def test_lines_of_one_carrier_are_one_passage() -> None:
    text = "src/a.py:1:x\nsrc/b.py:2:y\nnotes.md:3:z\nsrc/a.py:4:x\n"
    assert split(text, RG) == [
        ("own", "src/a.py:1:x\nsrc/b.py:2:y\n"),
        ("notes.md", "notes.md:3:z\n"),
        ("own", "src/a.py:4:x\n"),
    ]


def test_lines_between_the_hits_of_a_weak_command_are_weak() -> None:
    text = "1 passed\nnotes.md:3:z\n1 failed\n"
    action = make_action(command="rg vault; pytest")
    assert split(text, action, WEAK) == [
        ("output:pytest", "1 passed\n"),
        ("notes.md", "notes.md:3:z\n"),
        ("output:pytest", "1 failed\n"),
    ]


@pytest.mark.parametrize(
    ("action", "source"),
    [
        (make_action(command="rg vault src/a.py"), "the command"),
        (make_action(command="rg vault src/a.py src/b.py"), "the command"),
        (make_action(command="rg vault src/a.py src"), "none"),
        (make_action(command="rg vault src"), "none"),
        (make_action(command="rg vault"), "none"),
        (make_action(command="git grep vault"), "none"),
        (make_action(command="rg -I vault src/a.py"), "shell:rg"),
        (make_action(command="grep -rh vault ."), "shell:grep"),
        (make_action(command="rg --no-filename vault"), "shell:rg"),
        (make_action(command="rg -uuIN vault"), "shell:rg"),
        (make_action(command="grep -hn vault src"), "shell:grep"),
        (make_action(command="ag --nofilename vault"), "shell:ag"),
        (make_action(command="grep -rI vault ."), "none"),
        (make_action(command="rg -uh vault"), "none"),
        (make_action(ToolKind.SEARCH, path="src/a.py"), "the command"),
        (make_action(ToolKind.SEARCH, path="src"), "none"),
        (make_action(ToolKind.SEARCH), "none"),
    ],
)
def test_hits_that_name_no_file_are_those_of_the_files_that_were_searched(action: Action, source: str) -> None:
    assert split("4:vault\n", action) == [(source, "4:vault\n")]


def test_the_source_of_a_hit_is_cut() -> None:
    assert split(f"{'x' * 200}.md:3:vault\n", RG)[0][0] == "x" * SOURCE_CHARS_MAX


def test_a_search_without_output_has_no_passage() -> None:
    assert split("", RG, NO_ORIGIN) == []
