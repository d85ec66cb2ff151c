"""The title and the body of a pull request are found in the words of its command."""

import pytest

from holloway.text.arguments import COMMIT_MESSAGE_CHARS_MAX, find_pull_request_text
from holloway.text.commands import PULL_REQUEST_PROGRAM, parse_command


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["--title", "Share it", "--body", "Because of threads"], "Share it\nBecause of threads"),
        (["-t", "Share it", "-b", "Because of threads"], "Share it\nBecause of threads"),
        (["--body=Because of threads", "--title=Share it"], "Share it\nBecause of threads"),
        (["--body", "Because of threads"], "Because of threads"),
        (["--title", "Share it", "--title", "Twice", "--fill"], "Share it"),
        (["--label", "bug", "--base", "main"], ""),
        (["--title"], ""),
        ([], ""),
    ],
)
def test_the_options_of_a_pull_request_are_read(args: list[str], text: str) -> None:
    assert find_pull_request_text(args, []) == text


def test_a_substituted_here_document_is_the_body() -> None:
    body = "$(cat <<'EOF'\n## Why\n\nBecause of threads\nEOF\n)"
    assert find_pull_request_text(["-t", "Share it", "-b", body], []) == "Share it\n## Why\n\nBecause of threads"


@pytest.mark.parametrize("option", ["-F", "--body-file"])
def test_the_standard_input_is_the_body_if_an_option_says_so(option: str) -> None:
    assert find_pull_request_text(["-t", "Share it", option, "-"], ["Because", "other"]) == "Share it\nBecause"
    assert find_pull_request_text(["-t", "Share it", option, "-"], []) == "Share it"


def test_a_document_without_that_option_or_beside_a_body_is_not_the_body() -> None:
    assert find_pull_request_text(["-t", "Share it"], ["Because"]) == "Share it"
    assert find_pull_request_text(["-b", "Threads", "-F", "-"], ["Because"]) == "Threads"


def test_a_long_body_is_cut() -> None:
    text = find_pull_request_text(["-t", "Share it", "-b", "x" * 2 * COMMIT_MESSAGE_CHARS_MAX], [])
    assert len(text) == COMMIT_MESSAGE_CHARS_MAX
    assert text.startswith("Share it\nxx")


def test_the_step_of_a_shell_command_has_the_text() -> None:
    (step,) = parse_command("gh pr create -t 'Share it' -b 'Because of threads'")
    assert (step.program, step.message) == (PULL_REQUEST_PROGRAM, "Share it\nBecause of threads")
    (step,) = parse_command("gh pr comment -t 'Share it' -b 'Because of threads'")
    assert step.message == ""
