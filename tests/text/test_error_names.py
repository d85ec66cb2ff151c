"""Names in error lines."""

from __future__ import annotations

import pytest

from holloway.text.error_names import NAMED_ERRORS_MAX, NAMES_MAX, find_names, list_error_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("KeyError: 'SHOP_PAY_KEY'", {"KeyError", "SHOP_PAY_KEY"}),
        ("ModuleNotFoundError: No module named 'yaml'", {"ModuleNotFoundError", "yaml"}),
        ("error: connect ECONNREFUSED by createServer", {"ECONNREFUSED", "createServer"}),
        ("Refused to do what was asked", set()),
        ('panic: "api/v1.proto" is missing', {"api/v1.proto"}),
    ],
)
def test_names_are_what_is_no_plain_word(text: str, names: set[str]) -> None:
    assert find_names(text) == names


def test_many_names_are_bounded() -> None:
    assert len(find_names(" ".join(f"NAME_{number}" for number in range(1_000)))) == NAMES_MAX


def test_an_error_with_one_name_says_too_little_and_the_last_errors_count() -> None:
    assert list_error_names("Traceback (most recent call last):\nKeyError: missing\n") == []
    output = "".join(f"KeyError: 'KEY_{number}'\n\n" for number in range(9))
    assert list_error_names(output)[-1] == {"KeyError", "KEY_8"}
    assert len(list_error_names(output)) <= NAMED_ERRORS_MAX
