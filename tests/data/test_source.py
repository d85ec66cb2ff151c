"""A table's TOML is checked field by field, and fragments are filled into its patterns."""

import re
from pathlib import Path
from typing import Any

import pytest

from holloway.data import source
from holloway.data.source import TableSource
from holloway.errors import InvalidInput


@pytest.mark.parametrize(
    ("check", "value", "compiled"),
    [
        (source.check_text, "a", "a"),
        (source.check_texts, ["a", "b"], ["a", "b"]),
        (source.check_words, "a b\nc", ["a", "b", "c"]),
        (source.check_number, 3, 3),
        (source.check_number, 2.5, 2.5),
        (source.check_flag, False, False),
        (source.check_pattern, ["a", "(?=b)"], "a(?=b)"),
        (source.check_linear_pattern, "a+", "a+"),
        (source.check_piece, "(", "("),
        (source.check_one_of("a", "b"), "b", "b"),
    ],
)
def test_a_value_of_its_kind_is_accepted(check: source.Check, value: Any, compiled: Any) -> None:
    assert check(value) == compiled


@pytest.mark.parametrize(
    ("check", "value", "reason"),
    [
        (source.check_text, "", "is not a text"),
        (source.check_text, 3, "is not a text"),
        (source.check_texts, [], "is not a list of texts"),
        (source.check_texts, "a", "is not a list of texts"),
        (source.check_texts, ["a", 3], "is not a text"),
        (source.check_words, "b a b a c", "has a, b twice"),
        (source.check_number, True, "is not a number"),
        (source.check_number, "3", "is not a number"),
        (source.check_flag, 1, "is not true or false"),
        (source.check_pattern, "(", "is not a pattern: "),
        (source.check_linear_pattern, "(?=a)", "is not a pattern for RE2: "),
        (source.check_one_of("a", "b"), "c", "is not one of a, b"),
    ],
)
def test_another_value_is_refused_with_the_reason(check: source.Check, value: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        check(value)


TABLE = """
source = "observed"

[fragments]
end = "${stop}$"
stop = ["[.]", "?"]

[alternatives]
words = ["a", "b"]

[[rules]]
id = "one"
regex = "(?:${words})${end}"

[[rules]]
id = "two"
regex = ["x", "${end}"]
source = "a manual"
note = "why"

[limits]
first = 1
second = 2
"""
REQUIRED = {"id": source.check_text, "regex": source.check_pattern}


def read(folder: Path, text: str = TABLE) -> TableSource:
    (folder / "table.toml").write_text(text, "utf-8")
    return TableSource(folder / "table.toml")


def test_rows_are_compiled_with_their_fragments_and_their_source(tmp_path: Path) -> None:
    rows = read(tmp_path).check_rows("rules", REQUIRED, {"note": source.check_text})
    assert rows == [
        {"id": "one", "regex": "(?:a|b)[.]?$", "source": "observed"},
        {"id": "two", "regex": "x[.]?$", "source": "a manual", "note": "why"},
    ]
    assert read(tmp_path).find_fragment("end") == "[.]?$"


def test_tables_and_entries_are_checked(tmp_path: Path) -> None:
    table = read(tmp_path)
    limits = {"first": source.check_number, "second": source.check_number}
    assert table.check_table("limits", limits) == {"first": 1, "second": 2}
    assert table.check_entries("limits", source.check_number) == {"first": 1, "second": 2}
    assert table.check_entries("nothing", source.check_number) == {}
    with pytest.raises(InvalidInput, match=r"table\.toml, \[limits\]: third is missing"):
        table.check_table("limits", {**limits, "third": source.check_number})
    with pytest.raises(InvalidInput, match=r"table\.toml, \[limits\]: second is not known; known are first"):
        table.check_table("limits", {"first": source.check_number})


@pytest.mark.parametrize(
    ("wrong", "right", "message"),
    [
        ('id = "two"', 'id = "one"', r"table\.toml, \[\[rules\]\]: id has one twice"),
        ("${words}", "${gone}", r"row 1 \(one\): regex names \$\{gone\}, which is not in"),
        ('source = "observed"', "", r"row 1 \(one\): source is missing"),
        ('id = "one"', "", r"row 1 \(unnamed\): id is missing"),
        ("[[rules]]", "[[others]]", r"table\.toml has no \[\[rules\]\]"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, wrong: str, right: str, message: str) -> None:
    assert wrong in TABLE
    with pytest.raises(InvalidInput, match=message):
        read(tmp_path, TABLE.replace(wrong, right)).check_rows("rules", REQUIRED, {"note": source.check_text})


def test_names_are_unique_only_where_a_row_is_named_by_them(tmp_path: Path) -> None:
    text = 'source = "x"\n[[rows]]\nkind = "a"\n[[rows]]\nkind = "a"\n'
    assert len(read(tmp_path, text).check_rows("rows", {"kind": source.check_text})) == 2


def test_a_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"table\.toml is not TOML"):
        read(tmp_path, "[[")
