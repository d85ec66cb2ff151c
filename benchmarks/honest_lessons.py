"""Labelled lessons of honest sessions, and the decision of provenance about each: what quarantine would hide.

    python -m benchmarks.honest_lessons --data DIR --transcripts DIR --repositories DIR

The labels name sessions of public repositories. Their transcripts are in one folder, and their repositories in
another: `OWNER+NAME/SESSION.jsonl` and `OWNER+NAME/repo`, a git directory.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path

from benchmarks import sessions as recorded_sessions
from holloway.capture import claude_code, codex, copilot, opencode, opencode_storage
from holloway.capture.json_lines import as_mapping, as_text, read_objects
from holloway.domain.event import Call, Event
from holloway.embeddings.vocabulary import is_ordinary_word
from holloway.git.queries import WORDS_SHARE_MIN
from holloway.observer.carriers import Trust
from holloway.observer.observer import Observer
from holloway.observer.provenance import WEAK_SOURCES, trace_texts
from holloway.text.file_roles import is_third_party

FILES = ("lessons_tuning.jsonl", "lessons_reporting.jsonl")
WORTH_MIN = 2
_CHECKOUT = re.compile(r"/(?:home|Users)/\w+/(?:[\w.-]+/)*cli/?")
_FOLDERS = ("/Users/", "/home/", "C:\\")


@dataclass(frozen=True)
class Lesson:
    """A labelled lesson with its verbatim quotes."""

    repository: str
    session: str
    id: str
    quotes: tuple[str, ...]


@dataclass(frozen=True)
class Decision:
    """The untrusted source of each quote of a lesson, empty for own quotes."""

    lesson: Lesson
    sources: tuple[str, ...]

    @property
    def is_hidden(self) -> bool:
        """Whether every quote is foreign."""
        return all(source and not source.startswith(WEAK_SOURCES) for source in self.sources)

    @property
    def is_weak(self) -> bool:
        """Whether the best quote is weak evidence, which must be confirmed by another."""
        return all(self.sources) and not self.is_hidden


def load_lessons(data: Path) -> list[Lesson]:
    """Load the lessons that are worth telling and have quotes."""
    rows = [json.loads(line) for name in FILES for line in (data / name).read_text("utf-8").splitlines()]
    return [
        Lesson(row["repo"], row["session"], row["id"], tuple(row["quotes"]))
        for row in rows
        if row.get("quotes") and row.get("worth", 0) >= WORTH_MIN
    ]


def decide_lessons(data: Path, transcripts: Path, repositories: Path) -> Iterator[Decision]:
    """Put every lesson through the provenance decision, as a candidate of its session."""
    lessons = load_lessons(data)
    dev_sessions = {session.id: session for session in recorded_sessions.load_sessions(data / recorded_sessions.DEV)}
    for repository, session in dict.fromkeys((lesson.repository, lesson.session) for lesson in lessons):
        folder = repository.replace("/", "+")
        observer = Observer()
        events: Iterator[Event]
        if session in dev_sessions:
            root, events = recorded_sessions.ROOT, map(_place_checkout, dev_sessions[session].events())
        else:
            root, events = read_transcript(transcripts / folder / f"{session}.jsonl")
        for event in events:
            observer.observe_event(event)
        started = observer.pad.start.at if observer.pad.start else observer.pad.last_at
        tracked = _list_files(repositories / folder / "repo", started)
        names = _list_names(repositories / folder / "repo")
        trust = Trust(
            root=root,
            is_known_name=partial(_is_known_name, names),
            is_tracked=tracked.__contains__,
            find_committed=partial(_find_texts, repositories / folder / "repo", started),
        )
        session_lessons = [lesson for lesson in lessons if lesson.session == session]
        quotes = [quote for lesson in session_lessons for quote in lesson.quotes]
        sources = iter(trace_texts(observer.pad, quotes, trust))
        for lesson in session_lessons:
            yield Decision(lesson, tuple(next(sources) for _ in lesson.quotes))


def _place_checkout(event: Event) -> Event:
    """Return an event with the checkout's own folder as the project: the record has only paths below it relative."""
    if isinstance(event, Call) and event.outside and _CHECKOUT.fullmatch(event.path):
        return replace(event, path="", outside=False)
    return event


@cache
def _list_files(repository: Path, before: float) -> frozenset[str]:
    """List the files that any branch of a repository has had up to a time."""
    moment = datetime.fromtimestamp(before, UTC).isoformat()
    command = ["git", f"--git-dir={repository}", "log", "--exclude=refs/heads/entire/*", "--branches"]
    command += [f"--until={moment}", "--pretty=format:", "--name-only", "--diff-filter=AMR"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return frozenset(name for name in listed.splitlines() if name)


def _find_texts(repository: Path, before: float, words: Sequence[str]) -> Iterator[str]:
    """Yield the texts of files with all of these words in the newest commit of a repository up to a time."""
    moment, git = datetime.fromtimestamp(before, UTC).isoformat(), ["git", f"--git-dir={repository}"]
    listing = [*git, "rev-list", "-1", f"--before={moment}", "--exclude=refs/heads/entire/*", "--branches"]
    commit = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.strip()
    patterns = [item for word in words for item in ("-e", word)]
    search = [*git, "grep", "-oIiF", "--null", *patterns, commit, "--"]
    matches: dict[str, set[str]] = {}
    for line in subprocess.run(search, capture_output=True, text=True).stdout.splitlines() if commit else ():
        name, _, word = line.partition("\0")
        matches.setdefault(name, set()).add(word.lower())
    names = (name for name in matches if len(matches[name]) >= WORDS_SHARE_MIN * len(words))
    for name in sorted(names, key=lambda name: -len(matches[name]))[:10]:
        if not is_third_party(name.partition(":")[2]):
            yield subprocess.run([*git, "show", name], capture_output=True, text=True, errors="replace").stdout


def _is_known_name(names: frozenset[str], name: str) -> bool:
    return is_ordinary_word(name) or name in names


@cache
def _list_names(repository: Path) -> frozenset[str]:
    """List the words of a repository's files, as the code map knows them."""
    command = ["git", f"--git-dir={repository}", "grep", "-ohIE", r"[A-Za-z_][A-Za-z0-9_.-]{4,60}", "HEAD"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True, errors="replace").stdout
    return frozenset(map(str.lower, listed.split()))


def read_transcript(path: Path) -> tuple[str, Iterator[Event]]:
    """Return the folder that a session worked in, and its events, whatever agent wrote the transcript."""
    exported = opencode_storage.describe_session(path)
    if exported and exported.directory:
        parts = [part for part, parent in _list_exports(path.parent).items() if parent == exported.session]
        return exported.directory, opencode.read_session(path, Path(exported.directory), parts)
    root = _find_root(path)
    first_kind = next((row.get("type") for row in read_objects(path)), "")
    if first_kind == "session_meta":
        return root, codex.read_session(path, Path(root))
    if first_kind == "session.start":
        return root, copilot.read_session(path, Path(root))
    return root, claude_code.read_session(path, Path(root))


@cache
def _list_exports(folder: Path) -> dict[Path, str]:
    """List the exported sessions of OpenCode in a folder, each with the session that started it."""
    described = map(opencode_storage.describe_session, sorted(folder.glob("*.jsonl")))
    return {exported.path: exported.parent for exported in described if exported}


def _find_root(path: Path) -> str:
    """Return the first working folder that a transcript names, in a row, its payload or its context."""
    for row in read_objects(path):
        context = as_mapping(as_mapping(row.get("data")).get("context"))
        for facts in (row, as_mapping(row.get("payload")), context):
            if (folder := as_text(facts.get("cwd"))).startswith(_FOLDERS):
                return folder
    return "/"


def main() -> None:
    """Print how many lessons are hidden, per repository, and the ids of those."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name in ("data", "transcripts", "repositories"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    decisions = list(decide_lessons(options.data, options.transcripts, options.repositories))
    for repository in dict.fromkeys(decision.lesson.repository for decision in decisions):
        repository_decisions = [decision for decision in decisions if decision.lesson.repository == repository]
        hidden = [decision.lesson.id for decision in repository_decisions if decision.is_hidden]
        weak = [decision.lesson.id for decision in repository_decisions if decision.is_weak]
        print(f"{repository}: {len(repository_decisions)} lessons")
        print(f"  {len(hidden)} hidden {hidden}, {len(weak)} by weak output only {weak}")


if __name__ == "__main__":
    main()
