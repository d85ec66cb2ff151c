"""What a module is for, in a line: as a person said it, else the names of its folders or files.

READMEs, manifests and comments say more, but that is prose of the repository, which is not shown to agents.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from holloway.codemap.parse.languages import language_of
from holloway.safety.neutralize import neutral
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from holloway.codemap.modules.detection import Module

PURPOSE_CHARS_MAX = 120
READ_CHARS_MAX = 8_000
LISTED_MAX = 6
FOLDERS_MIN = 3
FOLDERS_SHARE_MIN = 0.6
"""From so many folders and such a share of the files in them on, the folders say more than the files."""

_SPEAKS_TO_AGENTS = re.compile(
    r"\b(ignore|disregard|forget|override|bypass)\b.{0,60}\b(instructions?|previous|prior|above|rules?|prompts?)\b"
    r"|\b(system prompt|jailbreak|you (must|should|are|will|need)|as an? (ai|llm|language model|assistant)\b)"
    r"|\b(do not|don't|must not) \w+"
    r"|\b(ai|llm|coding) (agents?|assistants?|models?)\b.{0,20}\b(must|should|shall|:)|\b(attention|important|note)\s*:"
    r"|https?://|\b(curl|wget|sudo|rm -|eval|base64|chmod)\b|\b(always|never|please|make sure|be sure|first,?) \w+",
    re.IGNORECASE,
)
"""A description says what is there. A line that tells its reader what to do is not shown to an agent as one."""


def is_description(text: str) -> bool:
    """Whether a text only says what is there, and tells its reader nothing to do."""
    return _SPEAKS_TO_AGENTS.search(text) is None


def described(modules: Sequence[Module]) -> list[Module]:
    """The modules with their purposes; the one that a person gave stays."""
    return [replace(module, purpose=purpose(module)) for module in modules]


def purpose(module: Module) -> str:
    """The purpose of a module."""
    if module.purpose:
        return one_line(neutral(module.purpose[:READ_CHARS_MAX]), PURPOSE_CHARS_MAX)
    return from_names(module)


def from_names(module: Module) -> str:
    """The names of its folders, or else of its central files: there is nothing else to go by."""
    code = [path for path in module.files if language_of(path)]
    below = Counter(rest[0] for path in code if len(rest := _below(path, module.folder)) > 1)
    if len(below) >= FOLDERS_MIN and below.total() >= FOLDERS_SHARE_MIN * len(code):
        names = sorted(below, key=lambda name: (-below[name], name))
    else:
        names = [_telling_name(path) for path in code]
    return one_line(neutral(", ".join(list(dict.fromkeys(filter(None, names)))[:LISTED_MAX])), PURPOSE_CHARS_MAX)


def _below(path: str, folder: str) -> list[str]:
    return path.removeprefix(f"{folder}/").split("/") if path.startswith(f"{folder}/") else []


def _telling_name(path: str) -> str:
    """A file's name, or its folder's where it only stands for that; empty where neither tells anything."""
    stem = PurePosixPath(path).name.partition(".")[0].strip("_")
    if stem == "index" and path.endswith((".ts", ".tsx", ".js", ".jsx", ".mjs")):
        return PurePosixPath(path).parent.name
    return "" if stem in ("init", "main", "mod", "lib") else stem
