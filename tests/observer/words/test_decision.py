import pytest

from holloway.observer.words.decision import extract_reason, find_next_step


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("feat(api): stream rows instead of collecting them (#412)", "stream rows instead of collecting them"),
        (
            "Keep one connection per thread\n\nSQLite connections are not shared, because the driver\n"
            "checks the thread at every call. Pools were tried.\n\nSigned-off-by: A <a@example.org>",
            "SQLite connections are not shared, because the driver checks the thread at every call",
        ),
        ("Sort the keys so that builds compare equal", "Sort the keys so that builds compare equal"),
        ("Retry twice\n\n- back off to avoid a thundering herd\n- log it", "back off to avoid a thundering herd"),
    ],
)
def test_the_sentence_with_the_reason_is_found(message: str, reason: str) -> None:
    assert extract_reason(message) == reason


def test_the_plainest_reason_goes_before_an_earlier_weaker_one() -> None:
    message = "Use a heap instead of a list\n\nThe list was slow because it was sorted at every insert."
    assert extract_reason(message) == "The list was slow because it was sorted at every insert"


@pytest.mark.parametrize(
    "message",
    [
        "",
        "Fix typo",
        "Add the export command",
        "Merge branch 'instead-of' into main because of the release",
        'Revert "Use X instead of Y in the parser"',
        "Add a test\n\n```\nfail because reason is here\n```",
        "Rename\n\nNote-to-self: because of the name",
    ],
)
def test_a_message_without_a_reason_of_its_own_gives_nothing(message: str) -> None:
    assert extract_reason(message) == ""


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
