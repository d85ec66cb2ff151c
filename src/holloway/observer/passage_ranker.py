"""Passage ranking: how likely a passage is a lesson, by a linear model over its words and its shape.

The weights are trained on labelled passages of several projects (`python -m benchmarks.train_passages`) and hold no
text of them: words that occur in several projects, pairs of function words, and a few numbers.
"""

from __future__ import annotations

import math
import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from holloway.data import load_table

if TYPE_CHECKING:
    from collections.abc import Mapping

LESSON_SCORES = {
    "person": 0.40,
    "agent": 0.40,
    "summary": 0.45,
    "commit": 0.50,
    "pull_request": 0.42,
    "note": 0.40,
    "review": 0.40,
}
"""Score from which on a passage is told, by its speaker."""
CODE_NAMES_MAX = 6
FUNCTION_WORDS_EVERY = 12
"""An English text has a function word among so many words; code and other languages have fewer."""
_CODE = re.compile(r"`[^`\n]{2,80}`|\b\w+(?:[._/]\w+)+|\b[a-z]+[A-Z]\w+|\b\w+\(\)|(?<!\S)--[\w-]+")
_WORD = re.compile(r"[a-z']+")
CODE_WORD = "<code>"
FUNCTION_WORDS = frozenset(
    "i we you it this that the a an is are was be been not no never always must should need needs only just also but "
    "because since so if when while then than instead rather to for of in on with without by from as at let me i'll "
    "i've don't can't cannot won't doesn't isn't would could can will do does did have has had there which what why "
    "how now already still yet any all each every before after until unless otherwise".split()
)

_SHARED_WORDS = frozenset("a also an as do has i in me no on so was will".split())
"""Function words that other languages have too: a text needs one that is not among them to be English."""


def extract_features(text: str, context: str, speaker: str) -> dict[str, float]:
    """Return the features of a passage by name."""
    low = text.casefold()
    words = [CODE_WORD if word == "qcode" else word for word in _WORD.findall(_CODE.sub(" qcode ", low))]
    features: dict[str, float] = {
        f"speaker {speaker}": 1.0,
        "length": math.log(max(1, len(text))),
        "code names": float(min(words.count(CODE_WORD), CODE_NAMES_MAX)),
        "question": float("?" in text),
        "digits": sum(char.isdigit() for char in text) / max(1, len(text)),
        "symbols": float(any(ord(char) > 0x2190 for char in text)),
        "capital": float(text[:1].isupper()),
        "full stop": float(text.endswith(".")),
        "has context": float(bool(context)),
    }
    features |= {f"word {word}": 1.0 for word in words}
    features |= {
        f"pair {first} {second}": 1.0
        for first, second in pairwise(words)
        if _is_function(first) and _is_function(second)
    }
    features |= {f"first {word}": 1.0 for word in words[:2]}
    features |= {f"context {word}": 1.0 for word in _WORD.findall(context.casefold())}
    return features


def _is_function(word: str) -> bool:
    return word == CODE_WORD or word in FUNCTION_WORDS


def score_passage(text: str, context: str, speaker: str) -> float:
    """Return the probability that a passage is worth telling."""
    weights = _load_weights()
    features = extract_features(text, context, speaker)
    total = weights["bias"] + sum(weights.get(name, 0.0) * value for name, value in features.items())
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


def is_english(text: str) -> bool:
    """Return whether the ranker can read a text: enough of its words are English function words."""
    words = _WORD.findall(text.casefold())
    letters = sum(char.isalpha() for char in text)
    latin = sum(map(len, words))
    function_words = [word for word in words if word in FUNCTION_WORDS]
    return (
        2 * latin >= letters
        and len(function_words) * FUNCTION_WORDS_EVERY >= len(words)
        and not _SHARED_WORDS.issuperset(function_words)
    )


@cache
def _load_weights() -> Mapping[str, float]:
    table: dict[str, float] = load_table("passage_weights")
    return table
