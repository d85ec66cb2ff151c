"""The page's part for a reader without our data: each benchmark's command, and where the files come from."""

from __future__ import annotations

from benchmarks import catalogue, needs, report


def section() -> str:
    """Two tables: the benchmarks, and the files of the data folder."""
    rows = [[one.name, f"`{one.command}`", f"{one.minutes:g}"] for one in catalogue.ALL]
    files = [[f"`{name}`", source[:1].upper() + source[1:]] for name, source in needs.FILES.items()]
    parts = [
        "## How to run them yourself",
        report.grid(["benchmark", "command", "minutes, about"], rows),
        "`--data` is a folder with the files below, `--repos` one with clones, history included; a benchmark that "
        "misses a clone prints the command that brings it. Peers are measured beside where their environments are "
        "given; without them the other rows stay the same.",
        "### The files of the data folder",
        report.grid(["file", "where it comes from"], files),
    ]
    return "\n\n".join(parts) + "\n"
