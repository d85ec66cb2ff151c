"""Protocol for content that setup adds to an agent's configuration file, and lenient JSON parsing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from holloway.errors import HollowayError
from holloway.install import jsonc


class ConfigContent(Protocol):
    """Content for one kind of configuration file. A missing file is the empty text."""

    @property
    def description(self) -> str:
        """Return a short description for the user."""

    def add_entries(self, text: str) -> str:
        """Return the text with our entries added or updated. Raises UnsupportedConfig."""

    def remove_entries(self, text: str) -> str:
        """Return the text without our entries; everything else stays. Raises UnsupportedConfig."""

    def has_entries(self, text: str) -> bool:
        """Return whether the text contains entries of ours, for any scope."""

    def describe_problem(self, text: str) -> str:
        """Return a note for the user about the text; usually empty."""


@dataclass(frozen=True, slots=True)
class CombinedContent:
    """Several contents of one file, for agents that keep hooks and MCP servers in the same settings."""

    contents: tuple[ConfigContent, ...]

    @property
    def description(self) -> str:
        """Return the descriptions, joined."""
        return ", ".join(content.description for content in self.contents)

    def add_entries(self, text: str) -> str:
        """Return the text with the entries of all contents. Raises UnsupportedConfig."""
        for content in self.contents:
            text = content.add_entries(text)
        return text

    def remove_entries(self, text: str) -> str:
        """Return the text without the entries of any content. Raises UnsupportedConfig."""
        for content in reversed(self.contents):
            text = content.remove_entries(text)
        return text

    def has_entries(self, text: str) -> bool:
        """Return whether the text contains entries of any content."""
        return any(content.has_entries(text) for content in self.contents)

    def describe_problem(self, text: str) -> str:
        """Return the first note of a content."""
        return next(filter(None, (content.describe_problem(text) for content in self.contents)), "")


class UnsupportedConfig(HollowayError):
    """A configuration file cannot be parsed or has an unknown structure; it is not changed."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "The file was not changed. Fix it, then try again.")


def parse_settings(text: str) -> dict[str, Any]:
    """Parse a JSON object; comments and trailing commas are allowed. Raises UnsupportedConfig."""
    try:
        value = jsonc.scan_text(text).root.value
    except ValueError as error:
        raise UnsupportedConfig(f"is not valid JSON: {error}.") from None
    if value is None and not text.strip("\ufeff \t\r\n"):
        return {}
    if not isinstance(value, dict):
        raise UnsupportedConfig("is not a JSON object.")
    return value


def ensure_object(text: str) -> str:
    """Return the text, or an empty JSON object if it is blank."""
    return text if text.strip("\ufeff \t\r\n") else text + "{}\n"


def describe_lenient_json(text: str, label: str) -> str:
    """Return a note if the text is not strict JSON, so that the agent would ignore the file."""
    odd = jsonc.scan_text(text).lenient
    return f"{label} does not read a file with {odd}; it has to be plain JSON." if odd else ""


def as_table(value: object) -> dict[str, Any]:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Return the value if it is an array, else an empty one."""
    return value if isinstance(value, list) else []
