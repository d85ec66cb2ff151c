"""Files to hand to an agent before it asks: those that sessions in a module nearly always open, then often."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.config import (
    MAP_TEXT_BYTES_MAX,
    PREFETCH_CUT_TOKENS,
    PREFETCH_FILE_TOKENS_MAX,
    PREFETCH_FILES_MAX,
    PREFETCH_TOKENS_MAX,
)
from holloway.domain.memory_details import Prefetch
from holloway.safety.paths import contained_path
from holloway.text.tokens import MARGIN, estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from holloway.domain.memory import Memory


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file, or its beginning if it was cut."""

    path: str
    text: str
    tokens: int
    cut: bool = False


@dataclass(frozen=True, slots=True)
class PrefetchPlan:
    """The files in the order in which they are likely needed, and what they cost."""

    files: tuple[Fetched, ...] = ()
    tokens: int = 0
    left_out: tuple[str, ...] = ()
    """Files that sessions open too, and for which there was no room."""


def plan(memories: Iterable[Memory], root: str, skip: Collection[str] = ()) -> PrefetchPlan:
    """Choose files within the budget; those to skip are already in the agent's prompt."""
    files: list[Fetched] = []
    left_out: list[str] = []
    spent = 0
    for path in _candidates(memories, skip):
        fetched = _read_file(root, path)
        if fetched is None:
            continue
        if len(files) == PREFETCH_FILES_MAX or spent + fetched.tokens > PREFETCH_TOKENS_MAX:
            left_out.append(path)
            continue
        files.append(fetched)
        spent += fetched.tokens
    return PrefetchPlan(tuple(files), spent, tuple(left_out))


def _candidates(memories: Iterable[Memory], skip: Collection[str]) -> list[str]:
    """List the files that are nearly always opened, then those that are often opened, each once."""
    patterns = [memory.details for memory in memories if isinstance(memory.details, Prefetch)]
    paths = [path for details in patterns for path in details.always]
    paths += [path for details in patterns for path in details.frequent]
    return [path for path in dict.fromkeys(paths) if path not in skip]


def _read_file(root: str, path: str) -> Fetched | None:
    """Read a file; None if it is missing, outside of the project or no text."""
    if contained_path(path, root) != path:
        return None
    try:
        with Path(root, path).open("rb") as file:
            data = file.read(MAP_TEXT_BYTES_MAX)
        text = data.decode("utf-8", errors="ignore" if len(data) == MAP_TEXT_BYTES_MAX else "strict")
    except (OSError, UnicodeDecodeError):
        return None
    tokens = _cost(text)
    if tokens <= PREFETCH_FILE_TOKENS_MAX:
        return Fetched(path, text, tokens)
    short = _cut(text, tokens)
    return Fetched(path, short, _cost(short), cut=True)


def _cut(text: str, tokens: int) -> str:
    """Return the beginning of a text, up to the end of a line."""
    share = text[: len(text) * PREFETCH_CUT_TOKENS // tokens]
    while _cost(share) > PREFETCH_CUT_TOKENS:
        share = share[: len(share) * 9 // 10]
    return share[: share.rfind("\n") + 1] or share


def _cost(text: str) -> int:
    return int(estimate_tokens(text) * MARGIN) + 1
