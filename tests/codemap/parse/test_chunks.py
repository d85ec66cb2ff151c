"""A file in pieces for search: nothing is lost between them, and no function is cut in the middle of a statement."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.codemap.parse import chunks
from holloway.codemap.parse.chunks import BLOCK_LINES, CHUNK_LINES_MAX, Chunk, split_chunks
from holloway.codemap.parse.parser import extract_facts

pytestmark = pytest.mark.promise("pieces")


def python(source: str) -> list[Chunk]:
    data = source.encode()
    return split_chunks("src/shop/tokens.py", data, extract_facts("python", data))


def body(lines: int, margin: str = "    ") -> str:
    """So many lines, each statement of which takes two."""
    return "".join(f"{margin}call(\n{margin}    {number})\n" for number in range(lines // 2))


def spans(pieces: list[Chunk]) -> list[tuple[str, int, int]]:
    return [(one.name, one.line, one.end_line) for one in pieces]


def test_a_function_with_its_decorators_and_a_class_are_a_piece_each() -> None:
    source = "import os\n\n\n# Burns it.\n@once\ndef refresh(token):\n    return token\n\n\nclass Shop:\n    x = 1\n"
    pieces = python(source)
    assert spans(pieces) == [("", 1, 3), ("refresh", 4, 7), ("", 8, 9), ("Shop", 10, 11)]


def test_a_function_is_whole_up_to_the_limit_and_cut_between_statements_beyond_it() -> None:
    whole = python("def one():\n" + body(CHUNK_LINES_MAX - 2))
    assert len(whole) == 1
    source = "def long():\n" + body(3 * CHUNK_LINES_MAX)
    cut = python(source)
    assert len(cut) > 2
    assert {one.name for one in cut} == {"long"}
    lines = source.splitlines()
    assert all(lines[one.line - 1].startswith("    call(") for one in cut[1:])


def test_a_class_beyond_the_limit_is_cut_between_its_members() -> None:
    members = "".join(f"    def part_{number}(self):\n{body(50, '        ')}\n" for number in range(4))
    names = [one.name for one in python(f"class Shop:\n{members}")]
    assert [name for name in names if "." in name] == [f"Shop.part_{number}" for number in range(4)]


def test_prose_is_cut_at_its_headings() -> None:
    text = b"Intro\n\n# Use\nRun it.\n\nLimits\n======\nNone.\n- - -\n"
    pieces = split_chunks("README.md", text, None)
    assert spans(pieces) == [("Intro", 1, 2), ("Use", 3, 5), ("Limits", 6, 9)]


def test_text_without_structure_is_cut_after_some_lines() -> None:
    pieces = split_chunks("data.sql", b"SELECT 1;\n" * (2 * BLOCK_LINES + 1), None)
    assert [one.end_line - one.line + 1 for one in pieces] == [BLOCK_LINES, BLOCK_LINES, 1]


STATEMENTS = st.sampled_from(
    ["x = 1\n", "\n", "# said\n", "def f():\n    pass\n", "@once\ndef g(): ...\n", f"def h():\n{body(200)}"]
)


@given(st.lists(STATEMENTS | st.builds("class C:\n{}".format, st.just(body(260))), max_size=8).map("".join))
def test_the_pieces_of_a_file_are_the_whole_file_in_order(source: str) -> None:
    covered = [number for one in python(source) for number in range(one.line, one.end_line + 1)]
    assert covered == list(range(1, source.count("\n") + 1))


def test_a_bounded_number_of_words_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "EXPANSIONS_CACHED_MAX", 2)
    expansions = chunks._Expansions()
    assert [expansions[word] for word in (b"refresh", b"refreshToken", b"total")] == [
        *("refresh", chunks._expand_word("refreshToken"), "total")
    ]
    assert list(expansions) == [b"total"]


def test_a_chunk_starts_at_the_first_line_that_belongs_to_its_definition() -> None:
    source = "x = 1\n# one\n@two\n# three\ndef refresh():\n    pass\n@four\nclass Shop: ...\n"
    assert spans(python(source)) == [("", 1, 1), ("refresh", 2, 6), ("Shop", 7, 8)]


def test_the_terms_of_a_chunk_are_its_path_its_name_and_its_words_whole_and_split() -> None:
    (chunk,) = python("def refreshToken(): return a_b + x2y\n")
    assert chunk.head == "src shop tokens py refreshtoken refresh token"
    assert chunk.body.startswith("def refreshtoken refresh token return ab")
    assert chunk.kind == "function"
    (text,) = split_chunks("notes", "Zürich Geld x\n".encode(), None)
    assert (text.kind, text.head, text.body) == ("text", "notes", "zürich geld")


def test_equal_text_has_the_same_hash_wherever_it_is() -> None:
    (first,) = python("def a(): ...\n")
    second = python("x = 1\ndef a(): ...\n")[1]
    assert first.hash == second.hash
    assert first.hash != python("def a(): pass\n")[0].hash


def test_only_the_beginning_of_a_huge_chunk_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "CHUNK_BYTES_MAX", 12)
    assert split_chunks("notes", b"first second third\n", None)[0].body == "first second"


def test_a_file_has_a_bounded_number_of_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "FILE_CHUNKS_MAX", 2)
    assert len(split_chunks("data.sql", b"SELECT 1;\n" * (5 * BLOCK_LINES), None)) == 2


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("# Use #\nRun.\n", ["Use"]),
        ("a\n---\nb\n", ["a"]),
        ("\n---\nb\n", [""]),
        ("===\nb\n", ["==="]),
        ("x\n\n===\nb\n", ["x"]),
        ("#no heading\n", ["no heading"]),
        ("####### seven\n", ["seven"]),
    ],
)
def test_a_heading_is_marked_or_underlined(text: str, titles: list[str]) -> None:
    assert [piece.name for piece in split_chunks("README.md", text.encode(), None)] == titles


def test_a_long_function_is_cut_at_the_last_statement_that_fits() -> None:
    lines = "".join(f"    call({number})\n" for number in range(CHUNK_LINES_MAX + 10))
    assert spans(python(f"def long():\n{lines}")) == [
        ("long", 1, CHUNK_LINES_MAX - 1),
        ("long", CHUNK_LINES_MAX, CHUNK_LINES_MAX + 11),
    ]
