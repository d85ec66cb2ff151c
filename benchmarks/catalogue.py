"""All benchmarks in one table: what each is called, needs and takes, and how it is run in full and in short."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import (
    b1_sessions,
    b2_commits,
    b2_commits_elsewhere,
    b3_issues,
    b4_coding,
    b4_conversations,
    b4_tokens,
    b5_errors,
    b5_replay,
    b5_words,
    b6_graph,
    b7_hooks,
    b7_load,
    b7_map,
    b7_panel,
    b7_search,
    b7_store,
    b8_poison,
    b8_secrets,
    b10_modules,
    b11_sharing,
    learning_curve,
    literals,
    needs,
    projects,
    replay,
    sessions,
)
from benchmarks.divisions import DIVISIONS

if TYPE_CHECKING:
    from benchmarks.needs import Given, Need

Result = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One of them."""

    name: str
    run: Callable[[Given], Result]
    minutes: float
    """About how long a full run takes on two cores."""
    needs: tuple[Need, ...] = ()
    needs_for_all: tuple[Need, ...] = ()
    """Without these only a part is measured, and printed instead of kept."""
    beside: str = ""
    """Options that bring peers in; without them they are left out."""

    @property
    def command(self) -> str:
        """How to run this one alone."""
        options = list(dict.fromkeys(need.option for need in (*self.needs, *self.needs_for_all) if need.option))
        return " ".join([f"python -m benchmarks --only {self.name}", *options, *([self.beside] if self.beside else [])])

    def missing(self, resources: Given) -> list[str]:
        """Return the missing requirements, each with a way to get it."""
        return [missing_text for need in self.needs if (missing_text := need.missing(resources))]

    def left_out(self, resources: Given) -> list[str]:
        """Return the missing requirements of a part of it, each with a way to get it."""
        return [missing_text for need in self.needs_for_all if (missing_text := need.missing(resources))]


def _there(path: Path | None) -> Path:
    """A folder that a need has made sure of."""
    assert path is not None
    return path


SESSIONS = needs.file(sessions.DEV)
CLI = needs.clones((replay.REPOSITORY,))

ALL = (
    Benchmark(
        "learning_curve",
        lambda resources: learning_curve.run(_there(resources.data), _there(resources.repos), quick=resources.quick),
        6,
        (SESSIONS, CLI),
    ),
    Benchmark(
        "b1_sessions",
        lambda resources: b1_sessions.run(_there(resources.data), _there(resources.repos), quick=resources.quick),
        20,
        (SESSIONS, CLI),
        (needs.transcripts(projects.OTHERS), needs.clones(projects.OTHERS)),
    ),
    Benchmark(
        "b2_commits",
        lambda resources: b2_commits.run(
            _there(resources.data),
            _there(resources.repos),
            sample=20 if resources.quick else 1,
            names=("flask",) if resources.quick else b2_commits.REPOSITORIES,
        ),
        15,
        (
            needs.file("cochange_flask.jsonl"),
            needs.file("cochange_hono.jsonl"),
            needs.clones(b2_commits.REPOSITORIES),
        ),
    ),
    Benchmark(
        "b2_commits_elsewhere",
        lambda resources: b2_commits_elsewhere.run(
            _there(resources.repos),
            last=2 if resources.quick else b2_commits_elsewhere.LAST,
            names=needs.present(resources, tuple(b2_commits_elsewhere.SOURCES))[:1] if resources.quick else (),
        ),
        10,
        (needs.clones(tuple(b2_commits_elsewhere.SOURCES), one_will_do=True),),
    ),
    Benchmark(
        "b3_issues",
        lambda resources: b3_issues.run(
            _there(resources.data),
            _there(resources.repos),
            names=("flask", "requests") if resources.quick else b3_issues.REPOSITORIES,
        ),
        10,
        (needs.file("swe_bench_lite_dev.json"), needs.clones(b3_issues.REPOSITORIES)),
    ),
    Benchmark(
        "b4_conversations",
        lambda resources: b4_conversations.run(
            _there(resources.data),
            None if resources.quick else resources.peers,
            sample=10 if resources.quick else 1,
            only=("FTS5",) if resources.quick else (),
            dialogues_max=1 if resources.quick else None,
        ),
        15,
        (needs.file(b4_conversations.FILE),),
        beside="--peers DIR",
    ),
    Benchmark(
        "b4_coding",
        lambda resources: b4_coding.run(
            _there(resources.repos),
            None if resources.quick else resources.data,
            quick=resources.quick,
            names=needs.present(resources, b4_coding.REPOSITORIES)[-1:] if resources.quick else b4_coding.REPOSITORIES,
        ),
        20,
        (needs.clones(b4_coding.REPOSITORIES, one_will_do=True), needs.file(b4_conversations.FILE)),
    ),
    Benchmark(
        "b4_tokens",
        lambda resources: b4_tokens.run(_there(resources.repos), quick=resources.quick),
        2,
        (needs.package(b4_tokens.TOKENIZER), needs.clones(b4_tokens.FITTED + b4_tokens.CONFIRMED)),
    ),
    Benchmark(
        "b5_words",
        lambda resources: b5_words.run(_there(resources.data)),
        2,
        (SESSIONS, needs.file("self_correction_dev.jsonl"), needs.file("self_correction_dev_extra.jsonl")),
    ),
    Benchmark(
        "b5_errors",
        lambda resources: b5_errors.run(_there(resources.data)),
        1,
        (SESSIONS, needs.file("error_fix_dev.jsonl")),
    ),
    Benchmark(
        "b5_replay",
        lambda resources: b5_replay.run(_there(resources.data), _there(resources.repos), quick=resources.quick),
        2,
        (SESSIONS, CLI),
    ),
    Benchmark(
        "b6_graph",
        lambda resources: b6_graph.run(_there(resources.graphs), _there(resources.pycg)),
        2,
        (needs.graphs(),),
    ),
    Benchmark("b7_store", lambda resources: b7_store.run(quick=resources.quick), 8),
    Benchmark("b7_hooks", lambda resources: b7_hooks.run(quick=resources.quick), 3),
    Benchmark("b7_load", lambda resources: b7_load.run(quick=resources.quick), 5),
    Benchmark(
        "b7_map",
        lambda resources: b7_map.run(
            resources.repos, needs.present(resources, b7_map.REPOSITORIES), quick=resources.quick, aider=resources.aider
        ),
        10,
        needs_for_all=(needs.clones(b7_map.REPOSITORIES, one_will_do=True),),
        beside="--aider PYTHON",
    ),
    Benchmark("b7_panel", lambda resources: b7_panel.run(quick=resources.quick), 5),
    Benchmark("b7_search", lambda resources: b7_search.run(quick=resources.quick), 4),
    Benchmark(
        "b8_secrets",
        lambda resources: b8_secrets.run(_there(resources.data), quick=resources.quick),
        3,
        (needs.file(literals.FILE),),
    ),
    Benchmark("b8_poison", lambda resources: b8_poison.run(40 if resources.quick else 0), 2),
    Benchmark(
        "b10_modules",
        lambda resources: b10_modules.run(_there(resources.repos), quick=resources.quick),
        10,
        (needs.clones(tuple(DIVISIONS)),),
    ),
    Benchmark("b11_sharing", lambda resources: b11_sharing.run(quick=resources.quick), 12),
)
BY_NAME = {benchmark.name: benchmark for benchmark in ALL}
