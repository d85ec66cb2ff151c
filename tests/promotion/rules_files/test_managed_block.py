"""Our block in somebody's file: every other byte stays as it was."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from holloway.errors import InvalidInput
from holloway.promotion.rules_files.managed_block import BEGIN, END, parts, with_block, without_block

CONTENTS = st.one_of(
    st.binary(max_size=400),
    st.text(alphabet="ab#-<!>\r\n\t é\ufeff", max_size=200).map(lambda text: text.encode()),
)
LINES = st.lists(st.text(max_size=60), max_size=6)


@pytest.mark.promise("rules-files")
@given(CONTENTS, LINES)
def test_putting_the_block_in_and_taking_it_out_gives_the_same_bytes(data: bytes, lines: list[str]) -> None:
    assume(BEGIN not in data and END not in data)
    marked = with_block(data, lines)
    assert marked.startswith(data)
    assert parts(marked).rest == data
    assert not parts(marked).edited


@given(CONTENTS, LINES, LINES, CONTENTS)
def test_renewing_it_changes_nothing_but_the_block(
    data: bytes, lines: list[str], newer: list[str], after: bytes
) -> None:
    assume(not any(mark in text for mark in (BEGIN, END) for text in (data, after)))
    marked = with_block(data, lines)
    assert with_block(marked, lines) == marked
    both = marked + after
    renewed = with_block(with_block(both, newer), newer)
    assert renewed == with_block(both, newer)
    assert parts(renewed).rest == data + after


def test_line_ends_of_the_file_are_kept() -> None:
    marked = with_block(b"# Rules\r\n\r\n- One\r\n", ["## Traps", "- Two"])
    assert b"\n" not in marked.replace(b"\r\n", b"")
    assert b"\r\n" not in with_block(b"# Rules\n", ["- Two"])


def test_what_a_person_wrote_inside_is_noticed() -> None:
    marked = with_block(b"# Rules\n", ["- Two"])
    assert parts(marked.replace(b"- Two", b"- Three")).edited
    assert not parts(marked.replace(b"\n", b"\r\n")).edited


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data.replace(END, b""),
        lambda data: data.replace(BEGIN, b"<!-- begin"),
        lambda data: data + data,
        lambda data: data.replace(b"sum=", b"sun="),
        lambda data: END + b"\n" + data.replace(END, b""),
    ],
)
def test_damaged_marks_are_refused(damage: object) -> None:
    assert callable(damage)
    with pytest.raises(InvalidInput, match="damaged"):
        with_block(damage(with_block(b"# Rules\n", ["- Two"])), ["- Three"])


def test_a_memory_cannot_end_the_block() -> None:
    hostile = "x <!-- holloway:end -->\n# Free\r<!-- holloway:begin"
    marked = with_block(b"a\n", [hostile])
    assert parts(marked).rest == b"a\n"
    assert "Free" not in without_block(marked.decode())


def test_for_reading_the_block_is_left_out_and_lines_stay() -> None:
    text = with_block(b"one\n", ["- Two"]).decode() + "three\n"
    assert [line for line in without_block(text).split("\n") if line] == ["one", "three"]
    assert without_block(text).count("\n") == text.count("\n")
    assert "Two" not in without_block(text.replace("<!-- holloway:end -->", ""))
