"""Commands, options, variables and settings that widen trust or lower a protection are recognised."""

import tomllib

import pytest
from hypothesis import given

from holloway.data.source import DATA_FOLDER
from holloway.safety.guarded_commands import lowers_protection
from holloway.safety.repository_text import admit
from tests.outside_input import bounded_time, text_of

ROWS = tomllib.loads((DATA_FOLDER / "guarded_commands.toml").read_text("utf-8"))["guarded"]
EXAMPLES = [pytest.param(text, id=f"{row['id']}-{text}") for row in ROWS for text in row["examples"]]
COUNTEREXAMPLES = [pytest.param(text, id=f"{row['id']}-{text}") for row in ROWS for text in row["counterexamples"]]


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_examples_of_the_table_are_guarded(text: str) -> None:
    assert lowers_protection(text)
    assert lowers_protection(f"run `{text.upper()}` first")


@pytest.mark.parametrize("text", COUNTEREXAMPLES)
def test_the_counterexamples_of_the_table_are_not(text: str) -> None:
    assert not lowers_protection(text)


@pytest.mark.parametrize(
    "text",
    ["npm test", "pytest -q", "make generate", "docker compose up -d", "git fetch", "go test ./...", "set REDIS_URL=x"],
)
def test_ordinary_fixes_are_not_guarded(text: str) -> None:
    assert not lowers_protection(text)


def test_a_guarded_command_is_neither_a_command_nor_part_of_an_explanation() -> None:
    assert admit("command", "npm run build")
    assert admit("command", "npm config set strict-ssl false") == ""
    assert admit("explanation", "The handshake failed until the proxy was asked with its own name.")
    assert admit("explanation", "The handshake failed until GIT_SSL_NO_VERIFY=1 came with the proxy.") == ""
    assert admit("subject", "Set strict-ssl=false for the proxy") == ""


@given(text_of("git config ", "npm -x ", "curl -k", "chmod ", "verify = ", "git push "))
def test_any_text_is_checked_in_bounded_time(text: str) -> None:
    with bounded_time():
        assert lowers_protection(text) in (True, False)
