"""Judged lessons: sheets for blind judges of told lessons, and the figures that their verdicts give.

    python -m benchmarks.judged_lessons sheet --data DIR --set FILE --run none=DIR --run both=DIR --out DIR
    python -m benchmarks.judged_lessons store --run none=DIR --run both=DIR --sheet DIR --out FILE
    python -m benchmarks.judged_lessons score --data DIR --set FILE --run none=DIR --judgements FILE

A run is a folder that `told_lessons` or `read_lessons show` wrote, named by its arm. `sheet` writes every told text
that has too few verdicts, shuffled with dropped and held candidates, so that a judge sees neither the arm nor the fate
of a text; and every labelled lesson with the texts of its session, for recall. `store` turns the verdicts of the
judges into lines without text. `score` prints the figures of each arm and project for each judge, with intervals and
the agreement of the judges. A text without a verdict counts as noise, and a lesson without a match as missed.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.told_lessons import REPORTING, TUNING, load_gold, name_projects
from holloway.text.fingerprint import normalise_text

VERDICTS = ("useful", "obvious", "noise", "wrong")
RUBRIC = 2
BOOTSTRAPS = 2_000
NORMAL_95 = 1.96
SEED = 7
CANDIDATES_MAX = 60
SIMILAR_MAX = 8
"""Number of texts of other sessions that are listed with a labelled lesson, those with the most of its words."""

Row = dict[str, Any]


class Run(NamedTuple):
    """The lessons that one arm told, dropped or held."""

    arm: str
    told: list[Row]
    dropped: list[Row]


def read_rows(path: Path) -> list[Row]:
    """Read a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write a file of JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def load_runs(values: Sequence[str]) -> list[Run]:
    """Load runs that are given as ARM=FOLDER."""
    pairs = [value.partition("=") for value in values]
    folders = [(arm, Path(folder)) for arm, _, folder in pairs]
    return [Run(arm, read_rows(path / "shown.jsonl"), read_rows(path / "dropped.jsonl")) for arm, path in folders]


def load_verdicts(paths: Sequence[Path]) -> dict[str, dict[str, Row]]:
    """Load the verdicts on each text by the judge; a later line completes an earlier one."""
    verdicts: dict[str, dict[str, Row]] = defaultdict(dict)
    for path in paths:
        for row in read_rows(path):
            earlier_verdict = verdicts[row["hash"]].get(str(row["judge"]), {})
            gold = sorted({*earlier_verdict.get("gold", ()), *row.get("gold", ())})
            fields = {name: value for name, value in row.items() if value not in ("", None)}
            verdicts[row["hash"]][str(row["judge"])] = {"verdict": "", **earlier_verdict, **fields, "gold": gold}
    return verdicts


# --- sheets


def write_sheets(options: argparse.Namespace) -> None:
    """Write the sheet of unjudged texts, and the sheet of labelled lessons."""
    runs = load_runs(options.run)
    verdicts = load_verdicts(options.judgements)
    told_rows = {row["hash"]: row for run in runs for row in run.told}
    unjudged = [row for row in told_rows.values() if count_verdicts(verdicts.get(row["hash"], {})) < options.judges]
    dropped = {
        row["hash"]: row for run in runs for row in run.dropped if row["hash"] not in told_rows and row["content"]
    }
    chooser = random.Random(SEED)
    candidates = choose_candidates(list(dropped.values()), options.candidates, chooser)
    sheet = [describe_text(row) for row in (*unjudged, *candidates)]
    chooser.shuffle(sheet)
    write_rows(options.out / "sheet.jsonl", sheet)
    gold = load_gold(options.data, options.set)
    texts = [*told_rows.values(), *(row for row in dropped.values() if row["source"] == "read_lesson")]
    recall_rows = list_recall_rows(gold, texts)
    write_rows(options.out / "recall_sheet.jsonl", recall_rows)
    print(
        f"{len(told_rows)} told, {len(unjudged)} of them and {len(candidates)} others on the sheet; {len(gold)} lessons"
    )


def count_verdicts(rows: Mapping[str, Row]) -> int:
    """Count the judges who gave a verdict on a text; some only said which lessons it conveys."""
    return sum(bool(row["verdict"]) for row in rows.values())


def choose_candidates(rows: list[Row], limit: int, chooser: random.Random) -> list[Row]:
    """Choose dropped and held candidates: two thirds of a reader's proposals, the rest of what signals found."""
    proposed = [row for row in rows if row["source"] == "read_lesson"]
    other_rows = [row for row in rows if row["source"] != "read_lesson"]
    chooser.shuffle(proposed)
    chooser.shuffle(other_rows)
    chosen = proposed[: limit * 2 // 3]
    return chosen + other_rows[: limit - len(chosen)]


def describe_text(row: Row) -> Row:
    """Return what a judge sees of a text: neither its arm nor its fate."""
    text = row.get("text") or row["content"]
    fields = {"hash": row["hash"], "project": row["project"], "session": row["session"]}
    return fields | {"text": text, "files": row.get("files", [])}


def list_recall_rows(gold: list[Row], texts: list[Row]) -> list[Row]:
    """List each labelled lesson with the texts that may tell it: all of its session, and the most similar others."""
    letters = {name: letter for letter, name in name_projects(gold).items()}
    rows = []
    for lesson in gold:
        words = split_words(f"{lesson['lesson']} {lesson.get('why', '')}")
        project_rows = [row for row in texts if row["project"] == letters[lesson["repo"]]]
        session_rows = [row for row in project_rows if row["session"] == lesson["session"]]
        ranked = sorted(project_rows, key=lambda row: -len(words & split_words(row["content"])))
        chosen = {
            row["hash"]: row["content"]
            for row in [*session_rows, *[row for row in ranked if row not in session_rows][:SIMILAR_MAX]]
        }
        fields = {name: lesson.get(name) for name in ("id", "session", "kind", "lesson", "why", "files")}
        rows.append(fields | {"texts": [{"hash": key, "text": text} for key, text in chosen.items()]})
    return rows


def split_words(text: str) -> set[str]:
    """Return the words of a text that are long enough to mean something."""
    return {word for word in normalise_text(text).split() if len(word) > 3}


# --- judgements


def store_judgements(options: argparse.Namespace) -> None:
    """Write the verdicts of judges as lines without text: `verdicts_N*.jsonl` and `recall_N*.jsonl` of judge N."""
    arms: dict[str, set[str]] = defaultdict(set)
    checks: dict[str, str] = {}
    for run in load_runs(options.run):
        for row in run.told:
            arms[row["hash"]].add(run.arm)
        for row in run.dropped:
            checks.setdefault(row["hash"], row["check"])
    lines = []
    for judge in range(1, options.judges + 1):
        caught: dict[str, set[str]] = defaultdict(set)
        for path in sorted(options.sheet.glob(f"recall_{judge}*.jsonl")):
            for row in read_rows(path):
                for key in row["caught"]:
                    caught[key].add(row["id"])
        judged = {
            row["hash"]: row
            for path in sorted(options.sheet.glob(f"verdicts_{judge}*.jsonl"))
            for row in read_rows(path)
        }
        for key in sorted({*judged, *caught}):
            row = judged.get(key, {})
            lines.append(
                {
                    "hash": key,
                    "judge": judge,
                    "arms": sorted(arms.get(key, ())),
                    "check": "" if key in arms else checks.get(key, ""),
                    "verdict": row.get("verdict", ""),
                    "clean": row.get("clean"),
                    "gold": sorted(caught.get(key, ())),
                    "rubric": RUBRIC,
                }
            )
    write_rows(options.out, lines)
    print(f"{len(lines)} judgements of {options.judges} judges")


# --- figures


def score(options: argparse.Namespace) -> None:
    """Print the figures of each arm, of all projects and of each."""
    gold = load_gold(options.data, options.set)
    letters = name_projects(gold)
    verdicts = load_verdicts(options.judgements)
    judges = sorted({judge for rows in verdicts.values() for judge in rows})
    for run in load_runs(options.run):
        for letter in ("", *letters):
            told_hashes = [row["hash"] for row in run.told if not letter or row["project"] == letter]
            lessons = [row["id"] for row in gold if not letter or row["repo"] == letters[letter]]
            print(f"{run.arm} {letter or 'all'}: {len(told_hashes)} told, {len(lessons)} lessons")
            for judge in judges:
                rows = {key: row[judge] for key, row in verdicts.items() if judge in row}
                precision, recall = describe_precision(told_hashes, rows), describe_recall(lessons, told_hashes, rows)
                print(f"  judge {judge}: {precision}; {recall}")
            print(f"  {describe_agreement(told_hashes, verdicts)}")
    print_checks(verdicts, judges)


def describe_precision(told_hashes: Sequence[str], rows: Mapping[str, Row]) -> str:
    """Return the share of each verdict among the told texts; one without a verdict is noise and not clean."""
    counts = Counter(rows[key]["verdict"] if key in rows and rows[key]["verdict"] else "noise" for key in told_hashes)
    clean = sum(bool(key in rows and rows[key].get("clean")) for key in told_hashes)
    parts = [f"{name} {describe_share(counts[name], len(told_hashes))}" for name in VERDICTS]
    return ", ".join([*parts, f"clean {describe_share(clean, len(told_hashes))}"])


def describe_recall(lessons: Sequence[str], told_hashes: Sequence[str], rows: Mapping[str, Row]) -> str:
    """Return the share of the labelled lessons that a told text conveys."""
    caught = {lesson for key in told_hashes if key in rows for lesson in rows[key].get("gold", ())}
    hits = [lesson in caught for lesson in lessons]
    low, high = bootstrap(hits)
    return f"recall {sum(hits)} of {len(hits)} = {sum(hits) / max(1, len(hits)):.2f} [{low:.2f}, {high:.2f}]"


def describe_share(count: int, total: int) -> str:
    """Return a count with its share and Wilson's interval."""
    low, high = compute_interval(count, total)
    return f"{count} = {count / max(1, total):.2f} [{low:.2f}, {high:.2f}]"


def compute_interval(count: int, total: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    if not total:
        return 0.0, 1.0
    share, squared = count / total, NORMAL_95**2
    middle = share + squared / (2 * total)
    spread = NORMAL_95 * math.sqrt(share * (1 - share) / total + squared / (4 * total**2))
    return max(0.0, (middle - spread) / (1 + squared / total)), min(1.0, (middle + spread) / (1 + squared / total))


def bootstrap(values: Sequence[bool]) -> tuple[float, float]:
    """Return the 95 % interval of the mean of values by resampling them; the same at every run."""
    if not values:
        return 0.0, 1.0
    chooser = random.Random(SEED)
    means = sorted(sum(chooser.choices(values, k=len(values))) / len(values) for _ in range(BOOTSTRAPS))
    return means[BOOTSTRAPS // 40], means[-BOOTSTRAPS // 40]


def describe_agreement(told_hashes: Iterable[str], verdicts: Mapping[str, Mapping[str, Row]]) -> str:
    """Return on how many texts two judges agree, with Cohen's kappa over all pairs."""
    pairs = [
        (first["verdict"], second["verdict"])
        for key in told_hashes
        for first, second in combinations([row for row in verdicts.get(key, {}).values() if row["verdict"]], 2)
    ]
    if not pairs:
        return "no text has two judges"
    same = sum(first == second for first, second in pairs) / len(pairs)
    firsts, seconds = Counter(first for first, _ in pairs), Counter(second for _, second in pairs)
    chance = sum(firsts[name] * seconds[name] for name in VERDICTS) / len(pairs) ** 2
    kappa = (same - chance) / (1 - chance) if chance < 1 else 1.0
    return f"judges agree on {round(same * len(pairs))} of {len(pairs)} pairs, kappa {kappa:.2f}"


def print_checks(verdicts: Mapping[str, Mapping[str, Row]], judges: Sequence[str]) -> None:
    """Print the verdicts on dropped and held candidates by the check that kept them back."""
    for judge in judges:
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for rows in verdicts.values():
            row = rows.get(judge)
            if row and row.get("check") and row["verdict"]:
                counts[row["check"]][row["verdict"]] += 1
        for check, by_verdict in sorted(counts.items()):
            text = ", ".join(f"{by_verdict[name]} {name}" for name in VERDICTS)
            print(f"judge {judge}, kept back by {check}: {text}")


def main() -> None:
    """Run one of the three commands."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands: dict[str, Callable[[argparse.Namespace], None]] = {
        "sheet": write_sheets,
        "store": store_judgements,
        "score": score,
    }
    parser.add_argument("command", choices=commands)
    parser.add_argument("--run", action="append", required=True, metavar="ARM=DIR")
    for name in ("data", "sheet", "out"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--judgements", type=Path, action="append", default=[])
    parser.add_argument("--set", choices=(TUNING, REPORTING), default=REPORTING)
    parser.add_argument("--judges", type=int, default=2)
    parser.add_argument("--candidates", type=int, default=CANDIDATES_MAX)
    options = parser.parse_args()
    commands[options.command](options)


if __name__ == "__main__":
    main()
