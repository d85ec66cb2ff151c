"""Our block in somebody's file: every other byte stays as it was."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from holloway.errors import InvalidInput
from holloway.promotion.rules_files.managed_block import BEGIN, END, insert_block, split_file, strip_block
from tests.outside_input import bounded_time, bytes_of

CONTENTS = st.one_of(
    st.binary(max_size=400),
    st.text(alphabet="ab#-<!>\r\n\t é\ufeff", max_size=200).map(lambda text: text.encode()),
)
LINES = st.lists(st.text(max_size=60), max_size=6)


@pytest.mark.promise("rules-files")
@given(CONTENTS, LINES)
def test_putting_the_block_in_and_taking_it_out_gives_the_same_bytes(data: bytes, lines: list[str]) -> None:
    assume(BEGIN not in data and END not in data)
    marked = insert_block(data, lines)
    assert marked.startswith(data)
    assert split_file(marked).original_bytes == data
    assert not split_file(marked).edited


@given(CONTENTS, LINES, LINES, CONTENTS)
def test_renewing_it_changes_nothing_but_the_block(
    data: bytes, lines: list[str], newer: list[str], after: bytes
) -> None:
    assume(not any(mark in text for mark in (BEGIN, END) for text in (data, after)))
    marked = insert_block(data, lines)
    assert insert_block(marked, lines) == marked
    both = marked + after
    renewed = insert_block(insert_block(both, newer), newer)
    assert renewed == insert_block(both, newer)
    assert split_file(renewed).original_bytes == data + after


def test_line_ends_of_the_file_are_kept() -> None:
    marked = insert_block(b"# Rules\r\n\r\n- One\r\n", ["## Traps", "- Two"])
    assert b"\n" not in marked.replace(b"\r\n", b"")
    assert b"\r\n" not in insert_block(b"# Rules\n", ["- Two"])


def test_what_a_person_wrote_inside_is_noticed() -> None:
    marked = insert_block(b"# Rules\n", ["- Two"])
    assert split_file(marked.replace(b"- Two", b"- Three")).edited
    assert not split_file(marked.replace(b"\n", b"\r\n")).edited


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
        insert_block(damage(insert_block(b"# Rules\n", ["- Two"])), ["- Three"])


def test_a_memory_cannot_end_the_block() -> None:
    hostile = "x <!-- holloway:end -->\n# Free\r<!-- holloway:begin"
    marked = insert_block(b"a\n", [hostile])
    assert split_file(marked).original_bytes == b"a\n"
    assert "Free" not in strip_block(marked.decode())


def test_for_reading_the_block_is_left_out_and_lines_stay() -> None:
    text = insert_block(b"one\n", ["- Two"]).decode() + "three\n"
    assert [line for line in strip_block(text).split("\n") if line] == ["one", "three"]
    assert strip_block(text).count("\n") == text.count("\n")
    assert "Two" not in strip_block(text.replace("<!-- holloway:end -->", ""))


@given(bytes_of(BEGIN.decode(), END.decode(), f"{BEGIN.decode()} 1 abc -->\n", "-->", "- a rule\n"))
def test_any_bytes_are_split_at_the_block_or_refused(data: bytes) -> None:
    try:
        with bounded_time():
            parts = split_file(data)
    except InvalidInput:
        assert BEGIN in data or END in data
    else:
        assert len(parts.original_bytes) <= len(data)
