"""What holloway puts into a file of an agent's: the face that all kinds of it share, and the reading of JSON."""

from __future__ import annotations

from typing import Any, Protocol

from holloway.errors import HollowayError
from holloway.install import jsonc


class Content(Protocol):
    """What is put into one kind of file. A file that is not there is the empty text."""

    @property
    def what(self) -> str:
        """What it is, in a few words for the person."""

    def put(self, text: str) -> str:
        """The text with our entries as they should be."""

    def taken(self, text: str) -> str:
        """The text without our entries; all else stays."""

    def present(self, text: str) -> bool:
        """Whether anything of ours stands in the text, whatever scope it is for."""

    def means(self, text: str) -> object:
        """What the text says to its agent, for comparing."""

    def note(self, text: str) -> str:
        """What the person should know about the text; usually nothing."""


class NotUnderstood(HollowayError):
    """A file has a form that holloway does not know; it is left as it is."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "It was left as it is. Mend it, then try again.")


def settings_of(text: str) -> dict[str, Any]:
    """The object in a JSON text, comments and commas too many allowed."""
    try:
        value = jsonc.scan(text).root.value
    except ValueError as error:
        raise NotUnderstood(f"is not valid JSON: {error}.") from None
    if value is None and not text.strip("\ufeff \t\r\n"):
        return {}
    if not isinstance(value, dict):
        raise NotUnderstood("holds no settings object.")
    return value


def with_object(text: str) -> str:
    """A text that has an object in it, if only an empty one."""
    return text if text.strip("\ufeff \t\r\n") else text + "{}\n"


def not_plain(text: str, label: str) -> str:
    """A note where an agent that reads JSON strictly would leave the file aside."""
    odd = jsonc.scan(text).lenient
    return f"{label} does not read a file with {odd}; it has to be plain JSON." if odd else ""


def table(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def listed(value: object) -> list[Any]:
    """The value if it is an array, else an empty one."""
    return value if isinstance(value, list) else []
