"""Ordinary English words, from the built-in model's tokenizer, and words derived from them."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files

_ENDINGS = ("s", "es", "d", "ed", "ing", "ly", "er", "ers", "able", "ation", "ment", "ness", "al", "ally", "'s")
_JOINTS = re.compile(r"[-_.'+]")
_SHORT = 3
"""Parts with fewer letters always count as ordinary."""


def is_ordinary_word(word: str) -> bool:
    """Return whether a word, or each part of a compound, is an ordinary word."""
    return all(len(part) < _SHORT or part in _load_words() or _is_derived(part) for part in _JOINTS.split(word))


def _is_derived(part: str) -> bool:
    stems = (part.removesuffix(ending) for ending in _ENDINGS if part.endswith(ending))
    return any(
        stem in _load_words() or f"{stem}e" in _load_words() or stem[:-1] in _load_words()
        for stem in stems
        if len(stem) > _SHORT
    )


@cache
def _load_words() -> frozenset[str]:
    tokenizer = json.loads((files("holloway.embeddings") / "granite" / "tokenizer.json").read_text("utf-8"))
    return frozenset(
        word[1:].lower() for word in tokenizer["model"]["vocab"] if word.startswith("Ġ") and word[1:].isalpha()
    )
