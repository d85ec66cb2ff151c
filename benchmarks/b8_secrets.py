"""B8, secrets: how many are cut out, how much that is none is cut with them, and what it costs.

python -m benchmarks --only b8_secrets --data DIR
"""

from __future__ import annotations

import json
import re
import statistics
import sysconfig
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.generated.secrets import SEED, samples
from holloway.safety import secrets
from holloway.safety.rules import TABLE

LINES_MIN = 60_000
QUICK_EVERY = 10
"""Of the library's lines, every n-th in a quick run."""
TEXT_CHARS = 2_000
TIMED_TEXTS_MAX = 1_500

BASELINE = [
    re.compile(r"sk-[a-zA-Z0-9]{48}"),
    re.compile(r"sk-ant-[a-zA-Z0-9-]{95}"),
    re.compile(r"ghp_[a-zA-Z0-9]{36}"),
    re.compile(r"-----BEGIN (RSA|EC) PRIVATE KEY-----"),
    re.compile(r"password\s*[:=]\s*[\"']?\S+", re.IGNORECASE),
]

Spans = list[tuple[int, int]]
Detector = Callable[[str], Spans]


def run(data: Path, *, quick: bool = False) -> dict[str, Any]:
    """Every figure, a column a detector."""
    figures = measured(data, QUICK_EVERY if quick else 1)
    detectors = {name: _flat(value) for name, value in figures.items() if isinstance(value, dict)}
    counts = [[name, value] for name, value in figures.items() if not isinstance(value, dict)]
    rows = [[name, *(one.get(name) for one in detectors.values())] for name in next(iter(detectors.values()))]
    return {
        "title": "B8: secrets",
        "question": "How many secrets are cut out of a text before it is kept, and how much else goes with them?",
        "how": [
            "literals are the test strings of another scanner, secret and not; generated are made-up secrets in the "
            "formats that vendors publish, found only if every character is; library is Python's own standard library, "
            "where hardly any line holds a secret.",
            "five_patterns are those that many tools begin with, a low bar. detect-secrets stands beside them where it "
            "is installed, with its default plugins and filters, as it reads a file.",
        ],
        "seed": SEED,
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


def measured(data: Path, every: int) -> dict[str, Any]:
    """The figures of each detector, and what they ran on."""
    literals = json.loads((data / "gitleaks_literals.json").read_text())
    generated = list(samples())
    library = list(lines(sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")), "site-packages"))[::every]
    assert len(library) * every >= LINES_MIN
    result: dict[str, Any] = {
        "generated_secrets": len(generated),
        "generated_kinds": len({kind for kind, _, _ in generated}),
        "library_lines": len(library),
        "rules": len(TABLE),
    }
    for name, detect in detectors().items():
        result[name] = {
            "literals": on_literals(detect, literals),
            "generated": on_generated(detect, generated),
            "library_flagged_per_1000": flagged(detect, library),
            "cpu_ms_per_2kB": cost(detect, library),
        }
    return result


def detectors() -> dict[str, Detector]:
    """Ours, the five patterns, and detect-secrets if it is installed."""
    found: dict[str, Detector] = {"holloway": ours, "five_patterns": five_patterns}
    try:
        from detect_secrets.core import scan  # type: ignore[import-not-found]
        from detect_secrets.settings import default_settings  # type: ignore[import-not-found]
    except ImportError:
        return found

    def detect_secrets(text: str) -> Spans:
        """As it reads a file; what it does with a line given by hand flags nearly everything."""
        with default_settings():
            secrets = list(scan._process_line_based_plugins(list(enumerate(text.splitlines(), 1)), "memory.txt"))
        places = [(text.find(secret.secret_value or "\0"), len(secret.secret_value or "")) for secret in secrets]
        return [(at, at + size) for at, size in places if at >= 0]

    return found | {"detect_secrets": detect_secrets}


def ours(text: str) -> Spans:
    """What holloway finds."""
    return [(finding.start, finding.end) for finding in secrets.scan(text)]


def five_patterns(text: str) -> Spans:
    """What five common patterns find."""
    return [match.span() for pattern in BASELINE for match in pattern.finditer(text)]


def lines(paths: Iterable[Path], without: str) -> Iterator[str]:
    """The lines of source files that hold any text."""
    for path in paths:
        if without not in path.parts and path.is_file():
            yield from (line for line in path.read_text(errors="replace").splitlines() if line.strip())


def on_literals(detect: Detector, literals: dict[str, list[list[str]]]) -> dict[str, Any]:
    """Recall and precision on another scanner's test strings."""
    hits = [rule for rule, text in literals["pos"] if detect(text)]
    false = [rule for rule, text in literals["neg"] if detect(text)]
    return {
        "recall": share(len(hits), len(literals["pos"])),
        "precision": share(len(hits), len(hits) + len(false)),
        "false_positive_rate": share(len(false), len(literals["neg"])),
        "false_positives_by_rule": {rule: false.count(rule) for rule in sorted(set(false))},
    }


def on_generated(detect: Detector, generated: list[tuple[str, str, str]]) -> dict[str, Any]:
    """Recall on made-up secrets; one counts only if every character of it is found."""
    kinds: dict[str, list[bool]] = {}
    for kind, text, secret in generated:
        kinds.setdefault(kind, []).append(covered(text, secret, detect(text)))
    recalls = {kind: share(sum(found), len(found)) for kind, found in kinds.items()}
    total = [one for found in kinds.values() for one in found]
    return {
        "recall": share(sum(total), len(total)),
        "kinds_at_95": sum(x >= 0.95 for x in recalls.values()),
        "by_kind": recalls,
    }


def covered(text: str, secret: str, spans: Spans) -> bool:
    """Whether some found stretch holds the whole secret."""
    start = text.index(secret)
    return any(a <= start and start + len(secret) <= b for a, b in spans)


def flagged(detect: Detector, source: list[str]) -> float:
    """Flagged lines per 1,000."""
    return round(1000 * sum(bool(detect(line)) for line in source) / len(source), 3)


def cost(detect: Detector, source: list[str]) -> dict[str, float]:
    """CPU time on stretches of 2 kB."""
    text = "\n".join(source)
    times = []
    for at in range(0, min(len(text), TIMED_TEXTS_MAX * TEXT_CHARS), TEXT_CHARS):
        piece = text[at : at + TEXT_CHARS]
        start = time.process_time_ns()
        detect(piece)
        times.append((time.process_time_ns() - start) / 1e6)
    cuts = statistics.quantiles(times, n=20)
    return {"p50": round(cuts[9], 4), "p95": round(cuts[18], 4)}


def share(part: int, whole: int) -> float:
    """A quotient of counts."""
    return round(part / whole, 4) if whole else 0.0
