"""B8, secrets: the scanner's benchmark is a program of its own; its figures become one table, a column a detector."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks import b8_secrets


def run(data: Path) -> dict[str, Any]:
    """Every figure, by detector."""
    figures = b8_secrets.report(data, None)
    detectors = {name: _flat(value) for name, value in figures.items() if isinstance(value, dict)}
    counts = [[name, value] for name, value in figures.items() if not isinstance(value, dict)]
    rows = [
        [name, *(one.get(name) for one in detectors.values())]
        for name in next(iter(detectors.values()))
        if figures.get(f"{name.split('_')[0]}_lines") != 0  # a rate over no lines was not measured
    ]
    return {
        "title": "B8: secrets",
        "question": "How many secrets are cut out of a text before it is kept, and how much else goes with them?",
        "how": [
            "literals are the test strings of another scanner, secret and not; generated are made-up secrets in the "
            "formats that vendors publish, found only if every character is; library is Python's own standard library, "
            "where hardly any line holds a secret.",
        ],
        "seed": b8_secrets.SEED,
        "targets": [],
        "tables": [
            {"title": "Detectors", "columns": ["figure", *detectors], "rows": rows},
            {"title": "What they ran on", "columns": ["figure", "count"], "rows": counts},
        ],
        "figures": figures,
    }


def _flat(figures: dict[str, Any]) -> dict[str, float]:
    """Two levels of names as one; longer lists stay in the JSON."""
    flat: dict[str, float] = {}
    for name, value in figures.items():
        inner = value if isinstance(value, dict) else {"": value}
        flat |= {f"{name} {key}".strip(): one for key, one in inner.items() if not isinstance(one, dict)}
    return flat
