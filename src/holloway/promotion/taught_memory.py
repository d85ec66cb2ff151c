"""Taught memories: infers type, files and module of a sentence, finds its duplicate and marks conflicts."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.domain.memory import MemoryType, Relation, RelationType, Source, State
from holloway.retrieval.duplicate_detection import Verdict
from holloway.safety import paths
from holloway.store.memories import HUMAN_SOURCES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holloway.domain.memory import Draft, Memory
    from holloway.retrieval.duplicate_detection import SimilarMemory


CLOSE_SHOWN = 3
"""Maximum number of similar or contradicting memories that are named."""

# A run of letters is looked at from its beginning only, so that a long one takes no longer than many short ones.
_PATH = re.compile(r"(?<![\w@.~-])[\w@.~-]*[/\\][\w@./\\~-]*|(?<![\w@-])[\w@-]+(?:\.[\w@-]+)*\.[A-Za-z]\w{0,9}")
_CANDIDATES_MAX = 20
_CUES: tuple[tuple[MemoryType, str], ...] = (
    (
        MemoryType.DEAD_END,
        r"\b(?:we|i)? ?tried\b.{1,200}\b(?:fail|did ?n[o']t|does ?n[o']t|abandon|gave up|instead"
        r"|no luck|without success)|\bdead end\b|\bdo(?:n't| not) try\b",
    ),
    (
        MemoryType.ERROR_PATTERN,
        r"\b\w*(?:error|exception|traceback|errno|panic)\b.{1,200}"
        r"(?:\bfix|\bsolved|\bresolved|\bgoes away\b|->|→|=>|\bset\b|\brun\b|\bmeans\b)",
    ),
    (
        MemoryType.DECISION,
        r"\b(?:we|i|team) (?:chose|decided|picked|went with|settled on|agreed)\b|\bdecision\b|\bdecided to\b"
        r"|\b(?:instead of|over|rather than)\b.{1,120}\bbecause\b|\bbecause\b.{1,160}\b(?:instead of|rather than)\b",
    ),
    (
        MemoryType.PREFERENCE,
        r"\bi (?:prefer|like|want|hate)\b|\bprefer\b|\bplease always\b|\bour style\b|\bmy style\b",
    ),
    (MemoryType.WORKFLOW_RECIPE, r"(?:^|\s)1[.)]\s.{1,400}\s2[.)]\s|\bto add an? \w+.{0,80}:\s|\bsteps?:"),
    (
        MemoryType.CAUSAL_DEPENDENCY,
        r"\b(?:when(?:ever)?|if|after) (?:you|we|i)? ?(?:touch|chang|edit|modif|updat|renam)\w*\b.{1,200}"
        r"\b(?:also|must|too|update|regenerate|change)\b"
        r"|\bmust (?:be )?(?:change|update)d? together\b",
    ),
    (
        MemoryType.GOTCHA,
        r"\b(?:never|don't|do not|avoid|careful|beware|watch out|gotcha|trap|hangs?|breaks?|fails?|flak\w+"
        r"|silently|otherwise|unless|without|not safe|race|deadlock\w*)\b",
    ),
    (
        MemoryType.REQUIREMENT,
        r"\b(?:must|shall|required?|requirement|has to|have to|needs? to support|within \d+ ?(?:ms|s|seconds))\b",
    ),
    (
        MemoryType.PATTERN,
        r"\b(?:pattern|convention|always|we use|use the|follow|every \w+ (?:has|goes|is)|by convention)\b",
    ),
    (
        MemoryType.MODULE_INSIGHT,
        r"\b(?:lives? in|is (?:in|under)|handles|is responsible for|contains|entry point|module)\b",
    ),
)
_COMPILED = tuple((memory_type, re.compile(cue, re.IGNORECASE | re.DOTALL)) for memory_type, cue in _CUES)


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
        type=None if has_type else infer_type(content),
        files=guessed,
        module=module_of(about[0]) if about else "",
    )


def named_files(content: str, root: Path) -> tuple[str, ...]:
    """Return the paths in a sentence that exist in the project."""
    candidates = list(dict.fromkeys(match.group().rstrip(".,;:") for match in _PATH.finditer(content[:4_096])))
    inside = (paths.contained_path(name, str(root)) for name in candidates[:_CANDIDATES_MAX] if name)
    return tuple(path for path in inside if path and path != "." and paths.path_exists(path, str(root)))


def find_duplicate(draft: Draft, similar_memories: Sequence[SimilarMemory]) -> Memory | None:
    """Return the stored memory that an agent's draft duplicates, or None; a person's statement is always stored."""
    if draft.source in (*HUMAN_SOURCES, Source.FOREIGN_FILE):
        return None
    return next(
        (
            similar.memory
            for similar in similar_memories
            if similar.verdict is Verdict.SAME
            and similar.memory.type is draft.type
            and similar.memory.state is not State.QUARANTINED
            and (not draft.branch_only or similar.memory.branch_only in ("", draft.branch_only))
        ),
        None,
    )


def add_conflicts(draft: Draft, similar_memories: Sequence[SimilarMemory]) -> Draft:
    """Return the draft with a conflict relation to each memory that it contradicts."""
    contradicted = [similar.memory.id for similar in similar_memories if similar.verdict is Verdict.CONTRADICTS]
    conflicts = tuple(
        Relation(RelationType.CONFLICTS_WITH, memory=memory, automatic=True) for memory in contradicted[:CLOSE_SHOWN]
    )
    return replace(draft, relations=(*draft.relations, *conflicts))


def infer_type(content: str, otherwise: MemoryType = MemoryType.GOTCHA) -> MemoryType:
    """Return the first type whose cue is in the sentence, else the fallback: people mostly teach traps (gotchas)."""
    head = content[:1_000]
    return next((memory_type for memory_type, cue in _COMPILED if cue.search(head)), otherwise)
