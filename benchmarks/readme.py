"""The README's figures, each from a result: the table is written, never typed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks import b2_commits_elsewhere, catalogue, report
from benchmarks.b1_sessions import NO_SESSIONS, SESSIONS
from benchmarks.learning_result import OURS
from benchmarks.projects import HELD_OUT
from benchmarks.trivial import ALL_FUSED, CONTENTS, FUSED

README = Path(__file__).parents[1] / "README.md"
BEGIN, END = "<!-- figures: written by benchmarks/readme.py -->", "<!-- end of figures -->"

Results = Mapping[str, Mapping[str, Any]]


def write() -> None:
    """Put the table into the README."""
    text = README.read_text(encoding="utf-8")
    head, _, after_begin = text.partition(BEGIN)
    _, _, tail = after_begin.partition(END)
    README.write_text(f"{head}{BEGIN}\n{table()}\n{END}{tail}", encoding="utf-8")


def table() -> str:
    """The table as it must stand there; a benchmark without a result has no line."""
    results = {str(result["name"]): result for result in report.results()}
    measured = [row for row in ROWS if row.benchmark in results]
    rows = [[row.what, row.figure(results), row.beside(results), f"`{again(row.benchmark)}`"] for row in measured]
    return report.grid(["what", "figure", "baseline", "again with"], rows)


def again(benchmark: str) -> str:
    """The command that measures it, with the folders that it needs."""
    folders = re.findall(r"--(\w+) DIR", catalogue.BY_NAME[benchmark].command)
    return " ".join([f"make bench ONLY={benchmark}", *(f"{name.upper()}=folder" for name in folders)])


def cell(results: Results, name: str, table: int, row: Sequence[object], column: str) -> Any:
    """Return a value of a result's table, from the row with this beginning."""
    entry = results[name]["tables"][table]
    line = next(row_read for row_read in entry["rows"] if row_read[: len(row)] == list(row))
    return line[entry["columns"].index(column)]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table."""

    benchmark: str
    what: str
    figure: Callable[[Results], str]
    beside: Callable[[Results], str]


def _hook(results: Results, case: str) -> str:
    p50, p95 = (cell(results, "b7_hooks", 0, [case], f"x bare {which}") for which in ("p50", "p95"))
    return f"{p50:.1f}x a bare Python at p50, {p95:.1f}x at p95"


def _store_p95(results: Results, operation: str) -> str:
    sizes = [cell(results, "b7_store", 0, [operation, size], "p95 ms") for size in (10_000, 100_000)]
    return " / ".join(f"{ms:.2g}" if ms < 1 else f"{ms:.1f}" if ms < 100 else f"{ms:.0f}" for ms in sizes)


def _describe_recall(results: Results, *methods: str) -> str:
    """The mean recall of the projects on which nothing was tuned."""
    figures = results["b1_sessions"]["figures"]
    means = {name: fmean(figures[project][name]["recall_10"] for project in HELD_OUT) for name in methods}
    return "; ".join(f"{name}: {mean:.3f}" for name, mean in means.items())


def _describe_recall_by_sessions(results: Results, method: str) -> str:
    """Recall by how many sessions were known, on the same sessions."""
    depths = results["learning_curve"]["figures"]["same_sessions"]
    return " / ".join(f"{depths[depth][method][0]:.3f}" for depth in ("0", "1", "5", "30", max(depths, key=int)))


def _commits(results: Results, system: str) -> str:
    figures = results["b2_commits"]["figures"]
    return " / ".join(f"{figures[name]['message'][system][0]:.3f}" for name in ("flask", "hono"))


def _issues(results: Results, system: str) -> str:
    return " / ".join(f"{accuracy[0]:.3f}" for accuracy in results["b3_issues"]["figures"]["all"][system])


def _edges(results: Results, side: str) -> str:
    figures = results["b6_graph"]["figures"]["files"]
    return " / ".join(f"{figures[f'{name} without tests {side}']['imports']['f1']:.2f}" for name in ("flask", "hono"))


def _describe_tied_memories(results: Results, *systems: str) -> str:
    values = (str(cell(results, "b4_coding", 1, [name], "recall@10")).split()[0] for name in systems)
    return "; ".join(f"{name}: {value}" for name, value in zip(systems, values, strict=True))


def _turns(results: Results, system: str) -> str:
    figures = results["b4_conversations"]["figures"][system]
    return f"{figures['recall']['macro'][0]:.3f}, {report.format_value(figures['query_ms_p50'])} ms"


def _peers(results: Results) -> str:
    figures = results["b4_conversations"]["figures"]
    peers = [name for name in figures if name != "holloway" and name not in ("dense", "RRF (k 60)")]
    return "; ".join(f"{name}: {_turns(results, name)}" for name in peers)


def _elsewhere(results: Results, system: str) -> str:
    """The mean of the repositories that only confirmed; what was looked into flatters."""
    unseen = [name for name, source in b2_commits_elsewhere.SOURCES.items() if not source.is_looked_into]
    figures = results["b2_commits_elsewhere"]["figures"]
    return f"{fmean(figures[name]['message'][system] for name in unseen):.3f}"


def _secrets(results: Results, detector: str) -> str:
    figures = results["b8_secrets"]["figures"][detector]
    return " / ".join(f"{figures[samples]['recall']['value']:.0%}" for samples in ("literals", "generated"))


def _describe_flagged(results: Results, detector: str) -> str:
    figures = results["b8_secrets"]["figures"][detector]
    strings, lines = figures["literals"]["flagged"]["value"], figures["library_flagged"]["value"]
    return f"{strings:.0%} / {1000 * lines:.2g}"


def _detectors(results: Results, figure: Callable[[Results, str], str]) -> str:
    other_detectors = [name for name in results["b8_secrets"]["figures"] if name != "holloway"]
    return "; ".join(f"{name}: {figure(results, name)}" for name in other_detectors)


def _describe_poisoned(results: Results) -> str:
    rows = {row[0]: row[1] for row in results["b8_poison"]["tables"][0]["rows"]}
    return f"{rows['of them reached an agent unseen']} of {rows['poisoned sessions']}"


IMPORTS = "Python with json, sqlite3"
ROWS = (
    Row(
        "b7_hooks",
        "a hook that only notes an event",
        lambda results: _hook(results, "capture: shell command"),
        lambda results: f"`import json, sqlite3` alone: {_hook(results, IMPORTS)}",
    ),
    Row(
        "b7_store",
        "the traps of a file, 10,000 / 100,000 memories, ms at p95",
        lambda results: _store_p95(results, "lookup, files as agents open them"),
        lambda results: f"a bare `SELECT`: {_store_p95(results, 'bare SELECT by path')}",
    ),
    Row(
        "b7_store",
        "text search, 10,000 / 100,000 memories, ms at p95",
        lambda results: _store_p95(results, "search, all"),
        lambda results: f"plain FTS5: {_store_p95(results, 'plain FTS5, all')}",
    ),
    Row(
        "b1_sessions",
        f"files that a session will need, from its first prompt, recall at 10 (mean of {len(HELD_OUT)} projects on "
        "which nothing was tuned)",
        lambda results: _describe_recall(results, SESSIONS, NO_SESSIONS),
        lambda results: _describe_recall(results, CONTENTS, "recent", "freq", "kNN over past prompts", ALL_FUSED),
    ),
    Row(
        "learning_curve",
        "what locating finds of them with 0 / 1 / 5 / 30 / all earlier sessions learned",
        lambda results: _describe_recall_by_sessions(results, OURS),
        lambda results: f"{FUSED}: {_describe_recall_by_sessions(results, FUSED)}",
    ),
    Row(
        "b2_commits",
        "files of a commit from its message, recall at 10, flask / hono",
        lambda results: _commits(results, "holloway"),
        lambda results: (
            f"BM25 over contents {_commits(results, 'BM25 over contents')}; with similar commits (RRF) "
            f"{_commits(results, 'RRF of both')}"
        ),
    ),
    Row(
        "b2_commits_elsewhere",
        "the same on six repositories that were only looked at afterwards",
        lambda results: _elsewhere(results, "holloway"),
        lambda results: (
            f"BM25 over contents {_elsewhere(results, 'BM25 over contents')}; with similar commits (RRF) "
            f"{_elsewhere(results, 'RRF of both')}"
        ),
    ),
    Row(
        "b3_issues",
        "the file that fixes an issue, 49 of SWE-bench Lite, first / in five / in ten",
        lambda results: _issues(results, "holloway"),
        lambda results: f"BM25 with named paths {_issues(results, 'BM25 with named paths')}",
    ),
    Row(
        "b6_graph",
        "files that import each other, tests aside, F1 against SCIP, flask / hono",
        lambda results: _edges(results, "map"),
        lambda results: f"a regular expression: {_edges(results, 'regex scanner')}",
    ),
    Row(
        "b4_coding",
        "memories that a commit's developers tied it to, recall at 10 (six repositories)",
        lambda results: _describe_tied_memories(results, "holloway, as shipped").rpartition(" ")[2],
        lambda results: _describe_tied_memories(results, "FTS5, names split", "dense", "RRF (k 60)"),
    ),
    Row(
        "b4_conversations",
        "turns of a long conversation that answer a question, recall at 10 and time (LoCoMo)",
        lambda results: _turns(results, "holloway"),
        _peers,
    ),
    Row("b8_poison", "poisoned sessions that reach an agent unseen", _describe_poisoned, lambda results: "none may"),
    Row(
        "b8_secrets",
        "secrets found: 75 test strings of gitleaks / 1,536 made-up ones",
        lambda results: _secrets(results, "holloway"),
        lambda results: _detectors(results, _secrets),
    ),
    Row(
        "b8_secrets",
        "wrongly flagged: 261 test strings of gitleaks / lines of Python's library, per 1,000",
        lambda results: _describe_flagged(results, "holloway"),
        lambda results: _detectors(results, _describe_flagged),
    ),
)
