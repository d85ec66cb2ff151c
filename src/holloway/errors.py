"""Error classes that users and callers see: a message that names the value, and a hint."""

from __future__ import annotations


class HollowayError(Exception):
    """Error whose message names the value, with a hint that says what to do next."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if hint:
            self.add_note(hint)  # shown in a traceback of a caller's program, too


class InvalidInput(HollowayError):
    """The caller's value cannot be used; nothing was changed."""

    exit_code = 2


class EmbeddingFailed(HollowayError):
    """A text could not be embedded."""


class EmbedderMissing(EmbeddingFailed):
    """This installation cannot embed at all."""


class EmbedderUnavailable(EmbeddingFailed):
    """The provider does not answer, or is misconfigured: another text would not help."""


class TextNotEmbeddable(EmbeddingFailed):
    """The provider refuses these texts; it may accept others."""
