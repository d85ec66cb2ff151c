"""The page's part for a reader without our data: each benchmark's command, and where files and clones come from."""

from __future__ import annotations

from benchmarks import b4_conversations, catalogue, needs, report
from benchmarks.repositories import TABLE


def section() -> str:
    """Four tables: the benchmarks, the files of the data folder, the repositories and the peers."""
    rows = [[benchmark.name, f"`{benchmark.command}`", f"{benchmark.minutes:g}"] for benchmark in catalogue.ALL]
    files = [[f"`{name}`", source[:1].upper() + source[1:]] for name, source in needs.FILES.items()]
    peers = [[f"`{peer.name}` in the folder of `--peers`", peer.packages] for peer in b4_conversations.PRODUCTS]
    peers += [["the Python of `--aider`", "aider-chat==0.86.2"], ["the one that measures", "detect-secrets==1.5.0"]]
    parts = [
        "## How to run them yourself",
        report.grid(["benchmark", "command", "minutes, about"], rows),
        "`make bench ONLY=name DATA=folder REPOS=folder` is the same in the environment that `make` makes. `--data` is "
        "a folder with the files below, `--repos` one with clones, history included; a benchmark that misses a clone "
        "prints the command that brings it. Peers are measured too where their environments are given; without "
        "them the other rows stay the same.",
        "### The files of the data folder",
        report.grid(["file", "where it comes from"], files),
        "### The repositories",
        "Each clone stands at the commit that the figures were measured at.",
        report.grid(["folder", "repository", "commit"], [[name, *source] for name, source in TABLE.items()]),
        "### The peers",
        "Other tools, measured where they are installed.",
        report.grid(
            ["environment", "what"], [[environment, f"`pip install {packages}`"] for environment, packages in peers]
        ),
    ]
    return "\n\n".join(parts) + "\n"
