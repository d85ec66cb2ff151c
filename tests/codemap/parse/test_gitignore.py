"""What git ignores is ignored where git cannot be asked."""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holloway import git
from holloway.codemap.parse import gitignore
from holloway.codemap.parse.source_files import _walk_files

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
    level = gitignore.parse_ignore_file("", "\n".join(f"a{number}" for number in range(2 * gitignore.RULES_MAX)))
    assert len(level.rules) == gitignore.RULES_MAX
    assert gitignore.is_ignored("deep/a1", (level,), is_folder=False)
    assert not gitignore.parse_ignore_file("", "a" * (gitignore.RULE_CHARS_MAX + 1)).rules
    hostile = gitignore.parse_ignore_file("", "/".join(["**", "*a" * 100] * 2))
    assert not gitignore.is_ignored("/".join(["a" * 200 + "b"] * 40), (hostile,), is_folder=False)


def test_a_file_that_no_rule_names_is_followed_through_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    followed: list[tuple[str, ...]] = []

    def fits(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
        followed.append(pattern)
        return real(pattern, parts)

    real = gitignore._is_match
    monkeypatch.setattr(gitignore, "_is_match", fits)
    level = gitignore.parse_ignore_file("", "*.log\n/build/\nlib/**/*.o\n[Bb]in/\na.py\nlib/*\n")
    assert not gitignore.is_ignored("deep/down/b.py", (level,), is_folder=False)
    assert followed == [("lib", "*")]
    assert gitignore.is_ignored("deep/down/a.py", (level,), is_folder=False)
