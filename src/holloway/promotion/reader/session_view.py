"""Session view: the rows of a session in stretches, each small enough for one call of a language model.

A stretch ends at a commit or a compaction where that is near, and at its token limit otherwise. Later events never
change a stretch that is complete, so a session that goes on is read only from where reading stopped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.config import STRETCH_TOKENS_MAX, STRETCHES_MAX
from holloway.promotion.reader.view_rows import Voice, build_rows
from holloway.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from holloway.observer.scratchpad import Scratchpad
    from holloway.promotion.reader.view_rows import ViewRow

STRETCH_TOKENS_MIN = 150
"""Stretches with fewer tokens of prose, errors and commits hold nothing to learn."""
_RICHNESS = {
    Voice.PERSON: 4.0,
    Voice.REJECTED: 4.0,
    Voice.COMMIT: 2.0,
    Voice.AGENT: 1.0,
    Voice.SUMMARY: 1.0,
    Voice.PLAN: 1.0,
    Voice.ANSWER: 2.0,
    Voice.SUBAGENT: 0.7,
    Voice.TEAMMATE: 0.7,
    Voice.OUTPUT: 0.5,
    Voice.PASTED: 0.3,
}
"""Weight of a token of each voice: a person's short sentences are the richest."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a session that is read in one call."""

    number: int
    rows: tuple[ViewRow, ...]
    tokens: int
    richness: float

    @property
    def text(self) -> str:
        """The rows as a model reads them, one number per row; lines below the first have none."""
        return "\n".join(map(render_row, self.rows))


@dataclass(frozen=True, slots=True)
class ReaderView:
    """All rows of a session, and the stretches of them that are worth reading, in order."""

    rows: tuple[ViewRow, ...]
    stretches: tuple[Stretch, ...]


def build_session_view(pad: Scratchpad) -> ReaderView:
    """Build the view of a session; at most STRETCHES_MAX of its stretches are read, the richest."""
    rows = build_rows(pad)
    stretches = split_rows(rows)
    telling = [stretch for stretch in stretches if stretch.richness >= STRETCH_TOKENS_MIN]
    richest = sorted(telling, key=lambda stretch: (-stretch.richness, stretch.number))[:STRETCHES_MAX]
    return ReaderView(tuple(rows), tuple(sorted(richest, key=lambda stretch: stretch.number)))


def render_row(row: ViewRow) -> str:
    """Return a row with its number and voice; further lines are indented, so that none of them can pose as a row."""
    first_line, *further_lines = row.text.split("\n")
    return "\n".join([f"[{row.number}] {row.voice}: {first_line}", *(f"    {line}" for line in further_lines)])


def split_rows(rows: list[ViewRow]) -> list[Stretch]:
    """Split rows into stretches: at the last commit or compaction that fits, or else where the limit is reached."""
    stretches: list[Stretch] = []
    pending: list[tuple[ViewRow, int]] = []
    for row in rows:
        tokens = estimate_tokens(render_row(row))
        if pending and sum(size for _, size in pending) + tokens > STRETCH_TOKENS_MAX:
            end = next((at for at in range(len(pending), 0, -1) if pending[at - 1][0].ends_stretch), len(pending))
            stretches.append(_make_stretch(len(stretches) + 1, pending[:end]))
            pending = pending[end:]
        pending.append((row, tokens))
    if pending:
        stretches.append(_make_stretch(len(stretches) + 1, pending))
    return stretches


def _make_stretch(number: int, sized_rows: list[tuple[ViewRow, int]]) -> Stretch:
    richness = sum(size * _RICHNESS.get(row.voice, 0.0) for row, size in sized_rows)
    return Stretch(number, tuple(row for row, _ in sized_rows), sum(size for _, size in sized_rows), richness)
