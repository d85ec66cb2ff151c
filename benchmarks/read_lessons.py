"""Read lessons: what an agent would be told after a language model has read real sessions, with recorded answers.

    python -m benchmarks.read_lessons prompts --data DIR --transcripts DIR --repositories DIR --out DIR
    python -m benchmarks.read_lessons show --data DIR --transcripts DIR --repositories DIR --out DIR --answers DIR

`prompts` writes the exact prompt of every stretch of the sessions of a set to a folder, one file each, named by its
hash. A person with a model writes its answers to another folder under the same names. `show` learns the sessions with
these answers and writes `shown.jsonl` and `dropped.jsonl` as `told_lessons` does, with the check that refused each
proposal, and `run.json` with counts, the version of the prompt and the hash of the answers. `--arm` chooses: without a
model (`none`), the reader alone (`reader`) or both. Prompts and answers hold people's words: they stay outside of the
repository.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.told_lessons import (
    REPORTING,
    TUNING,
    learn_project,
    load_projects,
    write_rows,
)
from holloway.promotion.reader.lesson_store import store_lessons
from holloway.promotion.reader.reader import READER_SYSTEM_PROMPT, build_prompts, read_prompt_version
from holloway.promotion.reader.session_view import build_session_view
from holloway.service.session_learning import Learning
from holloway.service.session_reading import judge_session
from holloway.store import session_ledger
from holloway.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from holloway.observer.scratchpad import Scratchpad
    from holloway.promotion.candidate import Candidate, FinishedSession
    from holloway.service.holloway import Holloway

ARMS = ("none", "reader", "both")
PROJECT_NAME = "checkout"
"""The name that a project has in the prompts: that of the folder in which `show` checks it out."""


class SilentLearning(Learning):
    """Learns nothing by itself, so that only the reader's lessons are told."""

    def _judge_candidates(self, finished: FinishedSession, detected: Any, unseen: str) -> list[Candidate]:
        super()._judge_candidates(finished, detected, unseen)  # for the digests of foreign text
        return []


def write_prompts(options: argparse.Namespace) -> None:
    """Write the prompts of all sessions of a set, and an index with the session of each."""
    options.out.mkdir(parents=True, exist_ok=True)
    index: list[dict[str, Any]] = []
    for project in load_projects(options):
        for pad in project.pads:
            for prompt in build_prompts(PROJECT_NAME, build_session_view(pad)):
                (options.out / f"{prompt.hash}.txt").write_text(f"{READER_SYSTEM_PROMPT}\n\n{prompt.text}", "utf-8")
                session = pad.start.session if pad.start else ""
                tokens = estimate_tokens(prompt.text)
                index.append(
                    {
                        "hash": prompt.hash,
                        "session": session,
                        "stretch": prompt.stretch,
                        "project": project.letter,
                        "tokens": tokens,
                    }
                )
    (options.out / "index.json").write_text(json.dumps(index, indent=1), "utf-8")
    sessions = Counter(row["session"] for row in index)
    tokens = sum(row["tokens"] for row in index)
    print(f"prompt {read_prompt_version()}: {len(index)} prompts of {len(sessions)} sessions, {tokens:,} tokens")
    print(
        f"{tokens / max(1, len(sessions)):,.0f} tokens and {len(index) / max(1, len(sessions)):.1f} calls per session"
    )


class RecordedReader:
    """Judges the recorded answers of each session right after it was learned from."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.counts: Counter[str] = Counter()
        self.seconds: list[float] = []
        """CPU time of each session: its view, its prompts, and the checks of its lessons."""
        self._digest = hashlib.sha256()

    def read(self, memory: Holloway, learning: Learning, pad: Scratchpad) -> None:
        """Judge and store the lessons of one session; a stretch without an answer is counted."""
        started = time.process_time()
        view = build_session_view(pad)
        answers: dict[int, str] = {}
        for prompt in build_prompts(PROJECT_NAME, view):
            path = self._folder / f"{prompt.hash}.txt"
            path = path if path.exists() else path.with_suffix(".json")
            self.counts["prompts"] += 1
            if path.exists():
                answers[prompt.stretch] = path.read_text("utf-8")
                self._digest.update(f"{prompt.hash} {answers[prompt.stretch]}\n".encode())
                self.counts["answers"] += 1
        session = session_ledger.find_sessions(memory.store.database, pad.start.session if pad.start else "")[0]
        judged = judge_session(memory, learning, pad, view, session, answers)
        rows = store_lessons(memory.store, session, judged, learning.places)
        self.seconds.append(time.process_time() - started)
        self.counts["proposed"] += len(judged)
        for judgement in judged:
            treatment = judgement.finding.treatment or "accepted"
            self.counts[f"{treatment}: {judgement.finding.check}".rstrip(": ")] += 1
        self.counts.update(f"stored as {row.state}" for row in rows)

    def describe(self) -> dict[str, Any]:
        """Return the counts, the version of the prompt, the hash of the answers and the CPU time of a session."""
        digest = self._digest.hexdigest()[:16]
        ranked = sorted(self.seconds) or [0.0]
        seconds = {"median": ranked[len(ranked) // 2], "p95": ranked[len(ranked) * 95 // 100], "max": ranked[-1]}
        counts = dict(sorted(self.counts.items()))
        return {"prompt": read_prompt_version(), "answers": digest, "cpu_s": seconds, "counts": counts}


def show(options: argparse.Namespace) -> None:
    """Learn the sessions of a set with one arm, and write what would be told."""
    reader = RecordedReader(options.answers)
    rows: list[dict[str, Any]] = []
    has_signals = options.arm != "reader"
    for project in load_projects(options):
        learned = learn_project(
            project.repository,
            project.pads,
            lambda memory: Learning(memory.opened) if has_signals else SilentLearning(memory.opened),
            reader.read if options.arm != "none" else None,
            harvest=has_signals,
        )
        rows += [row | {"project": project.letter, "labelled": row["session"] in project.labelled} for row in learned]
    write_rows(options.out, rows)
    facts = {"arm": options.arm, **reader.describe(), "told": sum(row["shown"] for row in rows)}
    (options.out / "run.json").write_text(json.dumps(facts, indent=1), "utf-8")
    print(json.dumps(facts, indent=1))


def main() -> None:
    """Run one of the two commands."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("command", choices=("prompts", "show"))
    for name in ("data", "transcripts", "repositories", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--answers", type=Path, default=Path())
    parser.add_argument("--set", choices=(TUNING, REPORTING), default=TUNING)
    parser.add_argument("--arm", choices=ARMS, default="both")
    parser.add_argument("--all-sessions", action="store_true")
    options = parser.parse_args()
    (write_prompts if options.command == "prompts" else show)(options)


if __name__ == "__main__":
    main()
