"""Rules files on disk: what is found, what is read, and what the last commit has of it."""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from holloway.config import RULE_FILE_BYTES_MAX
from holloway.promotion.rules_files import files as rules_files
from holloway.promotion.rules_files.file_kinds import read_rules_texts
from holloway.promotion.rules_files.files import CommittedFiles, RulesFiles
from holloway.promotion.rules_files.markdown import RulesText
from holloway.promotion.rules_files.split_blocks import split_rule_blocks
from tests.conftest import Repository, make_repository


@pytest.mark.promise("paths-inside")
def test_what_lies_outside_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# Rules\n\n- Never read me\n")
    (tmp_path / "person").mkdir()
    root = tmp_path / "shop"
    make_repository(root, {"CLAUDE.md": "@../secret.md @~/.claude/CLAUDE.md\n"})
    (root / "AGENTS.md").symlink_to(tmp_path / "secret.md")
    files = rules_files.find_rules_files(root)
    assert [block for text in read_rules_texts(files) for block in split_rule_blocks(text)] == []
    assert "leads out of the project" in files.problems["AGENTS.md"]
    assert "leads out of the project" in files.problems["../secret.md"]
    assert "your own" in files.problems["~/.claude/CLAUDE.md"]


def test_a_link_to_another_rules_file_is_read_once(tmp_path: Path) -> None:
    make_repository(tmp_path, {"CLAUDE.md": "# Rules\n\n- Use tabs in Makefiles\n"})
    (tmp_path / "AGENTS.md").symlink_to("CLAUDE.md")
    files = rules_files.find_rules_files(tmp_path)
    assert len([block for text in read_rules_texts(files) for block in split_rule_blocks(text)]) == 1


def test_windows_line_ends_marks_and_other_encodings_are_read(tmp_path: Path) -> None:
    make_repository(tmp_path, {})
    (tmp_path / "CLAUDE.md").write_bytes(
        b"\xef\xbb\xbf---\r\na: b\r\n---\r\n# Rules\r\n\r\n- Use tabs\r\n  in Makefiles\r\n"
    )
    (tmp_path / "AGENTS.md").write_bytes("# Rules\n\n- Use one blank line\n".encode("utf-16"))
    (tmp_path / "GEMINI.md").write_bytes(b"# Rules\n\n- Use caf\xe9 names\n- Use plain names only\n")
    files = rules_files.find_rules_files(tmp_path)
    assert [block.text for text in read_rules_texts(files) for block in split_rule_blocks(text)] == [
        "Use tabs in Makefiles",
        "Use one blank line",
        "Use plain names only",
    ]
    assert "not UTF-8" in files.problems["GEMINI.md"]


def test_binary_and_odd_files_are_left_out_with_a_reason(tmp_path: Path) -> None:
    make_repository(tmp_path, {})
    (tmp_path / "CLAUDE.md").write_bytes(b"# Rules\n\n- Use\0tabs\n")
    (tmp_path / "AGENTS.md").mkdir()
    files = rules_files.find_rules_files(tmp_path)
    assert list(read_rules_texts(files)) == []
    assert files.problems["CLAUDE.md"] == "it is binary"
    assert "AGENTS.md" in files.problems


def test_of_a_huge_file_the_head_is_read(tmp_path: Path) -> None:
    make_repository(tmp_path, {})
    (tmp_path / "CLAUDE.md").write_text(
        "# Rules\n\n- Use tabs in Makefiles\n" + "- Use more of it, number one\n" * 200_000
    )
    files = rules_files.find_rules_files(tmp_path)
    (text,) = read_rules_texts(files)
    assert len(text.text) <= RULE_FILE_BYTES_MAX
    assert "first 262,144 bytes" in files.problems["CLAUDE.md"]


def test_names_that_match_are_listed_the_outermost_first(tmp_path: Path) -> None:
    files = RulesFiles(tmp_path, ["b/AGENTS.md", "a/x/AGENTS.md", "AGENTS.md", "a/AGENTS.md", "README.md"])
    assert files.list_matching(re.compile("AGENTS")) == ["AGENTS.md", "a/AGENTS.md", "b/AGENTS.md", "a/x/AGENTS.md"]


def test_a_file_is_read_once_and_the_project_itself_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"a\r\nb\rc")
    files = RulesFiles(tmp_path, [])
    assert files.read_text("a.md") == ("a.md", "a\nb\nc")
    assert files.read_text("./a.md") == ("", "")
    assert files.read_text("gone.md") == ("", "")
    assert files.problems == {}
    assert files.read_text(".") == ("", "")
    assert files.problems == {".": "it leads out of the project"}


def test_more_files_than_allowed_are_left_out_with_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_files, "RULE_FILES_MAX", 2)
    for name in "abc":
        (tmp_path / name).write_text(name)
    files = RulesFiles(tmp_path, [])
    assert [files.read_text(name) for name in "abc"] == [("a", "a"), ("b", "b"), ("", "")]
    assert files.problems == {"c": "only 2 rules files are read"}


def test_a_file_of_exactly_the_limit_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_files, "RULE_FILE_BYTES_MAX", 6)
    (tmp_path / "a").write_text("ab\ncde")
    (tmp_path / "b").write_text("ab\ncdef")
    files = RulesFiles(tmp_path, [])
    assert files.read_text("a") == ("a", "ab\ncde")
    assert files.read_text("b") == ("b", "ab")
    assert list(files.problems) == ["b"]


def test_a_pipe_is_no_rules_file_and_nobody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "CLAUDE.md")
    files = RulesFiles(tmp_path, [])
    assert files.read_text("CLAUDE.md") == ("", "")
    assert files.problems == {"CLAUDE.md": "it is not a regular file"}


def test_rules_that_git_ignores_are_found_but_not_behind_a_linked_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_repository(tmp_path / "shop", {".gitignore": ".claude\nCLAUDE.md\nbuild\n", "a.py": ""}).root
    for name in ("CLAUDE.md", "build/x.md", ".claude/b.md", ".claude/deep/c.md", ".claude/a.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/d.md").write_text("x")
    (root / ".cursor").symlink_to(tmp_path / "elsewhere")
    names = rules_files.find_rules_files(root).names
    assert {".claude/a.md", ".claude/b.md", ".claude/deep/c.md", "CLAUDE.md", "a.py"} <= set(names)
    assert not {"build/x.md", ".cursor/d.md"} & set(names)
    monkeypatch.setattr(rules_files, "RULE_FILES_MAX", 1)
    assert [name for name in rules_files.find_rules_files(root).names if name.startswith(".claude/")] == [
        ".claude/a.md"
    ]


def test_the_last_commit_says_which_rules_are_committed(repository: Repository) -> None:
    old = "# Rules\n\n- Use tabs in Makefiles\n"
    repository.commit("AGENTS.md", old)
    (old_block,) = split_rule_blocks(RulesText("AGENTS.md", old))
    assert CommittedFiles(repository.root).list_committed_hashes(RulesText("AGENTS.md", old)) is None
    text = RulesText("AGENTS.md", old + "- Use one blank line\n")
    (repository.root / "AGENTS.md").write_text(text.text)
    committed = CommittedFiles(repository.root)
    assert committed.list_committed_hashes(text) == frozenset({old_block.text_hash})
    assert committed.has_file("AGENTS.md")
    assert not committed.has_file("CLAUDE.md")
    assert committed.list_committed_hashes(replace(text, path="CLAUDE.md")) == frozenset()
