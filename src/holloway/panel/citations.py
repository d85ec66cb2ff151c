"""Citations in text: `[hw:7f3a2c]` as a chip that opens the memory; many in one message fold into one line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from holloway.domain.memory import Memory

CHIP_CHARS_MAX = 40
CHIPS_MAX = 5
"""Citations in one message that are shown as chips; more of them fold into a line."""
_CITATION = re.compile(r"\[hw:([0-9a-f]{4,32})(?:,[^\]\n]{0,80})?\]")


class Chip(NamedTuple):
    """A cited memory: its text cut to the length of a chip. `is_dead` if it ended or does not exist."""

    id: str
    text: str
    is_dead: bool


class CitedText(NamedTuple):
    """A text in pieces, each a piece of text or a chip; `folded` are the chips of a message that has many."""

    pieces: tuple[str | Chip, ...]
    folded: tuple[Chip, ...] = ()


def split_citations(text: str, find: Callable[[str], Memory | None]) -> CitedText:
    """Return a text with its citations as chips; `find` returns a memory by its id, or None."""
    chips: dict[str, Chip] = {}
    pieces: list[str | Chip] = []
    position = 0
    for match in _CITATION.finditer(text):
        chip = chips.setdefault(match[1], _make_chip(match[1], find))
        pieces += [text[position : match.start()], chip]
        position = match.end()
    pieces.append(text[position:])
    if len(chips) <= CHIPS_MAX:
        return CitedText(tuple(piece for piece in pieces if piece))
    plain_text = re.sub(r" +(?=[.,;:!?\n]|$)", "", "".join(piece for piece in pieces if isinstance(piece, str)))
    return CitedText((plain_text,), tuple(chips.values()))


def _make_chip(memory_id: str, find: Callable[[str], Memory | None]) -> Chip:
    memory = find(memory_id)
    if memory is None:
        return Chip(memory_id, memory_id, is_dead=True)
    text = " ".join((memory.summary or memory.content).split())
    shortened = text if len(text) <= CHIP_CHARS_MAX else f"{text[: CHIP_CHARS_MAX - 1].rstrip()}…"
    return Chip(memory.id, shortened, is_dead=not memory.is_alive)
