"""Content of a file that setup owns completely: a slash command or the skill."""

from __future__ import annotations

from dataclasses import dataclass

from holloway.install.slash_commands import FILE_MARK


@dataclass(frozen=True, slots=True)
class OwnFile:
    """File with a fixed text; it is only overwritten or removed if nobody edited it."""

    description: str
    text: str
    untouched: bool
    """Whether the existing file has exactly the bytes that an earlier setup wrote."""

    def add_entries(self, text: str) -> str:
        """Return our text, or the existing text if it is the user's."""
        return self.text if not text or self._is_ours(text) else text

    def remove_entries(self, text: str) -> str:
        """Return an empty text, or the existing text if it is the user's."""
        return "" if self._is_ours(text) else text

    def has_entries(self, text: str) -> bool:
        """Return whether the file is unedited."""
        return self._is_ours(text)

    def parse_meaning(self, text: str) -> object:
        """Return the text itself."""
        return text

    def describe_problem(self, text: str) -> str:
        """Return a note if the file is the user's or was edited."""
        if not text or self._is_ours(text):
            return ""
        return "was edited after setup wrote it, so it stays." if FILE_MARK in text else "is your file, so it stays."

    def _is_ours(self, text: str) -> bool:
        return text == self.text or (self.untouched and FILE_MARK in text)
