"""Errors carry a message and a hint, and the hint is in a traceback too."""

import pytest

from holloway.errors import HollowayError, InvalidInput


@pytest.mark.parametrize(("kind", "code"), [(HollowayError, 1), (InvalidInput, 2)])
def test_an_error_has_its_message_its_hint_and_its_exit_code(kind: type[HollowayError], code: int) -> None:
    error = kind("'x' is no type.", "Choose another.")
    assert (str(error), error.message, error.hint, error.exit_code) == (
        "'x' is no type.",
        "'x' is no type.",
        "Choose another.",
        code,
    )
    assert error.__notes__ == ["Choose another."]


def test_an_error_without_a_hint_has_no_note() -> None:
    assert not hasattr(HollowayError("It failed."), "__notes__")
