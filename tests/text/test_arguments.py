"""The words after a program are told apart: options, values of options, paths, patterns, addresses, messages."""

from __future__ import annotations

import pytest

from holloway.text import arguments
from holloway.text.arguments import (
    COMMIT_MESSAGE_CHARS_MAX,
    PATCH_FILES_MAX,
    find_commit_message,
    find_folder,
    find_plain_words,
    find_subject,
    host_of,
    list_option_values,
    list_patched_files,
    list_plain_words,
)


@pytest.mark.parametrize(
    ("program", "words", "plain"),
    [
        ("pytest", "-q tests -k name a.py", [(1, "tests"), (4, "a.py")]),
        ("egrep", "-A 3 word src", [(2, "word"), (3, "src")]),
        ("yarn", "workspace web build", [(2, "build")]),
        ("pytest", "-k a -- -k b", [(3, "-k"), (4, "b")]),
        ("cat", "- a", [(0, "-"), (1, "a")]),
        ("unknown", "-k a b", [(1, "a"), (2, "b")]),
        ("pytest", "tests -k", [(0, "tests")]),
    ],
)
def test_plain_words_are_neither_options_nor_their_values(
    program: str, words: str, plain: list[tuple[int, str]]
) -> None:
    assert find_plain_words(program, words.split()) == plain
    assert list_plain_words(program, words.split()) == [word for _, word in plain]


@pytest.mark.parametrize(
    ("program", "args", "folder"),
    [
        ("git", "-C web status", "web"),
        ("npm", "--prefix web test", "web"),
        ("npm", "-C web test", ""),
        ("cargo", "-C web test", ""),
        ("make", "test -C", ""),
    ],
)
def test_an_option_of_a_program_names_its_folder(program: str, args: str, folder: str) -> None:
    assert find_folder(program, args.split()) == folder


def test_the_values_of_an_option_are_found_in_both_spellings() -> None:
    names = frozenset(("-m", "--message"))
    assert list_option_values(["-m", "a", "--message=b=c", "x=y", "-m"], names) == ["a", "b=c"]
    assert list_option_values(["-m", "a", "-m", "b"], names) == ["a", "b"]


@pytest.mark.parametrize(
    ("kind", "program", "args", "expected"),
    [
        ("fetch", "curl", ["-s", "https://a.org/x", "b"], ((), "", "https://a.org/x")),
        ("fetch", "npm", ["left-pad"], ((), "", "left-pad")),
        ("fetch", "npm", [], ((), "", "")),
        ("search", "find", ["-L", "src", "lib", "-name", "*.go"], (("src", "lib"), "*.go", "")),
        ("list", "find", ["src", "(", "-type", "f", ")"], (("src",), "", "")),
        ("list", "find", ["src", "!", "-newer", "x"], (("src",), "", "")),
        ("list", "find", ["src", "lib"], (("src", "lib"), "", "")),
        ("search", "grep", ["-rn", "word", "src"], (("src",), "word", "")),
        ("search", "grep", ["-e", "word", "src", "lib"], (("src", "lib"), "word", "")),
        ("search", "rg", [], ((), "", "")),
        ("search", "fd", ["-e", "py", "name", "src"], (("src",), "name", "")),
        ("search", "git", ["-A", "3", "word", "src"], (("src",), "word", "")),
        ("read", "cat", ["a.py", "b.py"], (("a.py", "b.py"), "", "")),
        ("read", "git", ["a.py"], (("a.py",), "", "")),
        ("read", "tail", ["+3", "a.log"], (("a.log",), "", "")),
        ("read", "head", ["+3", "a.log"], (("+3", "a.log"), "", "")),
        ("read", "sed", ["-n", "1,9p", "a.py"], (("a.py",), "", "")),
        ("edit", "sed", ["-i", "", "-e", "s/a/b/", "a.py"], (("a.py",), "", "")),
        ("edit", "perl", ["-pi", "-e", "s/a/b/", "src/a.py"], (("src/a.py",), "", "")),
        ("edit", "perl", ["-pe", "s/a/b/", "src/a.py"], (("src/a.py",), "", "")),
        ("read", "perl", ["run.pl", "a.txt"], (("a.txt",), "", "")),
        ("test", "pytest", ["-k", "a and b", "tests"], (("tests",), "a and b", "")),
        ("test", "go", ["./...", "plain", "-run", "TestA"], (("./...",), "TestA", "")),
        ("git", "git", ["show", "HEAD:src/a.py"], (("src/a.py",), "", "")),
        ("git", "git", ["diff", "main..next", "web/", ".", "a.py", "word"], (("web/", ".", "a.py"), "", "")),
        ("revert", "git", ["checkout", "main", "--", "word", "a.py"], (("word", "a.py"), "", "")),
        ("commit", "git", ["commit", "a.py", "word"], (("a.py",), "", "")),
        ("list", "ls", ["word", "src/"], (("word", "src/"), "", "")),
        ("run", "python", ["word", "src/a.py"], (("src/a.py",), "", "")),
    ],
)
def test_a_command_is_about_its_paths_its_pattern_or_its_address(
    kind: str, program: str, args: list[str], expected: tuple[tuple[str, ...], str, str]
) -> None:
    assert find_subject(kind, program, args) == expected


@pytest.mark.parametrize("word", ["a/b", r"a\b", ".", "..", "a.py", "a.py:12", "a::b"])
def test_a_word_that_looks_like_a_path_is_one(word: str) -> None:
    assert arguments.PATH.search(word)


@pytest.mark.parametrize("word", ["word", "...", "1.2", "a-b"])
def test_a_word_that_does_not_look_like_a_path_is_none(word: str) -> None:
    assert not arguments.PATH.search(word)


def test_a_patch_names_its_files_once_and_within_a_limit() -> None:
    patch = "*** Update File: a b.py \n*** Delete File: c.py\n--- a/x\n+++ b/d.py\n+++ /dev/null\n+++ b/d.py\tdate"
    assert list_patched_files([patch, "*** Add File: e.py"]) == ("a b.py", "c.py", "d.py", "e.py")
    many = "\n".join(f"+++ b/{number}.py" for number in range(PATCH_FILES_MAX + 5))
    assert len(list_patched_files([many])) == PATCH_FILES_MAX


@pytest.mark.parametrize(
    ("args", "documents", "message"),
    [
        (["-m", "one", "-m", "two"], [], "one\n\ntwo"),
        (["-am", "one"], [], "one"),
        (["-mone"], [], "one"),
        (["--message=one"], [], "one"),
        (["-m", "$(cat <<E\none\ntwo\nE\n)"], [], "one\ntwo"),
        (["-m", "$(cat <<E\none\nE"], [], "one"),
        (["-m", "$(date)"], [], "$(date)"),
        (["-F", "-"], ["one", "two"], "one"),
        (["--file", "-"], ["one"], "one"),
        (["-m", "one", "-F", "-"], ["two"], "one"),
        (["-a"], ["one"], ""),
        (["--amend"], [], ""),
    ],
)
def test_a_commit_message_is_found_in_its_option_or_its_document(
    args: list[str], documents: list[str], message: str
) -> None:
    assert find_commit_message(args, documents) == message


def test_a_commit_message_is_cut_to_its_limit() -> None:
    assert find_commit_message(["-m", "x" * (COMMIT_MESSAGE_CHARS_MAX + 9)], []) == "x" * COMMIT_MESSAGE_CHARS_MAX


def test_an_address_has_a_host_and_other_text_has_none() -> None:
    assert host_of("https://me@Docs.Example.org:8080/a") == "docs.example.org"
    assert host_of("src/a.py") == host_of("http://[broken") == ""
