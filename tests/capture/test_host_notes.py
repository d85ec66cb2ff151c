"""Notes of hosts are found where the hosts keep them, for this project only, and read within limits."""

import json
import os
from pathlib import Path

import pytest

from holloway.capture import claude_code, hosts
from holloway.capture.host_notes import NOTES_PER_FILE_MAX, HostNote, find_note_files, read_notes
from holloway.config import HOST_NOTE_CHARS_MAX, HOST_NOTES_MAX
from tests.conftest import make_repository

NOTE = "The token cache is per thread because `refresh` is not atomic."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop").root


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def memory_folder(home: Path, root: Path) -> Path:
    return home / ".claude" / "projects" / claude_code.encode_folder(str(root)) / "memory"


def read(root: Path, home: Path) -> list[HostNote]:
    return read_notes(find_note_files(root, home), root)


def test_a_note_of_claude_code_is_read_whole_with_its_kind(root: Path, home: Path) -> None:
    head = "---\nname: cache\ndescription: the cache\nmetadata:\n  type: feedback\n---\n"
    write(memory_folder(home, root) / "cache.md", f"{head}\n{NOTE}\n\n**Why:** two threads write it.\n")
    (note,) = read(root, home)
    assert (note.file.host, note.file.name, note.kind) == (hosts.CLAUDE_CODE, "cache.md", "feedback")
    assert note.text == f"{NOTE} Why: two threads write it"


def test_the_index_of_claude_code_is_read_without_its_links(root: Path, home: Path) -> None:
    index = f"# Memory\n- [Cache](cache.md): the cache of the tokens is per thread\n- {NOTE}\n"
    write(memory_folder(home, root) / "MEMORY.md", index)
    assert [note.text for note in read(root, home)] == [f"Memory: {NOTE}".rstrip(".")]


def test_notes_of_another_project_with_the_same_folder_name_are_not_read(root: Path, home: Path) -> None:
    folder = memory_folder(home, root)
    write(folder / "cache.md", NOTE)
    write(folder.parent / "s1.jsonl", json.dumps({"type": "user", "cwd": "/elsewhere"}) + "\n")
    assert read(root, home) == []
    write(folder.parent / "s2.jsonl", json.dumps({"type": "user", "cwd": str(root)}) + "\n")
    assert len(read(root, home)) == 1


def test_codex_is_asked_for_the_task_groups_of_this_project(root: Path, home: Path) -> None:
    def group(folder: str, fact: str) -> str:
        return (
            f"# Task Group: work\napplies_to: cwd={folder}; reuse_rule=safe\n\n## Task 1: tokens, success\n"
            f"### keywords\n- tokens and other words of it\n\n## Reusable knowledge\n\n- {fact} [Task 1]\n\n"
        )

    text = group(str(root), NOTE) + group("/elsewhere", "Another project keeps its cache in a file of its own.")
    write(home / ".codex" / "memories" / "MEMORY.md", text)
    (note,) = read(root, home)
    assert (note.file.host, note.text) == (hosts.CODEX, NOTE.rstrip("."))


@pytest.mark.parametrize("folder", [".learnings", ".serena/memories", "memory-bank"])
def test_the_folders_of_notes_in_the_project_are_read(root: Path, home: Path, folder: str) -> None:
    write(root / folder / "notes.md", f"# Cache\n\n- {NOTE}\n")
    (note,) = read(root, home)
    assert (note.file.host, note.text) == (folder, f"Cache: {NOTE}".rstrip("."))


def test_links_and_folders_elsewhere_are_not_followed(root: Path, home: Path, tmp_path: Path) -> None:
    outside = write(tmp_path / "outside" / "secret.md", NOTE)
    (root / ".learnings").symlink_to(outside.parent)
    memory_folder(home, root).mkdir(parents=True)
    (memory_folder(home, root) / "link.md").symlink_to(outside)
    os.mkfifo(memory_folder(home, root) / "pipe.md")
    assert read(root, home) == []


def test_notes_are_bounded_and_the_latest_file_comes_first(root: Path, home: Path) -> None:
    items = "".join(f"- {NOTE} It is note number {number} of the file.\n" for number in range(NOTES_PER_FILE_MAX + 3))
    for number in range(HOST_NOTES_MAX // NOTES_PER_FILE_MAX + 2):
        path = write(root / ".learnings" / f"{number:02}.md", items)
        os.utime(path, (1_000 + number, 1_000 + number))
    write(root / "memory-bank" / "long.md", f"---\nname: x\n---\n{'A long note about it. ' * 200}")
    notes = read(root, home)
    assert len(notes) == HOST_NOTES_MAX
    assert notes[0].file.name == "long.md"
    assert len(notes[0].text) <= HOST_NOTE_CHARS_MAX
    assert [note.file.name for note in notes].count("09.md") == NOTES_PER_FILE_MAX
