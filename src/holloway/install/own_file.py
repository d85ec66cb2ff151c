"""A file that is all ours: a slash command or the skill."""

from __future__ import annotations

from dataclasses import dataclass

from holloway.install.slash_commands import FILE_MARK


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file with one text; it is only written over or taken away as we left it."""

    what: str
    text: str
    untouched: bool
    """Whether the file that stands there has the very bytes that an earlier setup wrote."""

    def put(self, text: str) -> str:
        """Our text, unless a person's own stands there."""
        return self.text if not text or self._is_ours(text) else text

    def taken(self, text: str) -> str:
        """Nothing, unless a person's own text stands there."""
        return "" if self._is_ours(text) else text

    def present(self, text: str) -> bool:
        """Whether the file is as we left it."""
        return self._is_ours(text)

    def means(self, text: str) -> object:
        """Its text."""
        return text

    def note(self, text: str) -> str:
        """Whether there is a file of that name that is not ours, or not any more."""
        if not text or self._is_ours(text):
            return ""
        return "was edited since setup wrote it; it stays." if FILE_MARK in text else "is your own; it stays."

    def _is_ours(self, text: str) -> bool:
        return text == self.text or (self.untouched and FILE_MARK in text)
