"""Which files are the project's own, also where git does not say."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holloway import git
from holloway.codemap.parse import source_files
from holloway.codemap.parse.source_files import _walk_files
from holloway.config import MAP_TEXT_BYTES_MAX
from holloway.git import runner
from tests.conftest import Repository, make_repository

OWN = [".gitignore", "a.py", "lib/b.py"]
TREE = (
    *("a.py", "b.py", "ab", "#a", "!a", "a b ", "a", "lib/a.py", "lib/a/b.py", "lib/lib/ab", "lib/logs/a.py"),
    *("logs/a.py", "logs/b/ab", "deep/lib/logs/a/b.py", "deep/ab.py", "deep/[a]"),
)
piece = st.sampled_from(
    ["a", "b", "*", "**", "?", "lib", "logs", "deep", "*.py", "[ab]*", "[!a]*", "[^a]", "a*b", "\\a"]
)
line = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "", "!", "/", "#", "\\#", "\\!"]),
    st.lists(piece, min_size=1, max_size=4).map("/".join),
    st.sampled_from(["", "", "/", "/**"]),
    st.sampled_from(["", "", " ", "\\ ", "\r"]),
)
rules = st.lists(line, max_size=5).map("\n".join)


@pytest.fixture
def project(tmp_path: Path) -> Repository:
    repository = make_repository(tmp_path / "project", dict.fromkeys(OWN[1:], "x = 1\n"))
    repository.commit(".gitignore", "secret.txt\n/logs/\n")
    for name in ("secret.txt", "lib/secret.txt", "logs/today.py"):
        path = repository.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x\n")
    return repository


def with_a_broken_index(root: Path, _: pytest.MonkeyPatch) -> None:
    (root / ".git/index").write_bytes(b"no index at all")


def without_git(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(root / "nothing"))


@pytest.mark.promise("repository-is-not-trusted")
@pytest.mark.parametrize("trouble", [with_a_broken_index, without_git])
def test_where_git_fails_ignored_files_are_still_left_out(
    project: Repository, monkeypatch: pytest.MonkeyPatch, trouble: Callable[[Path, pytest.MonkeyPatch], None]
) -> None:
    assert source_files.list_names(project.root) == OWN
    trouble(project.root, monkeypatch)
    assert git.tracked_files(str(project.root)) is None
    assert source_files.list_names(project.root) == OWN
    assert source_files.list_matching(project.root, ["lib", "secret.txt", "logs"]) == ["lib/b.py"]


def test_a_checkout_of_another_person_is_read(project: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    # Git tests its refusal with this variable: it then takes every repository for somebody else's.
    real = runner._repository_environment
    different_owner = {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
    monkeypatch.setattr(runner, "_repository_environment", lambda root: real(root) | different_owner)
    assert git.tracked_files(str(project.root)) == OWN


def test_a_checkout_in_which_everything_is_ignored_has_no_files(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "project", {})
    (repository.root / ".gitignore").write_text("*\n")
    (repository.root / "a.py").write_text("x = 1\n")
    assert source_files.list_names(repository.root) == []


def test_a_repository_within_a_checkout_is_another_project_and_within_a_folder_it_is_not(
    project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_repository(project.root / "inner", {"c.py": "x = 1\n"})
    without_git(project.root, monkeypatch)
    assert source_files.list_names(project.root) == OWN
    assert "project/inner/c.py" in source_files.list_names(project.root.parent)


def test_an_ignore_file_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("*\n")
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.py").write_text("x = 1\n")
    (root / ".gitignore").symlink_to(tmp_path / "rules")
    assert source_files.list_names(root) == [".gitignore", "a.py"]


@pytest.mark.promise("repository-is-not-trusted")
@given(rules, rules, rules)
@example("*\n!*.py\n!lib/", "a/", "!a.py\n")
@example("logs\n/lib/**/ab\n", "**/b.py", "deep/**/logs/")
@example("a b\\ \n\\#a\n\\!a\nab ", "/a.py\r", "")
@settings(max_examples=60, deadline=None)
def test_files_that_are_walked_to_are_those_that_git_would_list(top: str, below: str, excluded: str) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder)
        subprocess.run(["git", "init", "-q", folder], check=True)
        for name in TREE:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            if not (root / name).is_dir():
                (root / name).touch()
        (root / ".gitignore").write_text(top, newline="")
        (root / "lib/.gitignore").write_text(below, newline="")
        (root / ".git/info/exclude").write_text(excluded, newline="")
        assert _walk_files(root) == git.tracked_files(folder)


def test_rules_are_bounded_and_the_first_ones_count() -> None:
    level = source_files.parse_ignore_file(
        "", "\n".join(f"a{number}" for number in range(2 * source_files.IGNORE_RULES_MAX))
    )
    assert len(level.rules) == source_files.IGNORE_RULES_MAX
    assert source_files.is_ignored("deep/a1", (level,), is_folder=False)
    assert not source_files.parse_ignore_file("", "a" * (source_files.RULE_CHARS_MAX + 1)).rules
    hostile = source_files.parse_ignore_file("", "/".join(["**", "*a" * 100] * 2))
    assert not source_files.is_ignored("/".join(["a" * 200 + "b"] * 40), (hostile,), is_folder=False)


def test_a_file_that_no_rule_names_is_followed_through_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    followed: list[tuple[str, ...]] = []

    def fits(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
        followed.append(pattern)
        return real(pattern, parts)

    real = source_files._is_match
    monkeypatch.setattr(source_files, "_is_match", fits)
    level = source_files.parse_ignore_file("", "*.log\n/build/\nlib/**/*.o\n[Bb]in/\na.py\nlib/*\n")
    assert not source_files.is_ignored("deep/down/b.py", (level,), is_folder=False)
    assert followed == [("lib", "*")]
    assert source_files.is_ignored("deep/down/a.py", (level,), is_folder=False)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("src/a.py", ""),
        ("node_modules/x/a.js", "vendored or built"),
        ("src/logo.png", "binary"),
        ("src/a_pb2.py", "generated"),
        ("src/caf\udce9.py", "name is not UTF-8"),
    ],
)
def test_a_name_says_why_its_file_is_left_out(name: str, reason: str) -> None:
    assert source_files._exclusion_reason(name) == reason


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain", b"plain"),
        ("grün".encode(), "grün".encode()),
        (b"\xef\xbb\xbfmarked", b"marked"),
        ("grün".encode("utf-16"), "grün".encode()),
        (b"\xfe\xff" + "grün".encode("utf-16-be"), "grün".encode()),
        (b"caf\xe9", "caf\ufffd".encode()),
    ],
)
def test_text_in_any_encoding_becomes_valid_utf_8(data: bytes, text: bytes) -> None:
    assert source_files.to_utf8(data) == text


def test_a_file_is_read_unless_it_is_gone_a_link_or_no_file(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/a.py").write_text("x = 1\n")
    (tmp_path / "linked").symlink_to(tmp_path / "deep")
    (tmp_path / "link.py").symlink_to(tmp_path / "deep/a.py")
    os.mkfifo(tmp_path / "pipe.py")
    assert source_files.read_bytes(tmp_path, "deep/a.py") == b"x = 1\n"
    for name, reason in (
        ("gone.py", "vanished"),
        ("deep", "unreadable"),
        ("pipe.py", "not a regular file"),
        ("linked/a.py", "link"),
        ("link.py", "unreadable"),
        ("deep/../deep/a.py", "link"),
    ):
        assert source_files.read_bytes(tmp_path, name) == reason
    assert source_files.read_manifest(tmp_path, "deep/a.py") == "x = 1\n"
    assert source_files.read_manifest(tmp_path, "gone.py") == ""


def test_only_a_regular_file_of_a_moderate_size_is_listed_and_the_others_say_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_files, "MAP_CODE_BYTES_MAX", 30)
    monkeypatch.setattr(source_files, "MAP_TEXT_BYTES_MAX", 20)
    for name, size in (("a.py", 30), ("long.py", 31), ("a.txt", 20), ("long.txt", 21)):
        (tmp_path / name).write_text("x" * size)
    (tmp_path / "module").mkdir()
    (tmp_path / "link.py").symlink_to("a.py")
    (tmp_path / "gone").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe.py")
    status = (tmp_path / "a.py").stat()
    assert source_files.check_file(tmp_path, "a.py") == source_files.ListedFile("a.py", 30, status.st_mtime_ns)
    assert isinstance(source_files.check_file(tmp_path, "a.txt"), source_files.ListedFile)
    for name, reason in (
        ("long.py", "too large"),
        ("long.txt", "too large"),
        ("module", "submodule"),
        ("link.py", "link"),
        ("gone", "link"),
        ("pipe.py", "not a regular file"),
        ("logo.png", "binary"),
    ):
        assert source_files.check_file(tmp_path, name) == source_files.SkippedFile(name, reason)
    assert source_files.check_file(tmp_path, "none.py") is None
    assert source_files.check_file(tmp_path, "none\0.py") is None


def test_no_more_than_a_number_of_files_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.py", "b.py", "c.png", "d.py", "e.py"):
        (tmp_path / name).write_text("x = 1\n")
    listed, skipped = source_files.list_files(tmp_path)
    assert [file.path for file in listed] == ["a.py", "b.py", "d.py", "e.py"]
    assert skipped == [source_files.SkippedFile("c.png", "binary")]
    monkeypatch.setattr(source_files, "MAP_FILES_MAX", 3)
    listed, skipped = source_files.list_files(tmp_path)
    assert [file.path for file in listed] == ["a.py", "b.py", "d.py"]
    assert skipped[1:] == [source_files.SkippedFile("e.py", "too many files")]


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.py", b"x = 1\n", ""),
        ("a.py", b"x\0", "binary"),
        ("a.py", "x = 1\n".encode("utf-16"), ""),
        ("a.py", b"# @generated\n", "generated"),
        ("a.go", b"// Code generated by protoc. DO NOT EDIT.\n", "generated"),
        ("a.py", b"x" * source_files._HEAD_BYTES + b"@generated", ""),
        ("a.js", b"x" * 8_193, "minified"),
        ("a.js", b"x" * 8_192, ""),
        ("a.js", (b"x" * 99 + b"\n") * 100, ""),
        ("a.txt", b"x\n" * (MAP_TEXT_BYTES_MAX // 2 + 1), "too large"),
        ("a.py", b"x\n" * (MAP_TEXT_BYTES_MAX // 2 + 1), ""),
    ],
)
def test_the_content_of_a_file_says_why_it_is_left_out(name: str, data: bytes, reason: str) -> None:
    assert source_files._unfit_reason(name, data) == reason


def test_only_names_inside_the_project_are_matched(project: Repository) -> None:
    assert source_files.list_matching(project.root, []) == []
    assert source_files.list_matching(project.root, ["..", "lib/../a.py", ""]) == []
    assert source_files.list_matching(project.root, ["a.py", "li"]) == ["a.py"]
