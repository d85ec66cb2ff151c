"""Taught memories: infers type, files and module of a sentence, and finds duplicates and contradictions."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.domain.memory import Relation, RelationType, Source, State
from holloway.retrieval.novelty import Verdict
from holloway.safety import paths
from holloway.store.memories import HUMAN_SOURCES
from holloway.text import memory_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holloway.domain.memory import Draft, Memory, MemoryType
    from holloway.retrieval.novelty import SimilarMemory

CLOSE_SHOWN = 3
"""Maximum number of similar or contradicting memories that are named."""

# A run of letters is looked at from its beginning only, so that a long one takes no longer than many short ones.
_PATH = re.compile(r"(?<![\w@.~-])[\w@.~-]*[/\\][\w@./\\~-]*|(?<![\w@-])[\w@-]+(?:\.[\w@-]+)*\.[A-Za-z]\w{0,9}")
_CANDIDATES_MAX = 20


@dataclass(frozen=True, slots=True)
class Inferred:
    """Inferred fields of a taught memory, to be shown to the person."""

    type: MemoryType | None = None
    files: tuple[str, ...] = ()
    module: str = ""


def infer(
    content: str, root: Path, module_of: Callable[[str], str], *, has_type: bool, files: tuple[str, ...]
) -> Inferred:
    """Infer the fields that the person did not give."""
    guessed = () if files else named_files(content, root)
    about = files or guessed
    return Inferred(
        type=None if has_type else memory_kind.infer_type(content),
        files=guessed,
        module=module_of(about[0]) if about else "",
    )


def named_files(content: str, root: Path) -> tuple[str, ...]:
    """Return the paths in a sentence that exist in the project."""
    candidates = list(dict.fromkeys(match.group().rstrip(".,;:") for match in _PATH.finditer(content[:4_096])))
    inside = (paths.contained_path(name, str(root)) for name in candidates[:_CANDIDATES_MAX] if name)
    return tuple(path for path in inside if path and path != "." and paths.path_exists(path, str(root)))


def same(draft: Draft, close: Sequence[SimilarMemory]) -> Memory | None:
    """Return the stored memory that an agent's draft repeats, or None; a person's statement is always stored."""
    if draft.source in (*HUMAN_SOURCES, Source.FOREIGN_FILE):
        return None
    return next(
        (
            similar.memory
            for similar in close
            if similar.verdict is Verdict.SAME
            and similar.memory.type is draft.type
            and similar.memory.visibility is draft.visibility
            and similar.memory.state is not State.QUARANTINED
            and (not draft.branch_only or similar.memory.branch_only in ("", draft.branch_only))
        ),
        None,
    )


def against(draft: Draft, close: Sequence[SimilarMemory]) -> Draft:
    """Return the draft with a conflict relation to each memory that it contradicts."""
    named = [similar.memory.id for similar in close if similar.verdict is Verdict.CONTRADICTS][:CLOSE_SHOWN]
    conflicts = tuple(Relation(RelationType.CONFLICTS_WITH, memory=memory, automatic=True) for memory in named)
    return replace(draft, relations=(*draft.relations, *conflicts))
