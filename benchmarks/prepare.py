"""Make files of the data folder from public repositories, for readers who have none.

python -m benchmarks.prepare sessions CLONE_OF_ENTIREIO_CLI DIR
python -m benchmarks.prepare transcripts CLONE DIR
python -m benchmarks.prepare commits CLONE DIR
python -m benchmarks.prepare secrets CLONE_OF_GITLEAKS DIR

The sessions are those that the developers of entireio/cli keep on a separate branch of their repository: Claude Code
transcripts, of which the longest copy of each session is taken.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import checkout, needs, sessions
from benchmarks.literals import write_literals
from benchmarks.replay import DETACHED
from holloway.observer.words.prompt import PROMPT_CHARS_MAX

CHECKPOINTS_BRANCH = "entire/checkpoints/v1"
CHECKPOINTS = "394f81fab8"
"""The commit of the branch entire/checkpoints/v1 that the set was made at."""
UNTIL = "2026-02-09"
AGENTS = (None, "Agent", "Claude Code")
"""Whose transcripts are taken; the earliest do not say."""
CHARS_MAX = 1_200
"""Longer texts and inputs are cut; of prompts as much is kept as the prompt hook reads."""
BODY_CHARS_MAX = 600
"""The text after the first line of a commit's message is cut there."""
_CHORE = re.compile(r"\b(?:merge|release|bump)\b", re.IGNORECASE)
"""Commits that say so change a number, or are many commits in one."""
_HOME = re.compile(r"/(?:home|Users)/[\w.-]+")

Row = dict[str, Any]


class Blobs:
    """The files of a commit, read by one git process."""

    def __init__(self, repository: Path, commit: str) -> None:
        listed = checkout.git(repository, "ls-tree", "-r", commit).splitlines()
        self.ids = {line.partition("\t")[2]: line.split()[2] for line in listed}
        self._git = subprocess.Popen(
            ["git", "-C", str(repository), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def read(self, path: str) -> str:
        """A file's text; empty where it is not in the clone."""
        pipe, answer = self._git.stdin, self._git.stdout
        assert pipe is not None
        assert answer is not None
        if path not in self.ids:
            return ""
        pipe.write(f"{self.ids[path]}\n".encode())
        pipe.flush()
        _, kind, *size = answer.readline().split()
        return answer.read(int(size[0]) + 1).decode("utf-8", "replace") if kind == b"blob" else ""

    def close(self) -> None:
        """End the process."""
        self._git.communicate()


def write_sessions(repository: Path, folder: Path) -> int:
    """The recorded sessions, in time order; returns how many."""
    blobs = Blobs(repository, CHECKPOINTS)
    try:
        all_sessions = [
            session for _, texts in sorted(_copies(blobs).items()) if (session := _session(*max(texts, key=_length)))
        ]
    finally:
        blobs.close()
    all_sessions.sort(key=lambda rows: str(rows[0]["start"]))
    with gzip.open(folder / sessions.DEV, "wt", encoding="utf-8") as file:
        for rows in all_sessions:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return len(all_sessions)


def write_transcripts(repository: Path, folder: Path) -> int:
    """Write the longest transcript of each session of a clone to a folder of the clone's name; return how many."""
    target = folder / needs.TRANSCRIPTS / repository.name
    target.mkdir(parents=True, exist_ok=True)
    blobs = Blobs(repository, CHECKPOINTS_BRANCH)
    try:
        copies = {session: max(texts, key=_length)[1] for session, texts in _copies(blobs).items()}
    finally:
        blobs.close()
    for session, transcript in copies.items():
        (target / f"{session.replace('/', '_')}.jsonl").write_text(transcript, encoding="utf-8")
    return len(copies)


def _length(copy: tuple[Row, str]) -> int:
    return len(copy[1])


def _copies(blobs: Blobs) -> dict[str, list[tuple[Row, str]]]:
    """Return every copy of every session: its description and its transcript."""
    copies: dict[str, list[tuple[Row, str]]] = {}
    for path in sorted(blobs.ids):
        place, _, name = path.rpartition("/")
        if name == "full.jsonl":
            about = json.loads(blobs.read(f"{place}/metadata.json") or "{}")
            copies.setdefault(str(about.get("session_id")), []).append((about, blobs.read(path)))
    return copies


def _session(about: Row, transcript: str) -> list[Row]:
    """A session as rows, the first of which opens it; none where it is later, or no such transcript."""
    lines = [line for text in transcript.splitlines() if isinstance(line := _parse_json(text), dict)]
    folders = sorted({str(line["cwd"]) for line in lines if line.get("cwd")}, key=len)
    rows = [row for line in lines if not line.get("isSidechain") for row in _rows(line, folders)]
    start = next((row["ts"] for row in rows if row["ts"]), None)
    if start is None or start >= UNTIL or about.get("agent") not in AGENTS:
        return []
    head = {"session": about["session_id"], "agent": about.get("agent"), "start": start}
    head |= {"branch": about.get("branch"), "began_on": _began_on(lines)}
    head |= {"files_touched": about.get("files_touched") or [], "n": len(rows)}
    return [head, *({"i": number} | row for number, row in enumerate(rows))]


def _began_on(lines: list[Row]) -> str:
    """The branch that the transcript begins on; the description of the session names the one that it ended on."""
    named = next((str(line["gitBranch"]) for line in lines if line.get("gitBranch")), "")
    return "" if named == DETACHED else named


def _parse_json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _rows(line: Row, folders: list[str]) -> Iterator[Row]:
    message = line.get("message")
    if line.get("type") not in ("user", "assistant") or not isinstance(message, dict):
        return
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    for block in blocks:
        if isinstance(block, dict) and (row := _row(block, line["type"] == "user", folders)):
            yield {"ts": line.get("timestamp")} | row


def _row(block: Row, by_user: bool, folders: list[str]) -> Row:
    kind = block.get("type")
    if kind == "text":
        text, chars_max = _anonymous(str(block["text"])), PROMPT_CHARS_MAX if by_user else CHARS_MAX
        return {"k": "user" if by_user else "text", "text": text[:chars_max]}
    if kind == "thinking":
        return {"k": "think", "text": _anonymous(str(block["thinking"]))[:CHARS_MAX]}
    if kind == "tool_use":
        arguments = block.get("input") or {}
        return {"k": "call", "id": block["id"], "tool": block["name"], "paths": _paths(arguments, folders)} | {
            "inp": _anonymous(json.dumps(arguments, ensure_ascii=False))[:CHARS_MAX]
        }
    if kind == "tool_result":
        text = _anonymous(_text(block.get("content")))[:CHARS_MAX]
        return {"k": "result", "id": block.get("tool_use_id"), "err": bool(block.get("is_error")), "text": text}
    return {}


def _text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(block.get("text") or "") for block in content if isinstance(block, dict))
    return str(content or "")


def _paths(arguments: Row, folders: list[str]) -> list[str]:
    """The paths that a call names, relative to the checkout; the agent may have gone into folders below it."""
    named = [str(arguments[key]) for key in ("file_path", "notebook_path", "path") if arguments.get(key)]
    return [_relative(path, folders) for path in named]


def _relative(path: str, folders: list[str]) -> str:
    root = next((folder for folder in folders if f"{path}/".startswith(f"{folder}/")), None)
    return path[len(root) :].strip("/") or "." if root is not None else _anonymous(path)


def _anonymous(text: str) -> str:
    """A text without the names of people's home folders."""
    return _HOME.sub("/home/u", text)


def write_commits(repository: Path, folder: Path) -> int:
    """The commits of a repository without merges and releases, in time order; returns how many."""
    changes = (row for row in commits_of(repository, "HEAD", "--no-renames") if not _CHORE.search(row["s"]))
    rows = [row | {"b": row["b"][:BODY_CHARS_MAX]} for row in sorted(changes, key=lambda row: int(row["t"]))]
    with (folder / f"cochange_{repository.resolve().name}.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return len(rows)


def commits_of(repository: Path, tip: str, *options: str) -> list[Row]:
    """The commits without merges up to one of them, in time order: hash, time, subject, body, files."""
    form = "--format=%x01%H%x00%ct%x00%s%x00%b%x00"
    log = checkout.git(repository, "log", "--no-merges", "--reverse", form, "--name-only", *options, tip)
    rows = []
    for part in log.split("\x01")[1:]:
        sha, when, subject, body, files = part.split("\x00")
        row: Row = {"h": sha, "t": int(when), "s": subject, "b": body.strip()}
        rows.append(row | {"files": [path for path in files.split("\n") if path]})
    return rows


MAKERS = {
    "sessions": write_sessions,
    "transcripts": write_transcripts,
    "commits": write_commits,
    "secrets": write_literals,
}


def main() -> None:
    """Make one of the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=tuple(MAKERS))
    parser.add_argument("clone", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    count = MAKERS[options.what](options.clone, options.folder)
    print(f"{count} {options.what} in {options.folder}.")


if __name__ == "__main__":
    main()
