import pytest

from holloway.observer.words.decision import find_next_step


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("The parser is done. Next, I'll wire it into the command line.", "wire it into the command line"),
        ("Remaining: the migration for old files.", "the migration for old files"),
        ("Done so far: parsing.\n\nNext steps:\n- write the migration\n- document it", "write the migration"),
        ("TODO: cover the empty case", "cover the empty case"),
        ("Let me read the file. It is empty. Now let me look at the writer instead.", "look at the writer instead"),
        ("I still need to update the changelog", "update the changelog"),
    ],
)
def test_the_last_step_that_was_announced_is_found(text: str, step: str) -> None:
    assert find_next_step(text) == step


@pytest.mark.parametrize(
    "text",
    [
        "",
        "All tests pass and the change is committed.",
        "Let me know if you want more.",
        "Shall I go on with the writer?",
        "The next release is in May.",
        "Let me go",
    ],
)
def test_a_report_or_a_question_announces_nothing(text: str) -> None:
    assert find_next_step(text) == ""
