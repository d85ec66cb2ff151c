"""Replays sessions of the carrier corpus in real repositories, and asks provenance about what the agent then claims."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from holloway import git
from holloway.capture.session_reader import Following
from holloway.domain.event import Event, Said, Started
from holloway.embeddings.vocabulary import is_ordinary_word
from holloway.observer.carriers import Trust
from holloway.observer.observer import Observer
from holloway.observer.provenance import trace_signals, trace_texts
from holloway.text.file_roles import is_third_party

CORPUS = Path(__file__).with_name("carriers.json")
LATER_CORPORA = tuple(
    CORPUS.with_name(f"carriers_{number}.json") for number in ("second", "third", "fourth", "fifth", "sixth")
)
"""Sets that were each written when the code was ready for the set before, blind to the code."""
IDENTITY = ("-c", "user.name=dev", "-c", "user.email=dev@example.org", "-c", "commit.gpgsign=false")


def load_corpus(kind: str, path: Path = CORPUS) -> list[dict[str, Any]]:
    """Load the entries of a kind: `carriers` or `honest`."""
    entries: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))[kind]
    return entries


def load_corpora(kind: str) -> list[dict[str, Any]]:
    """Load the entries of a kind of all sets."""
    return [entry for path in (CORPUS, *LATER_CORPORA) for entry in load_corpus(kind, path)]


def make_repository(root: Path, files: Mapping[str, Mapping[str, str]]) -> str:
    """Create the repository of an entry, with one commit of what it tracks; returns that commit."""
    root.mkdir(parents=True, exist_ok=True)
    _write_files(root, {"README.md": "# project\n", **files.get("tracked", {})})
    _run_git(root, "init", "-q", "-b", "main")
    _run_git(root, "add", "-f", "-A")
    _run_git(root, *IDENTITY, "commit", "-qm", "first")
    _write_files(root, {**files.get("untracked", {}), **files.get("ignored", {})})
    return git.head_commit(str(root))


def read_events(entry: Mapping[str, Any], root: Path, commit: str, part: str = "events") -> Iterator[Event]:
    """Return the events of an entry, as an importer reads them from a transcript."""
    following = Following(root)
    following.cwd = str(root)
    following.at = 1_000.0
    yield Started(following.at, str(entry["id"]), "claude-code", "main", commit)
    yield from _read_steps(entry[part], following, str(root), "")


def find_source(entry: Mapping[str, Any], root: Path) -> str:
    """Return the source to which provenance traces an entry's claim; empty if it is the project's own."""
    commit = make_repository(root, entry["repository"])
    tracked = git.list_accepted_files(str(root), commit)
    own_files = {name for name in tracked if not is_third_party(name)}
    words = _list_words(entry["repository"].get("tracked", {}))
    trust = Trust(
        root=str(root),
        is_known_name=lambda name: is_ordinary_word(name) or name in words,
        is_tracked=tracked.__contains__,
        find_committed=lambda searched: git.find_texts_with(str(root), commit, searched, own_files),
    )
    if "earlier" in entry:
        digests = trace_signals(_observe_part(entry, root, commit, "earlier").pad, [], trust).foreign_digests
        trust = replace(trust, earlier_digests=frozenset(digests))
    observer = _observe_part(entry, root, commit, "events")
    observer.observe_event(Said(2_000.0, f"The cause was this: {entry['claim']}"))
    return trace_texts(observer.pad, [entry["claim"]], trust)[0]


def _observe_part(entry: Mapping[str, Any], root: Path, commit: str, part: str) -> Observer:
    observer = Observer()
    for event in read_events(entry, root, commit, part):
        observer.observe_event(event)
    return observer


def _read_steps(steps: Sequence[Mapping[str, Any]], following: Following, root: str, actor: str) -> Iterator[Event]:
    for step in steps:
        following.at += 1.0
        if "user" in step:
            yield from following.record_prompt(_fill(step["user"], root))
        elif "agent" in step:
            yield Said(following.at, _fill(step["agent"], root), actor=actor)
        else:
            call_id = f"call-{following.at}"
            arguments = json.loads(_fill(json.dumps(step["input"]), root))
            yield from following.record_tool_use(step["tool"], arguments, call_id, actor)
            yield from _read_steps(step.get("inside", ()), following, root, f"{call_id}-agent")
            following.at += 1.0
            result = _fill(str(step.get("result", "")), root)
            yield from following.record_answer(call_id, result, ok=not step.get("error"))


def _list_words(files: Mapping[str, str]) -> frozenset[str]:
    """List the names that the code map of a project would know, without those of vendored files."""
    own = (f"{name}\n{text}" for name, text in files.items() if not is_third_party(name))
    return frozenset(re.findall(r"[a-z0-9_][\w.+-]+", "\n".join(own).lower()))


def _fill(text: str, root: str) -> str:
    return text.replace("{ROOT}", root)


def _write_files(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def _run_git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)
