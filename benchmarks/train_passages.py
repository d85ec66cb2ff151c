"""Train the weights of the passage ranker on labelled passages, and show how they do on projects left out of training.

    python -m benchmarks.train_passages --passages FILE [--write]

A line of the file is an object with `project`, `speaker`, `text`, `context` and `label`: 2 (worth telling), 1
(borderline), 0 (noise), W (wrong or misleading) or F (a bug that was found and fixed). The weights hold words that
occur in several projects, and no text.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from holloway.data.source import DATA_FOLDER
from holloway.observer.passage_ranker import extract_features

LABEL_WEIGHTS = {"2": 3.0, "1": 0.5, "0": 1.0, "W": 1.5, "F": 0.6}
PROJECTS_MIN, COUNT_MIN = 3, 8
PENALTY = 2_000.0
NEWTON_STEPS = 12
WEIGHT_MIN = 0.004
PROJECT_ROWS_MIN = 60
SHARES = (0.02, 0.05, 0.1, 0.2, 0.3)

Row = dict[str, Any]
Floats = Any


def fit_weights(rows: list[Row]) -> dict[str, float]:
    """Fit a logistic regression with an L2 penalty by Newton's method; returns the weight of each feature."""
    features = [extract_features(row["text"], row["context"], row["speaker"]) for row in rows]
    projects: dict[str, set[str]] = defaultdict(set)
    counts: Counter[str] = Counter()
    for row, row_features in zip(rows, features, strict=True):
        counts.update(row_features.keys())
        for name in row_features:
            projects[name].add(row["project"])
    names = sorted(name for name in counts if len(projects[name]) >= PROJECTS_MIN and counts[name] >= COUNT_MIN)
    column = {name: number for number, name in enumerate(names)}
    matrix = np.zeros((len(rows), len(names) + 1))
    matrix[:, -1] = 1.0
    for number, row_features in enumerate(features):
        for name, value in row_features.items():
            if name in column:
                matrix[number, column[name]] = value
    scale = matrix.std(axis=0)
    scale[scale == 0] = 1.0
    scaled = matrix / scale
    target = np.array([float(row["label"] == "2") for row in rows])
    weight = np.array([LABEL_WEIGHTS[row["label"]] for row in rows])
    penalty = np.full(len(names) + 1, PENALTY)
    penalty[-1] = 0.0
    beta = np.zeros(len(names) + 1)
    for _ in range(NEWTON_STEPS):
        probability = 1.0 / (1.0 + np.exp(-scaled @ beta))
        gradient = scaled.T @ (weight * (probability - target)) + penalty * beta
        curvature = (scaled * (weight * probability * (1 - probability))[:, None]).T @ scaled + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        beta -= step
        if float(np.abs(step).max()) < 1e-6:
            break
    weights = {name: round(float(value), 4) for name, value in zip([*names, "bias"], beta / scale, strict=True)}
    return {name: value for name, value in weights.items() if abs(value) >= WEIGHT_MIN or name == "bias"}


def score_row(weights: dict[str, float], row: Row) -> float:
    """Return the score of a passage before the logistic function."""
    features = extract_features(row["text"], row["context"], row["speaker"])
    return weights["bias"] + sum(weights.get(name, 0.0) * value for name, value in features.items())


def report_left_out(rows: list[Row]) -> None:
    """Print the labels of the best-scored passages, each project scored by weights of the others."""
    scored: list[tuple[float, Row]] = []
    for project, number in Counter(row["project"] for row in rows).items():
        if number >= PROJECT_ROWS_MIN:
            weights = fit_weights([row for row in rows if row["project"] != project])
            scored += [(score_row(weights, row), row) for row in rows if row["project"] == project]
    for speaker in sorted({row["speaker"] for row in rows}):
        ordered = sorted(
            ((score, row) for score, row in scored if row["speaker"] == speaker), key=lambda pair: -pair[0]
        )
        for share in SHARES:
            top = ordered[: max(1, int(len(ordered) * share))]
            if not ordered:
                continue
            labels = Counter(row["label"] for _, row in top)
            shares = " ".join(f"{label}={labels[label] / len(top):.2f}" for label in LABEL_WEIGHTS)
            print(f"{speaker:13} best {share:.0%} ({len(top)}), score from {top[-1][0]:+.2f}: {shares}")


def main() -> None:
    """Train on all passages; write the weights if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--passages", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="write the weights and skip the report")
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.passages.read_text("utf-8").splitlines()]
    if not options.write:
        report_left_out(rows)
        return
    weights = fit_weights(rows)
    print(f"{len(weights)} weights from {len(rows)} passages")
    lines = ",\n".join(f"{json.dumps(name)}: {value}" for name, value in sorted(weights.items()))
    (DATA_FOLDER / "passage_weights.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
