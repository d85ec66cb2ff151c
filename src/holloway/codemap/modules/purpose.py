"""Purpose of a module in one line: as a person wrote it, otherwise the names of its folders or files.

READMEs, manifests and comments say more, but that is untrusted prose of the repository, which is not shown to agents.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from holloway.codemap.parse.languages import language_of
from holloway.safety.neutralize import neutralize_text
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from holloway.codemap.modules.detection import Module

PURPOSE_CHARS_MAX = 120
READ_CHARS_MAX = 8_000
LISTED_MAX = 6
FOLDERS_MIN = 3
FOLDERS_SHARE_MIN = 0.6
"""From this number of folders and this share of files in them on, folders describe more than files."""

_INSTRUCTION_PATTERNS = re.compile(
    r"\b(ignore|disregard|forget|override|bypass)\b.{0,60}\b(instructions?|previous|prior|above|rules?|prompts?)\b"
    r"|\b(system prompt|jailbreak|you (must|should|are|will|need)|as an? (ai|llm|language model|assistant)\b)"
    r"|\b(do not|don't|must not) \w+"
    r"|\b(ai|llm|coding) (agents?|assistants?|models?)\b.{0,20}\b(must|should|shall|:)|\b(attention|important|note)\s*:"
    r"|https?://|\b(curl|wget|sudo|rm -|eval|base64|chmod)\b|\b(always|never|please|make sure|be sure|first,?) \w+",
    re.IGNORECASE,
)
"""Prompt injection patterns: a line that tells its reader what to do is not shown to an agent as a description."""


def is_description(text: str) -> bool:
    """Whether a text only describes and contains no instructions (prompt injection)."""
    return _INSTRUCTION_PATTERNS.search(text) is None


def add_purposes(modules: Sequence[Module]) -> list[Module]:
    """Return the modules with their purposes; one that a person wrote stays."""
    return [replace(module, purpose=describe_module(module)) for module in modules]


def describe_module(module: Module) -> str:
    """Return the purpose of a module."""
    if module.purpose:
        return one_line(neutralize_text(module.purpose[:READ_CHARS_MAX]), PURPOSE_CHARS_MAX)
    return describe_by_names(module)


def describe_by_names(module: Module) -> str:
    """Return the names of its folders, or else of its central files."""
    code = [path for path in module.files if language_of(path)]
    folder_counts = Counter(parts[0] for path in code if len(parts := _relative_parts(path, module.folder)) > 1)
    if len(folder_counts) >= FOLDERS_MIN and folder_counts.total() >= FOLDERS_SHARE_MIN * len(code):
        names = sorted(folder_counts, key=lambda name: (-folder_counts[name], name))
    else:
        names = [_descriptive_name(path) for path in code]
    return one_line(
        neutralize_text(", ".join(list(dict.fromkeys(filter(None, names)))[:LISTED_MAX])), PURPOSE_CHARS_MAX
    )


def _relative_parts(path: str, folder: str) -> list[str]:
    return path.removeprefix(f"{folder}/").split("/") if path.startswith(f"{folder}/") else []


def _descriptive_name(path: str) -> str:
    """Return a file's name, or its folder's if the file stands for it; empty if neither says anything."""
    stem = PurePosixPath(path).name.partition(".")[0].strip("_")
    if stem == "index" and path.endswith((".ts", ".tsx", ".js", ".jsx", ".mjs")):
        return PurePosixPath(path).parent.name
    return "" if stem in ("init", "main", "mod", "lib") else stem
