"""A block of a rules file: one rule, with its location and its scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.text.fingerprint import fingerprint_text

if TYPE_CHECKING:
    from holloway.domain.memory import MemoryType

ORIGIN = "rules:"
"""Prefix of the origin of a rule; the path and the hash of the block follow."""

_HASH_BYTES = 8


@dataclass(frozen=True, slots=True)
class RulesText:
    """The text of a rules file and its scope: a folder, globs, or the whole project."""

    path: str
    text: str
    folder: str = ""
    globs: tuple[str, ...] = ()
    sections: bool = False
    """Only sections about conventions count: the file is written for readers of the product."""


@dataclass(frozen=True, slots=True)
class RuleBlock:
    """One rule as its file says it."""

    path: str
    line: int
    text: str
    heading: str = ""
    folder: str = ""
    globs: tuple[str, ...] = ()
    type: MemoryType | None = None

    @property
    def text_hash(self) -> str:
        """The same for blocks that say the same, wherever they stand."""
        return fingerprint_text(self.text, salt="", digest_bytes=_HASH_BYTES)

    @property
    def origin(self) -> str:
        """The origin under which a memory of this block is stored."""
        return f"{ORIGIN}{self.path}#{self.text_hash}"


def split_origin(origin: str) -> tuple[str, str]:
    """Return the path and the hash in an origin; two empty strings if it is not from a rules file."""
    if not origin.startswith(ORIGIN):
        return "", ""
    path, _, mark = origin.removeprefix(ORIGIN).rpartition("#")
    return path, mark
