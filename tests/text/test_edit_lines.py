from hypothesis import given
from hypothesis import strategies as st

from holloway.config import SCRATCHPAD_LINES_MAX
from holloway.text import edit_lines, tools
from tests.outside_input import JSON, bounded_time, text_of


def test_lines_that_only_frame_an_edit_are_left_out() -> None:
    assert edit_lines.changed_lines("def f():\n    a\n    b\n", "def f():\n    a\n    c\n    b\n") == ((), ("c",))
    assert edit_lines.changed_lines("a\n\n  b", "a\nb") == ((), ())
    assert edit_lines.changed_lines("", "new") == ((), ("new",))
    assert edit_lines.changed_lines("old", "") == (("old",), ())


def test_a_patch_names_its_files_and_their_lines() -> None:
    patch = "*** Begin Patch\n*** Update File: a b.py\n@@\n-one\n+two\n three\n*** Add File: c.py\n+x\n*** End Patch\n"
    found = edit_lines.parse_patch("apply_patch <<'EOF'\n" + patch + "EOF")
    assert [(each.path, each.kind, each.removed, each.added) for each in found] == [
        ("a b.py", "edit", ["one"], ["two"]),
        ("c.py", "write", [], ["x"]),
    ]


def test_a_patch_is_read_only_so_far() -> None:
    endless = "*** Begin Patch\n" + "".join(f"*** Add File: {n}.py\n+x\n" for n in range(200))
    assert len(edit_lines.parse_patch(endless)) == tools.TOOL_FILES_MAX
    long = "*** Begin Patch\n*** Add File: a.py\n" + "+x\n" * 500
    assert len(edit_lines.parse_patch(long)[0].added) == SCRATCHPAD_LINES_MAX


@given(st.text(), st.text())
def test_an_edit_of_any_texts_has_few_lines_and_the_same_text_has_none(old: str, new: str) -> None:
    removed, added = edit_lines.changed_lines(old, new)
    assert max(len(removed), len(added)) <= SCRATCHPAD_LINES_MAX
    assert set(removed) <= set(edit_lines.meaningful_lines(old))
    assert set(added) <= set(edit_lines.meaningful_lines(new))
    assert edit_lines.changed_lines(old, old) == ((), ())


@given(
    text_of("*** Begin Patch\n", "*** Update File: a.py\n", "*** Add File: ", "*** Move to: ", "+x\n", "-y\n", "@@\n")
)
def test_any_text_is_read_as_a_patch_of_few_files_and_lines(text: str) -> None:
    with bounded_time():
        changes = edit_lines.parse_patch(text)
    assert len(changes) <= tools.TOOL_FILES_MAX
    for change in changes:
        assert change.path.strip()
        assert len(change.added) <= SCRATCHPAD_LINES_MAX
        assert len(change.removed) <= SCRATCHPAD_LINES_MAX


@given(st.dictionaries(st.sampled_from([*tools.OLD_TEXT, *tools.NEW_TEXT, "edits"]), JSON | st.lists(JSON), max_size=4))
def test_any_arguments_of_an_edit_have_lines_or_none(arguments: dict[str, object]) -> None:
    removed, added = edit_lines.changed_by(arguments)
    assert all(isinstance(line, str) for line in [*removed, *added])
