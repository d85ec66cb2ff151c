"""Words of the language: what the built-in model's tokenizer keeps whole, and what is derived from it."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files

_ENDINGS = ("s", "es", "d", "ed", "ing", "ly", "er", "ers", "able", "ation", "ment", "ness", "al", "ally", "'s")
_JOINTS = re.compile(r"[-_.'+]")
_SHORT = 3
"""Parts of fewer letters are in every language."""


def ordinary(word: str) -> bool:
    """Whether a word, or each part of a compound, is one of the language."""
    return all(len(part) < _SHORT or part in _whole() or _derived(part) for part in _JOINTS.split(word))


def _derived(part: str) -> bool:
    stems = (part.removesuffix(ending) for ending in _ENDINGS if part.endswith(ending))
    return any(
        stem in _whole() or f"{stem}e" in _whole() or stem[:-1] in _whole() for stem in stems if len(stem) > _SHORT
    )


@cache
def _whole() -> frozenset[str]:
    kept = json.loads((files("holloway.embeddings") / "granite" / "tokenizer.json").read_text("utf-8"))
    return frozenset(word[1:].lower() for word in kept["model"]["vocab"] if word.startswith("Ġ") and word[1:].isalpha())
