"""The one error that people and callers see."""


class HollowayError(Exception):
    """What went wrong, naming the value, and a hint that says what to do next."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if hint:
            self.add_note(hint)  # A traceback in a caller's own program shows it, too.


class InvalidInput(HollowayError):
    """The caller's value cannot be used; nothing was changed."""

    exit_code = 2
