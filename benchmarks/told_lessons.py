"""Told lessons: lessons that an agent would be told after real sessions, and those that careful readers wrote down.

    python -m benchmarks.told_lessons --data DIR --transcripts DIR --repositories DIR --out DIR

It learns the sessions of each project in order, in a checkout as it was at the end of the last one, and writes every
memory that would be told at trust level 2, in the words that an agent gets, to `shown.jsonl`, and every dropped or held
candidate to `dropped.jsonl`. These files hold people's words: they stay outside of the repository. Judges read them;
`python -m benchmarks.judged_lessons` writes their sheets and scores their verdicts.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import holloway
from benchmarks.honest_lessons import read_transcript
from holloway.config import READER_ORIGIN, STANDING_RULE_CONFIDENCE
from holloway.domain.memory import Source
from holloway.injection.memory_text import render_row
from holloway.injection.prompt_text import render as render_prompt
from holloway.observer.observer import Observer
from holloway.promotion.history_harvest import harvest_history
from holloway.retrieval.locate import LocateResult
from holloway.service.session_learning import Learning
from holloway.store import candidates, lookup
from holloway.testing import FakeClock
from holloway.text.fingerprint import normalise_text

if TYPE_CHECKING:
    from holloway.observer.scratchpad import Scratchpad
    from holloway.service.holloway import Holloway

TUNING, REPORTING = "lessons_tuning.jsonl", "lessons_reporting.jsonl"
WORTH_MIN = 2
LEVEL = 2
DAY_S = 86_400


def load_gold(data: Path, name: str) -> list[dict[str, Any]]:
    """Load the lessons that are worth telling."""
    rows = [json.loads(line) for line in (data / name).read_text("utf-8").splitlines()]
    return [row for row in rows if row.get("worth", 0) >= WORTH_MIN]


def hash_text(text: str) -> str:
    """Return the key under which the verdicts on a text are kept."""
    return hashlib.sha256(normalise_text(text).encode()).hexdigest()[:24]


def show(options: argparse.Namespace) -> None:
    """Learn the sessions of every project of a set, and write what would be told."""
    rows: list[dict[str, Any]] = []
    for project in load_projects(options):
        started = time.process_time()
        for row in learn_project(project.repository, project.pads):
            rows.append(row | {"project": project.letter, "labelled": row["session"] in project.labelled})
        print(f"{project.letter}: {len(project.pads)} sessions, {time.process_time() - started:.1f} s CPU")
    write_rows(options.out, rows)


class LabelledProject(NamedTuple):
    """A project of a set: its letter, its repository, the labelled sessions and the sessions to learn, in order."""

    letter: str
    repository: Path
    labelled: frozenset[str]
    pads: list[Scratchpad]


def load_projects(options: argparse.Namespace) -> Iterator[LabelledProject]:
    """Yield the projects of a set with their sessions."""
    gold = load_gold(options.data, options.set)
    for letter, name in name_projects(gold).items():
        labelled = frozenset(row["session"] for row in gold if row["repo"] == name)
        folder = name.replace("/", "+")
        files = sorted((options.transcripts / folder).glob("*.jsonl"))
        chosen = [file for file in files if options.all_sessions or file.stem in labelled]
        pads = sorted((pad for file in chosen if (pad := read_pad(file))), key=lambda pad: pad.last_at)
        yield LabelledProject(letter, options.repositories / folder / "repo", labelled, pads)


def write_rows(folder: Path, rows: list[dict[str, Any]]) -> None:
    """Write the memories that would be told, and the dropped and held candidates, to two files."""
    folder.mkdir(parents=True, exist_ok=True)
    shown_rows = [row for row in rows if row["shown"]]
    dropped_rows = [row for row in rows if not row["shown"]]
    for name, chosen in (("shown", shown_rows), ("dropped", dropped_rows)):
        with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in chosen)
    counts = Counter((row["project"], row["source"]) for row in shown_rows)
    print(f"{len(shown_rows)} shown, {len(dropped_rows)} dropped or held", dict(counts))


def name_projects(gold: list[dict[str, Any]]) -> dict[str, str]:
    """Return the repositories of a set by letter: results name no repository."""
    return {chr(ord("A") + index): name for index, name in enumerate(dict.fromkeys(row["repo"] for row in gold))}


def read_pad(path: Path) -> Scratchpad | None:
    """Read a transcript; None if it has no prompt and no action."""
    observer = Observer()
    _, events = read_transcript(path)
    for event in events:
        observer.observe_event(event)
    return observer.pad if observer.pad.notes and observer.pad.actions else None


def learn_project(
    repository: Path,
    pads: list[Scratchpad],
    make_learning: Callable[[Holloway], Learning] = lambda memory: Learning(memory.opened),
    read: Callable[[Holloway, Learning, Scratchpad], None] | None = None,
    *,
    harvest: bool = True,
) -> Iterator[dict[str, Any]]:
    """Learn sessions in order; yield each memory and candidate with whether it would be told.

    `read` is called with each session after it was learned from.
    """
    end = max(pad.last_at for pad in pads)
    moment = datetime.fromtimestamp(end, UTC).isoformat()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "checkout")
        _run_git("clone", "--quiet", "--shared", "--no-checkout", str(repository), str(root))
        commit = _run_git("-C", str(root), "log", "-1", "--format=%H", f"--until={moment}", "HEAD")
        _run_git("-C", str(root), "update-ref", "refs/heads/main", commit)
        _run_git("-C", str(root), "symbolic-ref", "HEAD", "refs/heads/main")
        _run_git("-C", str(root), "read-tree", commit)
        # A copy may lack its largest files.
        subprocess.run(["git", "-C", str(root), "checkout-index", "-a", "-f"], capture_output=True, check=False)
        clock = FakeClock(datetime.fromtimestamp(end + DAY_S, UTC))
        with holloway.open(root, home=Path(folder, "home"), clock=clock) as memory:
            memory.map.update()
            learning = make_learning(memory)
            for pad in pads:
                learning.learn(pad, settle=False)
                if read:
                    read(memory, learning, pad)
            learning.take_back()
            learning.settle_held()
            if harvest:
                harvest_history(memory.store, learning.places, is_own=True)
            told_rows = list(_list_shown(memory, clock))
            yield from told_rows
            yield from _list_dropped(memory, pads, {str(row["id"]) for row in told_rows})


def _run_git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout.strip()


def _list_shown(memory: Any, clock: FakeClock) -> Iterator[dict[str, Any]]:
    connection = memory.store.database.connection
    viewer = lookup.Viewer(session="", context=0, branch="main", now=clock.now().isoformat(), level=LEVEL)
    ids = [str(row[0]) for row in connection.execute("SELECT id FROM memories ORDER BY seq")]
    rows = {str(row["id"]): row for row in lookup.find_unseen(connection, ids, viewer)}
    details = lookup.load_details(connection, list(rows))
    for memory_id, row in rows.items():
        stored = memory.store.memories.get_memory(memory_id)
        if stored.type.value in ("work_state", "work_unit_outcome"):
            continue
        facts, files = details[memory_id]
        yield {
            "shown": True,
            "id": memory_id,
            "hash": hash_text(stored.content),
            "session": stored.session,
            "type": stored.type.value,
            "source": stored.source.value,
            "reader": stored.origin.startswith(READER_ORIGIN),
            "is_standing": stored.source is Source.USER_CORRECTION and stored.confidence >= STANDING_RULE_CONFIDENCE,
            "files": files,
            "text": render_told({**row, "details": facts, "files": files}, stored.tags),
            "content": stored.content,
        }


def render_told(row: dict[str, Any], tags: tuple[str, ...]) -> str:
    """Render a memory as an agent gets it at its own trigger: with an error, a command, a file or a prompt."""
    command = next((tag for tag in tags if tag.startswith(lookup.COMMAND_TAG_PREFIX)), "")
    if isinstance(row["details"], dict) and row["details"].get("fix"):
        return render_row({**row, "as": "fix"})
    if command:
        return render_row({**row, "as": "command", "command": command.removeprefix(lookup.COMMAND_TAG_PREFIX)})
    if row["files"]:
        return render_row({**row, "path": row["files"][0]})
    return render_prompt((), LocateResult(), [{**row, "path": ""}]).text.partition("\n")[2]


def _list_dropped(memory: Any, pads: list[Scratchpad], told_ids: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the candidates that are not told: dropped, held, or stored as memories that wait for a person."""
    for pad in pads:
        session = pad.start.session if pad.start else ""
        for candidate in candidates.list_session_candidates(memory.store.database, session):
            if candidate.memory in told_ids or candidate.state == candidates.REINFORCED or not candidate.draft:
                continue
            content, reason = str(candidate.draft.get("content", "")), candidate.reason
            is_proposed = candidate.signal == candidates.READ_LESSON
            yield {
                "shown": False,
                "hash": hash_text(content),
                "session": session,
                "source": candidate.signal,
                "state": candidate.state,
                "check": (reason.partition(":")[0] if is_proposed else candidate.signal) or candidate.state,
                "reason": reason,
                "files": candidate.draft.get("files", []),
                "content": content,
            }


def main() -> None:
    """Write what would be told."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name in ("data", "transcripts", "repositories", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--set", choices=(TUNING, REPORTING), default=TUNING)
    parser.add_argument("--all-sessions", action="store_true")
    show(parser.parse_args())


if __name__ == "__main__":
    main()
