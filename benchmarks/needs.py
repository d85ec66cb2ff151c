"""Requirements of benchmarks outside of this repository, and where anybody can get them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from benchmarks import b3_issues, b4_conversations, b6_graph, literals, sessions
from benchmarks.repositories import TABLE


@dataclass(frozen=True, slots=True)
class Given:
    """The data, clones and programs that are available to a run."""

    data: Path | None = None
    repos: Path | None = None
    graphs: Path | None = None
    pycg: Path | None = None
    peers: Path | None = None
    aider: str = ""
    quick: bool = False


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that must be there: the option that says where it lies, and how to get it."""

    option: str
    missing: Callable[[Given], str]
    """How to get it where it is missing, else nothing."""


PREPARE = "python -m benchmarks.prepare"
SESSIONS_FROM = (
    "a clone of https://github.com/entireio/cli has its developers' sessions on the branch entire/checkpoints/v1 "
    f"(MIT); `{PREPARE} sessions CLONE DIR` makes the file from it."
)
LABELS_FROM = (
    "our own labels on those sessions. They quote people's words, so they are not published; without them this "
    "benchmark cannot be run."
)
TRANSCRIPTS = "transcripts"
"""The folder of the data folder with a folder of transcripts for each project."""
FILES = {
    TRANSCRIPTS: (
        f"`{PREPARE} transcripts CLONE DIR` takes a project's sessions from the branch entire/checkpoints/v1 of its "
        "clone, whose folder names them."
    ),
    sessions.DEV: SESSIONS_FROM,
    "error_fix_dev.jsonl": LABELS_FROM,
    "self_correction_dev.jsonl": LABELS_FROM,
    "self_correction_dev_extra.jsonl": LABELS_FROM,
    "cochange_flask.jsonl": f"`{PREPARE} commits CLONE_OF_FLASK DIR` makes it; asked are the commits of the figures.",
    "cochange_hono.jsonl": (
        f"`{PREPARE} commits CLONE_OF_HONO DIR` makes it; asked are the commits of the figures and two more."
    ),
    "swe_bench_lite_dev.json": (
        "SWE-bench Lite, the test split of https://huggingface.co/datasets/princeton-nlp/SWE-bench_Lite (MIT), as a "
        f"JSON list; used are flask, requests and django below {b3_issues.DJANGO_BELOW:,}, and the rest may be there."
    ),
    b4_conversations.FILE: (
        "LoCoMo, https://github.com/snap-research/locomo, data/locomo10.json (CC BY-NC 4.0), under that name; used "
        f"are {', '.join(b4_conversations.DIALOGUES)}, and the rest may be there."
    ),
    literals.FILE: (
        f"`{PREPARE} secrets CLONE_OF_GITLEAKS DIR` makes it from https://github.com/gitleaks/gitleaks (MIT) at "
        "b58d3f102c: what its rules must and must not match. Of the 336 strings of the figures one differs, and two "
        "are more."
    ),
}
"""Files of the data folder, and where each comes from."""


def file(name: str) -> Need:
    """A file of the data folder."""
    return Need(
        "--data DIR",
        lambda resources: "" if resources.data and (resources.data / name).exists() else f"{name}: {FILES[name]}",
    )


def transcripts(names: Sequence[str]) -> Need:
    """Transcripts of the sessions that projects keep in their repositories, a folder for each."""

    def missing(resources: Given) -> str:
        absent = [name for name in names if not (resources.data and (resources.data / TRANSCRIPTS / name).is_dir())]
        return "\n    ".join([f"transcripts of {name}: {FILES[TRANSCRIPTS]}" for name in absent])

    return Need("--data DIR", missing)


def clones(names: Sequence[str], *, one_will_do: bool = False) -> Need:
    """Clones of repositories, history included, by the name of their folder; in a quick run, one of them may do."""

    def missing(resources: Given) -> str:
        present_names, folder = present(resources, names), resources.repos or Path("DIR")
        absent = (
            []
            if present_names and resources.quick and one_will_do
            else [name for name in names if name not in present_names]
        )
        commands = [TABLE[name].clone(folder / name) for name in absent]
        return "\n    ".join(["clones with their history:", *commands]) if absent else ""

    return Need("--repos DIR", missing)


def present(resources: Given, names: Sequence[str]) -> list[str]:
    """The names of those repositories that were cloned."""
    return [name for name in names if resources.repos and (resources.repos / name).is_dir()]


def package(name: str) -> Need:
    """A Python package that only a benchmark uses."""
    return Need("", lambda resources: "" if find_spec(name) else f"the package {name}: pip install {name}")


def graphs() -> Need:
    """Indexes and labelled call graphs that others made."""

    def missing(resources: Given) -> str:
        absent = b6_graph.missing(resources.graphs, resources.pycg)
        return "\n  ".join([", ".join(absent), b6_graph.HOW_TO_MAKE]) if absent else ""

    return Need("--graphs DIR --pycg DIR", missing)
