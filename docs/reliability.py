"""Generates docs/reliability.md from the figures of long runs, which are kept in docs/reliability.json.

`python -m docs.reliability` takes over the figures that the latest `make nightly` left in build/reliability; runs that
were not repeated keep theirs.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
MEASURED = DOCS.parent / "build" / "reliability"
FIGURES = DOCS / "reliability.json"
PAGE = DOCS / "reliability.md"
HEAD = """# Reliability

Attempts to make holloway lose data, leak or hang, and their results. `make nightly` runs all of them and writes this
page from the figures; every commit runs a short form of each. The promises behind it are in [promises](promises.md),
figures of speed and quality in [benchmarks](benchmarks.md).
"""


@dataclass(frozen=True)
class Run:
    """One long run: what is done, the test that does it, and what its figures mean."""

    title: str
    what: str
    test: str
    labels: dict[str, str]


RUNS = {
    "kills_of_exchanges": Run(
        "Killed while sharing",
        "Two devices teach and exchange over git without end, and are killed (`kill -9`) at a random moment of"
        " recording, fetching, applying or pushing. Then both exchange undisturbed: everything acknowledged is on both,"
        " and their states are equal.",
        "tests/faults/test_kill_sharing.py",
        {"kills": "kills"},
    ),
    "kill": Run(
        "Killed at random moments",
        "A process teaches, edits, replaces, forgets and embeds without end, and is killed (`kill -9`) at a random"
        " moment, while it opens the memory too; then everything that it had acknowledged is looked for.",
        "tests/faults/test_kill.py",
        {
            "kills": "kills",
            "acknowledged": "changes acknowledged before them",
            "lost": "acknowledged changes lost, or half done",
            "unsound": "files that SQLite's checks or the text index's found fault with",
            "kept": "memories at the end",
            "vectors": "of them living, each with the vector of its text",
        },
    ),
    "many": Run(
        "Many at once",
        "Processes that read a number and write the next one in one transaction, with a memory, all on one project;"
        " while one process copies the memory, one searches it, without end, and the worker runs.",
        "tests/faults/test_many_at_once.py",
        {
            "writers": "writing processes",
            "transactions": "transactions",
            "locked": "times anybody saw 'locked'",
            "lost": "transactions lost",
            "copies": "copies made meanwhile, all of them sound",
            "searches": "searches meanwhile, none of which saw half a transaction",
        },
    ),
    "faults": Run(
        "A disk that fails",
        "Each write, sync and truncation of an operation fails in turn, once or from then on, with an I/O error or a"
        " full disk: teaching, replacing, pruning, forgetting for good, copying, restoring, migrating, opening.",
        "tests/faults/test_fault_points.py",
        {
            "points": "places at which the disk failed",
            "half_done": "operations that were half done",
            "damaged": "damaged files",
            "unclear": "failures without a message and a hint",
        },
    ),
    "damage": Run(
        "Damaged files",
        "Bytes of the database are flipped, blanked, replaced by noise or cut off, anywhere; then the commands are run,"
        " and the last copy is brought back.",
        "tests/faults/test_damage.py",
        {
            "damages": "damaged files",
            "noticed": "noticed by `holloway doctor` (the rest hit nothing that is in use)",
            "restored": "brought back whole from the last copy",
        },
    ),
    "soak": Run(
        "Agents at work for a long time",
        "An agent in each of several projects, all at once, with the hooks that `holloway setup` installs: sessions"
        " with prompts, reads, searches, edits, failures, fixes and commits, and the workers that those start.",
        "tests/faults/test_soak.py",
        {
            "events": "hook events, each a process",
            "answered": "of them answered with something to know",
            "sessions": "sessions, all of them learned from",
            "projects": "projects",
            "workers": "workers started in the background",
            "workers_at_once_max": "workers at one moment, at most",
            "hook_mb_max": "memory of a hook, at most (MB)",
            "hook_growth_percent_max": "growth of it from the first quarter to the last (%)",
            "worker_mb_max": "memory of a worker, at most (MB)",
            "data_mb": "size of the data folder at the end (MB)",
            "left_behind": "processes, journals, temporary files left behind",
        },
    ),
    "canaries": Run(
        "Planted secrets",
        "Secrets of many kinds come in through hooks, transcripts, teaching, imports, rules files and MCP; then every"
        " file of the data folder is searched for their bytes.",
        "tests/attacks/test_canaries.py",
        {"planted": "secrets planted", "files": "files searched", "found": "secrets found in them"},
    ),
    "questions": Run(
        "Any question",
        "Questions made of operators, quotes, control characters, strange scripts and code.",
        "tests/retrieval/test_fuzz.py",
        {"asked": "questions", "errors": "errors"},
    ),
}


def merge_results(earlier: dict[str, Any], measured: Path = MEASURED) -> dict[str, Any]:
    """Return the stored figures, updated with those of the latest runs."""
    parts: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for path in sorted(measured.glob("*.json")):
        measured_part = json.loads(path.read_text("utf-8"))
        parts[measured_part["run"]].append(measured_part)
    fresh = {
        run: {
            "at": max(part["at"] for part in run_parts),
            "machine": run_parts[-1]["machine"],
            "figures": _merge_figures(run_parts),
        }
        for run, run_parts in parts.items()
    }
    return dict(sorted({**earlier, **fresh}.items()))


def _merge_figures(parts: list[dict[str, Any]]) -> dict[str, float]:
    """Combine the figures of a run's parts: the maximum for names ending in `_max`, otherwise the sum."""
    names = dict.fromkeys(name for part in parts for name in part["figures"])
    values_by_name = {name: [part["figures"][name] for part in parts if name in part["figures"]] for name in names}
    return {name: max(values) if name.endswith("_max") else sum(values) for name, values in values_by_name.items()}


def render_page() -> str:
    """Render all runs with their figures."""
    figures = load_results()
    return "\n".join([HEAD, *(_render_section(run, figures[name]) for name, run in RUNS.items() if name in figures)])


def _render_section(run: Run, measured: dict[str, Any]) -> str:
    figures, machine = measured["figures"], measured["machine"]
    rows = [f"| {label} | {figures[name]:,} |" for name, label in run.labels.items() if name in figures]
    hardware = f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}"
    software = f"Python {machine['python']}, SQLite {machine['sqlite']}, holloway {machine['holloway']}"
    again = f"Again with `HOLLOWAY_NIGHTLY=1 pytest {run.test}`."
    lines = [f"## {run.title}", "", run.what, "", "| | |", "| --- | --- |", *rows, ""]
    return "\n".join([*lines, f"{measured['at']}; {hardware}; {software}. {again}", ""])


def load_results() -> dict[str, Any]:
    """Read the stored figures."""
    figures: dict[str, Any] = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {}
    return figures


if __name__ == "__main__":
    now = merge_results(load_results())
    FIGURES.write_text(json.dumps(now, indent=1) + "\n", "utf-8")
    PAGE.write_text(render_page(), "utf-8")
