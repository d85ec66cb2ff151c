"""B8, secrets: how many are cut out, how much other text is cut with them, and the cost.

python -m benchmarks --only b8_secrets --data DIR
"""

from __future__ import annotations

import json
import re
import statistics
import sysconfig
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.generated.secrets import samples
from benchmarks.literals import FILE
from benchmarks.scoring import SEED, Share, share
from holloway.safety import secrets

LINES_MIN = 60_000
PART = 10
"""Of the library's lines, every n-th in a quick run and for a slow detector."""
SLOW = "detect-secrets"
TEXT_CHARS = 2_000
TIMED_TEXTS_MAX = 1_500

BASELINE = [
    re.compile(r"sk-[a-zA-Z0-9]{48}"),
    re.compile(r"sk-ant-[a-zA-Z0-9-]{95}"),
    re.compile(r"ghp_[a-zA-Z0-9]{36}"),
    re.compile(r"-----BEGIN (RSA|EC) PRIVATE KEY-----"),
    re.compile(r"password\s*[:=]\s*[\"']?\S+", re.IGNORECASE),
]

HOW = [
    "The test strings are those of gitleaks, another scanner. The made-up secrets have the formats that vendors "
    "publish, in a table that was written apart from holloway's rules and with the same vendors in mind, so they "
    "flatter it; one is found only if every character is. In Python's own standard library hardly any line holds a "
    "secret.",
    "Five patterns are those that many tools begin with, a low bar. detect-secrets is measured too where it is "
    "installed, with its default plugins and filters, as it reads a file; it is slow, so that it reads every tenth "
    "line of the library. Intervals are Wilson's, 95 %.",
]

Spans = list[tuple[int, int]]
Detector = Callable[[str], Spans]


def run(data: Path, *, quick: bool = False) -> dict[str, Any]:
    """Every figure, a column a detector."""
    library = list(lines(sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")), "site-packages"))
    assert len(library) >= LINES_MIN
    literals = json.loads((data / FILE).read_text(encoding="utf-8"))
    part = Samples(literals, list(samples()), library[::PART])
    whole = part if quick else replace(part, library=library)
    figures = {
        name: measure_detector(detect, part if name.startswith(SLOW) else whole) for name, detect in detectors().items()
    }
    rows = [[title, *(describe(result) for result in figures.values())] for title, describe in SHOWN.items()]
    return {
        "title": "B8: secrets",
        "question": "How many secrets are cut out of a text before it is kept, and how much else goes with them?",
        "how": HOW,
        "seed": SEED,
        "targets": [],
        "tables": [
            {"title": "Detectors", "columns": ["figure", *figures], "rows": rows},
            {"title": "What they ran on", "columns": ["what", "number"], "rows": _numbers(whole)},
        ],
        "figures": figures,
    }


@dataclass(frozen=True, slots=True)
class Samples:
    """The texts that the detectors run on."""

    literals: dict[str, list[tuple[str, str]]]
    """By whether they are secrets: the strings of another scanner, each with its rule."""
    generated: list[tuple[str, str, str]]
    """Kind, text and the secret in it."""
    library: list[str]


Figures = dict[str, Any]


def measure_detector(detect: Detector, on: Samples) -> Figures:
    """The figures of a detector."""
    return {
        "literals": on_literals(detect, on.literals),
        "generated": on_generated(detect, on.generated),
        "library_flagged": share(sum(bool(detect(line)) for line in on.library), len(on.library))._asdict(),
        "cpu_ms": cost(detect, on.library),
    }


def _share(*names: str) -> Callable[[Figures], str]:
    """A share with its interval, and what of what it is."""

    def shown(figures: Figures) -> str:
        value = figures
        for name in names:
            value = value[name]
        return f"{Share(**value)}, {value['hits']:,} of {value['of']:,}"

    return shown


SHOWN: dict[str, Callable[[Figures], str]] = {
    "test strings of gitleaks that are secrets: found": _share("literals", "recall"),
    "test strings of gitleaks: of what is found, really secrets": _share("literals", "precision"),
    "test strings of gitleaks that are none: flagged": _share("literals", "flagged"),
    "made-up secrets: found whole": _share("generated", "recall"),
    "kinds of made-up secrets: found in at least 95 % of their texts": lambda result: (
        f"{result['generated']['kinds_at_95']} of {len(result['generated']['by_kind'])}"
    ),
    "lines of Python's library: flagged, per 1,000": lambda result: (
        f"{1000 * result['library_flagged']['value']:.2g}, {result['library_flagged']['hits']:,} of "
        f"{result['library_flagged']['of']:,}"
    ),
    "CPU ms for 2,000 characters, p50": lambda result: f"{result['cpu_ms']['p50']:.2f}",
    "CPU ms for 2,000 characters, p95": lambda result: f"{result['cpu_ms']['p95']:.2f}",
}
"""The rows of the table."""


def _numbers(on: Samples) -> list[list[Any]]:
    return [
        ["test strings of gitleaks, secrets", len(on.literals["pos"])],
        ["test strings of gitleaks, none", len(on.literals["neg"])],
        ["made-up secrets", len(on.generated)],
        ["kinds of made-up secrets", len({kind for kind, *_ in on.generated})],
        ["lines of Python's library", len(on.library)],
        ["rules of holloway", len(secrets.load_rules().rules)],
    ]


def detectors() -> dict[str, Detector]:
    """Ours, the five patterns, and detect-secrets if it is installed."""
    all_detectors: dict[str, Detector] = {"holloway": ours, "five patterns": five_patterns}
    try:
        from detect_secrets.core import scan  # type: ignore[import-not-found]
        from detect_secrets.settings import default_settings  # type: ignore[import-not-found]
    except ImportError:
        return all_detectors

    def detect_secrets(text: str) -> Spans:
        """As it reads a file; what it does with a line given by hand flags nearly everything."""
        with default_settings():
            secrets = list(scan._process_line_based_plugins(list(enumerate(text.splitlines(), 1)), "memory.txt"))
        places = [(text.find(secret.secret_value or "\0"), len(secret.secret_value or "")) for secret in secrets]
        return [(at, at + size) for at, size in places if at >= 0]

    return all_detectors | {f"{SLOW} {version(SLOW)}": detect_secrets}


def ours(text: str) -> Spans:
    """Return the spans that holloway finds."""
    return [(finding.start, finding.end) for finding in secrets.scan_secrets(text)]


def five_patterns(text: str) -> Spans:
    """Return the spans that five common patterns find."""
    return [match.span() for pattern in BASELINE for match in pattern.finditer(text)]


def lines(paths: Iterable[Path], without: str) -> Iterator[str]:
    """The lines of source files that hold any text."""
    for path in paths:
        if without not in path.parts and path.is_file():
            yield from (line for line in path.read_text(errors="replace").splitlines() if line.strip())


def on_literals(detect: Detector, literals: dict[str, list[tuple[str, str]]]) -> Figures:
    """Recall and precision on another scanner's test strings."""
    hits = sum(bool(detect(text)) for _, text in literals["pos"])
    false = [rule for rule, text in literals["neg"] if detect(text)]
    return {
        "recall": share(hits, len(literals["pos"]))._asdict(),
        "precision": share(hits, hits + len(false))._asdict(),
        "flagged": share(len(false), len(literals["neg"]))._asdict(),
        "flagged_by_rule": dict(sorted(Counter(false).items())),
    }


def on_generated(detect: Detector, generated: list[tuple[str, str, str]]) -> Figures:
    """Recall on made-up secrets; one counts only if every character of it is found."""
    kinds: dict[str, list[bool]] = {}
    for kind, text, secret in generated:
        kinds.setdefault(kind, []).append(is_covered(text, secret, detect(text)))
    recalls = {kind: round(sum(hits) / len(hits), 4) for kind, hits in kinds.items()}
    return {
        "recall": share(sum(map(sum, kinds.values())), len(generated))._asdict(),
        "kinds_at_95": sum(x >= 0.95 for x in recalls.values()),
        "by_kind": recalls,
    }


def is_covered(text: str, secret: str, spans: Spans) -> bool:
    """Whether some found stretch holds the whole secret."""
    start = text.index(secret)
    return any(a <= start and start + len(secret) <= b for a, b in spans)


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
