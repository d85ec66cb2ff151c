"""Notes that agents' hosts keep about a project on this disk, found and read within limits.

- Claude Code: `~/.claude/projects/<folder>/memory/`, one file per note and an index, `MEMORY.md`, which it loads.
- Codex: `~/.codex/memories/MEMORY.md`, one file for all projects; each task group names its folders.
- The project's own folders of notes (`.learnings`, `.serena/memories`, `memory-bank`), which several agents write.

Every text is untrusted: a person decides on each note before an agent is told it.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

from holloway.capture import claude_code, hosts, project_paths
from holloway.config import HOST_NOTE_CHARS_MAX, HOST_NOTES_MAX
from holloway.observer.passages import split_passages
from holloway.text.sanitize import summarise_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NOTE_FILES_MAX = 200
NOTE_FILE_BYTES_MAX = 256 * 1024
NOTES_PER_FILE_MAX = 12
NOTE_HEAD_LINES_MAX = 20
PROJECT_FOLDERS = (".learnings", ".serena/memories", "memory-bank")
INDEX = "MEMORY.md"

_FIELD = re.compile(r"\s*(\w{1,20}):\s*(.{0,300})$")
_INDEX_LINK = re.compile(r"^\s*(?:[-*] )?\[[^\]\n]{1,300}\]\([^)\n]{1,300}\.md\)")
_GROUP = re.compile(r"^(?=# )", re.MULTILINE)
_GROUP_FOLDER = re.compile(r"\bcwd=([^;,)\n]{1,1000})")
_TOLD_SECTIONS = re.compile(
    r"^## (?:User preferences|Reusable knowledge|Failures)[^\n]*\n(.*?)(?=^#{1,2} |\Z)", re.MULTILINE | re.DOTALL
)
_TASK_REFERENCE = re.compile(r"\s*\[Task [\d, Task]{1,60}\]\.?$")


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A file of notes: its host or folder, its path on disk, its name among the host's notes, its size and time."""

    host: str
    path: Path
    name: str
    size: int
    modified_at: float


@dataclass(frozen=True, slots=True)
class HostNote:
    """A note as its host keeps it; `kind` is the host's own word for it."""

    file: NoteFile
    text: str
    kind: str = ""


def find_note_files(root: Path, home: Path | None = None) -> list[NoteFile]:
    """Return the files of notes about a project, at most NOTE_FILES_MAX of each host."""
    person = home or Path.home()
    codex_home = os.environ.get("CODEX_HOME")
    codex_index = (Path(codex_home) if codex_home else person / ".codex") / "memories" / INDEX
    files = [
        *_describe_folders(hosts.CLAUDE_CODE, claude_code.find_memory_folders(person, root)),
        *_describe(hosts.CODEX, [codex_index], codex_index.parent),
    ]
    for folder in PROJECT_FOLDERS:
        files += _describe_folders(folder, [root / folder])
    return files


def read_notes(files: list[NoteFile], root: Path) -> list[HostNote]:
    """Return the notes in these files, the latest file first, at most HOST_NOTES_MAX."""
    latest = sorted(files, key=lambda file: -file.modified_at)
    return list(islice((note for file in latest for note in _read_file(file, root)), HOST_NOTES_MAX))


def _describe_folders(host: str, folders: list[Path]) -> Iterator[NoteFile]:
    for folder in folders:
        if not folder.is_symlink() and folder.is_dir():
            yield from _describe(host, islice(sorted(folder.rglob("*.md")), NOTE_FILES_MAX), folder)


def _describe(host: str, paths: Iterable[Path], folder: Path) -> Iterator[NoteFile]:
    for path in paths:
        try:
            about = path.lstat()
        except OSError:
            continue
        if stat.S_ISREG(about.st_mode):
            yield NoteFile(host, path, path.relative_to(folder).as_posix(), about.st_size, about.st_mtime)


def _read_file(file: NoteFile, root: Path) -> Iterator[HostNote]:
    try:
        with file.path.open("rb") as stream:
            text = stream.read(NOTE_FILE_BYTES_MAX).decode("utf-8", "replace").replace("\r\n", "\n")
    except OSError:
        return
    if file.host == hosts.CODEX:
        yield from _read_codex_index(file, text, root)
        return
    fields, body = _split_front_matter(text)
    if fields and file.name != INDEX:
        yield from _build_notes(file, [" ".join(body.split())], fields.get("type", ""))
        return
    lines = (line for line in body.split("\n") if not _INDEX_LINK.match(line))
    yield from _build_notes(file, _split_notes("\n".join(lines)), "")


def _read_codex_index(file: NoteFile, text: str, root: Path) -> Iterator[HostNote]:
    """Yield the notes of the task groups that were worked on in this project."""
    for group in _GROUP.split(text):
        folders = (match[1].strip() for match in _GROUP_FOLDER.finditer(group))
        if any(project_paths.is_project_folder(folder, str(root)) for folder in islice(folders, NOTE_FILES_MAX)):
            for section in _TOLD_SECTIONS.finditer(group):
                yield from _build_notes(file, _split_notes(section[1]), "")


def _split_notes(text: str) -> list[str]:
    return [
        f"{context.rstrip(': ')}: {passage}" if context else passage
        for passage, context in split_passages(dedent(text))
    ]


def _build_notes(file: NoteFile, texts: list[str], kind: str) -> Iterator[HostNote]:
    for text in texts[:NOTES_PER_FILE_MAX]:
        note = summarise_text(_TASK_REFERENCE.sub("", text).replace("**", ""), HOST_NOTE_CHARS_MAX)
        if note:
            yield HostNote(file, note, kind)


def _split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """Return the fields at the beginning of a note, nested ones too, and its body."""
    head, _, body = text.removeprefix("---\n").partition("\n---")
    if not text.startswith("---\n") or not body or head.count("\n") > NOTE_HEAD_LINES_MAX:
        return {}, text
    matches = (_FIELD.match(line) for line in head.split("\n"))
    return {match[1].lower(): match[2].strip().strip("\"'") for match in matches if match}, body.lstrip("-")
