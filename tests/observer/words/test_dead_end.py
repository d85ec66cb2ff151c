import pytest

from holloway.observer.words.dead_end import Abandonment, find_abandonment


@pytest.mark.parametrize(
    ("text", "abandonment"),
    [
        (
            "This approach won't work because the sandbox has no network. Let me use a recorded answer.",
            Abandonment("This approach", "the sandbox has no network", "use a recorded answer"),
        ),
        (
            "The polling strategy doesn't scale: every client asks each second.",
            Abandonment("The polling strategy", "every client asks each second", ""),
        ),
        (
            "Patching the loader is a dead end because it is compiled in.",
            Abandonment("Patching the loader", "it is compiled in", ""),
        ),
        (
            "Let me revert my change to the parser and extend the lexer instead.",
            Abandonment("my change to the parser", "", "extend the lexer instead"),
        ),
        (
            "The driver isn't installed here. Let me try a different approach: parse the file by hand.",
            Abandonment("", "The driver isn't installed here", "parse the file by hand"),
        ),
        ("Docker is not available in this environment.", Abandonment("", "is not available in this environment", "")),
    ],
)
def test_what_was_left_and_why_and_for_what_is_taken_apart(text: str, abandonment: Abandonment) -> None:
    assert find_abandonment(text) == abandonment


def test_another_approach_without_a_word_why_has_no_reason() -> None:
    assert find_abandonment("Let me try another approach.") == Abandonment("", "", "")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "This approach works because the cache is warm.",
        "Should I try a different approach?",
        "The plan is to add a table.",
        "I'll revert the test database at the end",
        "If this approach won't work, we can talk about it.",
    ],
)
def test_what_goes_on_is_not_left(text: str) -> None:
    assert find_abandonment(text) is None


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("Let me try a different approach because the mock server drops headers", "the mock server drops headers"),
        ("I need to abandon this plan because the cache is shared by workers", "the cache is shared by workers"),
    ],
)
def test_the_reason_after_because_is_kept(said: str, reason: str) -> None:
    left = find_abandonment(said)
    assert left is not None
    assert left.reason == reason
