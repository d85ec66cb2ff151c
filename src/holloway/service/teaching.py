"""What a taught sentence is about, where the teacher did not say: its type, its files, its module."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.safety import paths
from holloway.text import kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from holloway.domain.memory import MemoryType

_PATH = re.compile(r"[\w@.~-]*[/\\][\w@./\\~-]*|[\w@-]+(?:\.[\w@-]+)*\.[A-Za-z]\w{0,9}")
_CANDIDATES_MAX = 20


@dataclass(frozen=True, slots=True)
class Inferred:
    """What was guessed and should be shown to the person."""

    type: MemoryType | None = None
    files: tuple[str, ...] = ()
    module: str = ""


def infer(
    content: str, root: Path, module_of: Callable[[str], str], *, has_type: bool, files: tuple[str, ...]
) -> Inferred:
    """Guess only what was not given."""
    guessed = () if files else named_files(content, root)
    about = files or guessed
    return Inferred(
        type=None if has_type else kind.infer(content),
        files=guessed,
        module=module_of(about[0]) if about else "",
    )


def named_files(content: str, root: Path) -> tuple[str, ...]:
    """The paths in a sentence that exist in the project."""
    candidates = list(dict.fromkeys(match.group().strip(".,;:") for match in _PATH.finditer(content[:4_096])))
    inside = (paths.contained(name, str(root)) for name in candidates[:_CANDIDATES_MAX] if name)
    return tuple(path for path in inside if path and path != "." and (root / path).exists())
