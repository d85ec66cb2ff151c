"""The page's part for a reader without our data: each benchmark's command, and where files and clones come from."""

from __future__ import annotations

from benchmarks import catalogue, needs, report
from benchmarks.repositories import TABLE


def section() -> str:
    """Three tables: the benchmarks, the files of the data folder, and the repositories."""
    rows = [[one.name, f"`{one.command}`", f"{one.minutes:g}"] for one in catalogue.ALL]
    files = [[f"`{name}`", source[:1].upper() + source[1:]] for name, source in needs.FILES.items()]
    parts = [
        "## How to run them yourself",
        report.grid(["benchmark", "command", "minutes, about"], rows),
        "`make bench ONLY=name DATA=folder REPOS=folder` is the same in the environment that `make` makes. `--data` is "
        "a folder with the files below, `--repos` one with clones, history included; a benchmark that misses a clone "
        "prints the command that brings it. Peers are measured beside where their environments are given; without "
        "them the other rows stay the same.",
        "### The files of the data folder",
        report.grid(["file", "where it comes from"], files),
        "### The repositories",
        "Each clone stands at the commit that the figures were measured at.",
        report.grid(["folder", "repository", "commit"], [[name, *one] for name, one in TABLE.items()]),
    ]
    return "\n\n".join(parts) + "\n"
