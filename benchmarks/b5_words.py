"""B5: what is found in an agent's words: does it say that it was wrong, and what is so instead?

python -m benchmarks --only b5_words --data DIR
"""

from __future__ import annotations

import json
import math
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.scoring import SEED, share
from benchmarks.sessions import DEV, load_sessions
from holloway.observer.words import self_correction
from holloway.observer.words.self_correction import FORMS, SELF_CORRECTION_SCORE_MIN, SIGN_POINTS, CorrectionCandidate

FILES = ("self_correction_dev.jsonl", "self_correction_dev_extra.jsonl")
FOLDS = 5
SHUFFLES = 10
PRECISION_WANTED = 0.9
"""In the folds that the threshold is chosen from; more than the 0.8 that is hoped for in the others."""
HOSTILE_CHARS = 4_000
PENALTY, RATE, STEPS = 0.1, 0.1, 400
"""Of the logistic regression: weight decay, step size, steps."""

PLAIN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"I was wrong about (.+?)\. (.+?) is actually",
        r"Let me reconsider[.:]? (.+)",
        r"Actually,? (.+?) (not|instead of|rather than) (.+)",
        r"I initially thought (.+?) but (.+)",
        r"Correction: (.+)",
        r"Wait[,.]? (.+)",
        r"I see[,.]? (.+) is (.+) not (.+)",
    )
)
"""The patterns that one would write first; a hit of any is a self-correction."""
HOW = [
    "A block is a positive if the agent says in it that something it believed, assumed or did was wrong, and gives the "
    "fact. Labelled by one reader. Items that the reader was in doubt about are left out of the first table and kept "
    "in the second. Intervals are Wilson's, 95 %.",
    "The forms and signs of holloway, and what they are worth, were set by hand by people who had seen these items and "
    'other blocks of the same sessions, so these figures flatter it. The seven plain patterns, such as "Wait, " and '
    '"Actually, ... not", were not.',
    f"Chosen threshold: {FOLDS} folds, a session in one fold only; in the other folds the threshold is chosen that "
    f"finds most at a precision of {PRECISION_WANTED} or better; means of {SHUFFLES} shuffles.",
    "Learned: a logistic regression over the same features, with its threshold, learned in the other folds.",
    "Time is CPU time over all blocks of all sessions, each read once. Hostile is the slowest of several texts of "
    f"{HOSTILE_CHARS:,} characters that repeat a cue.",
]
HOSTILE = (
    "Actually, ",
    "Wait, ",
    "I see, it is ",
    "I thought that my fix, but ",
    "it is this, not that ",
    "I initially thought ",
)

Detector = Callable[[str], bool]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Item:
    """A labelled block, with what holloway sees in it."""

    session: str
    text: str
    positive: bool
    doubtful: bool
    candidates: tuple[CorrectionCandidate, ...]

    @property
    def score(self) -> float:
        """How likely holloway thinks that it is a self-correction."""
        return max((candidate.score for candidate in self.candidates), default=0.0)


@dataclass(slots=True)
class Counts:
    """Hits and what they were."""

    right: float = 0.0
    hits: float = 0.0
    positives: float = 0.0

    def add(self, items: Sequence[Item], hit: Sequence[bool]) -> None:
        """Count these items too."""
        self.right += sum(item.positive and is_hit for item, is_hit in zip(items, hit, strict=True))
        self.hits += sum(hit)
        self.positives += sum(item.positive for item in items)

    def row(self, name: str, rounds: int = 1) -> list[Any]:
        """Precision and recall with their intervals."""
        right, hits, positives = self.right / rounds, self.hits / rounds, self.positives / rounds
        return [name, str(share(right, hits)), str(share(right, positives)), f"{hits:.0f}", f"{right:.0f}"]


def run(data: Path) -> dict[str, Any]:
    """Every figure."""
    items = [item for name in FILES for item in read((data / name).read_text(encoding="utf-8"))]
    blocks = list(spoken(data))
    columns = ["detector", "precision (95 % interval)", "recall (95 % interval)", "hits", "right"]
    sure = [item for item in items if not item.doubtful]
    tables = [
        {"title": f"{_describe_items(sure)}, without doubtful ones", "columns": columns, "rows": _rows(sure)},
        {"title": f"{_describe_items(items)}, with doubtful ones", "columns": columns, "rows": _rows(items)},
        {
            "title": f"All {len(blocks):,} blocks of the sessions",
            "columns": ["detector", "hits", "µs a block", "hostile text, ms"],
            "rows": [_speed("holloway", _has_self_correction, blocks), _speed("seven plain patterns", plain, blocks)],
        },
    ]
    return {
        "title": "B5: self-corrections in words",
        "question": "When an agent says that it was wrong, is that found, and is what is found that?",
        "how": HOW,
        "seed": SEED,
        "targets": [],
        "tables": tables,
    }


def read(lines: str) -> Iterator[Item]:
    """The labelled items of a file."""
    for line in lines.splitlines():
        row = json.loads(line)
        candidates = tuple(self_correction.find_candidates(row["text"]))
        yield Item(row["session"], row["text"], bool(row["label"]), bool(row["doubtful"]), candidates)


def spoken(data: Path) -> Iterator[str]:
    """Yield the thoughts and statements of the agents in all sessions."""
    for session in load_sessions(data / DEV):
        yield from (row["text"] for row in session.rows if row["k"] in ("think", "text"))


def plain(text: str) -> bool:
    """Whether one of the plain patterns is in a text."""
    return any(pattern.search(text) for pattern in PLAIN)


def _has_self_correction(text: str) -> bool:
    return self_correction.find_self_correction(text) is not None


def _describe_items(items: Sequence[Item]) -> str:
    return f"{len(items)} labelled blocks, {sum(item.positive for item in items)} of them positive"


def _rows(items: list[Item]) -> list[list[Any]]:
    fixed, patterns, every = Counts(), Counts(), Counts()
    fixed.add(items, [item.score >= SELF_CORRECTION_SCORE_MIN for item in items])
    patterns.add(items, [plain(item.text) for item in items])
    every.add(items, [True] * len(items))
    return [
        fixed.row("holloway, as shipped"),
        cross_validate(items, _kept_scores).row("holloway, chosen threshold", SHUFFLES),
        cross_validate(items, learned_scores).row("learned", SHUFFLES),
        patterns.row("seven plain patterns"),
        every.row("every block"),
    ]


Scorer = Callable[[list[Item], list[Item]], tuple[Floats, Floats]]
"""From items to learn from and items to judge, the scores of both."""


def cross_validate(items: list[Item], scorer: Scorer) -> Counts:
    """Hits in the folds that were not looked at, summed over the shuffles."""
    total = Counts()
    for shuffle in range(SHUFFLES):
        fold_of = folds(items, SEED + shuffle)
        for fold in range(FOLDS):
            training = [item for item in items if fold_of[item.session] != fold]
            held_out = [item for item in items if fold_of[item.session] == fold]
            training_scores, held_out_scores = scorer(training, held_out)
            limit = threshold(training_scores, training)
            total.add(held_out, [bool(score >= limit) for score in held_out_scores])
    return total


def folds(items: Sequence[Item], seed: int) -> dict[str, int]:
    """The fold of each session."""
    sessions = sorted({item.session for item in items})
    random.Random(seed).shuffle(sessions)
    return {session: at % FOLDS for at, session in enumerate(sessions)}


def threshold(scores: Floats, items: Sequence[Item]) -> float:
    """The lowest score from which on the hits are as precise as wanted; none, if no score is."""
    best = math.inf
    right = hits = 0
    for score, item in sorted(zip(scores.tolist(), items, strict=True), key=lambda pair: -pair[0]):
        right, hits = right + item.positive, hits + 1
        if score > 0 and right / hits >= PRECISION_WANTED:
            best = score
    return best


def _kept_scores(training: list[Item], held_out: list[Item]) -> tuple[Floats, Floats]:
    return np.array([item.score for item in training]), np.array([item.score for item in held_out])


def learned_scores(training: list[Item], held_out: list[Item]) -> tuple[Floats, Floats]:
    """Scores by weights that were learned from the other folds, from the likeliest sentence of each block."""
    with_candidates = [item for item in training if item.candidates]
    features = np.array(
        [_features(max(item.candidates, key=lambda candidate: candidate.score)) for item in with_candidates]
    )
    labels = np.array([item.positive for item in with_candidates], dtype=np.float64)
    weights = np.zeros(features.shape[1])
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-(features @ weights)))
        weights -= RATE * (
            features.T @ (chances - labels) / len(with_candidates) + PENALTY / len(with_candidates) * weights
        )
    return _score_items(weights, training), _score_items(weights, held_out)


def _score_items(weights: Floats, items: Sequence[Item]) -> Floats:
    return np.array(
        [max((float(_chance(weights, candidate)) for candidate in item.candidates), default=0.0) for item in items]
    )


def _chance(weights: Floats, candidate: CorrectionCandidate) -> float:
    return float(1 / (1 + np.exp(-(_features(candidate) @ weights))))


_NAMES = ["bias", *(form.name for form in FORMS), *(f"{name} {place}" for name, place in SIGN_POINTS)]


def _features(candidate: CorrectionCandidate) -> Floats:
    has = {"bias", *candidate.features}
    return np.array([float(name in has) for name in _NAMES])


def _speed(name: str, detector: Detector, blocks: Sequence[str]) -> list[Any]:
    for block in blocks[:500]:
        detector(block)  # Patterns are compiled and RE2's tables built at first use.
    started = time.process_time()
    hits = sum(detector(block) for block in blocks)
    spent_us = (time.process_time() - started) * 1e6 / len(blocks)
    return [name, hits, spent_us, max(_cpu_ms(detector, cue) for cue in HOSTILE)]


def _cpu_ms(detector: Detector, cue: str) -> float:
    text = (cue * HOSTILE_CHARS)[:HOSTILE_CHARS]
    started = time.process_time()
    detector(text)
    return (time.process_time() - started) * 1000
