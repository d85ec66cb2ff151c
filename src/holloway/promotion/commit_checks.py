"""Checks of a commit's explanation against the repository: for the history and for the commits of a session alike.

A passage may be told if it explains without giving orders, if the files that its commit changed and the code that it
names still exist, and if most lines that the commit added still stand.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from holloway import git
from holloway.observer.passage_ranker import is_english
from holloway.observer.signals.statements import extract_code_names
from holloway.observer.words.decision import strip_commit_type
from holloway.safety.paths import path_exists
from holloway.safety.prompt_injection import find_injection
from holloway.safety.repository_text import admit, only_paths
from holloway.text.file_roles import is_test, is_third_party

if TYPE_CHECKING:
    from holloway.codemap.history.git_log import Commit

FILES_PER_MEMORY_MAX = 4
PASSAGES_PER_COMMIT_MAX = 2
SQUASHED_MIN = 2
STANDING_SHARE = 0.6
"""Share of the lines that a commit added which must still be there."""
ADDED_LINE_CHARS_MIN = 12
"""Minimum length of a line that tells one commit from another; a bracket is in every file."""
READ_BYTES_MAX = 512 * 1024
SCAN_BYTES_MAX = 128 * 1024 * 1024
_IDENTIFIER = re.compile(r"[^\W\d]\w{2,}")
_NOT_SOURCE = (
    ".lock",
    ".sum",
    ".md",
    ".rst",
    ".txt",
    ".svg",
    ".snap",
    "-lock.json",
    "-lock.yaml",
    "CHANGELOG",
    "CHANGES",
)
"""Ends of files that most commits change and that nobody opens for the reason of one of them."""
_REFERRING = re.compile(r"(?:this|that|these|those|it|they|also|so|and|but|however|previously)\b", re.IGNORECASE)
_REFERENCE = re.compile(r"\s*\(#\d{1,9}\)")
_CLEANUP = re.compile(
    r"\b(?:(?:review|pr|copilot) (?:feedback|comments?)|address(?:es)? (?:\w+ ){0,3}(?:review|feedback|comments?)"
    r"|code review|typos?|lint(?:er)? (?:error|warning|issue)s?)\b",
    re.IGNORECASE,
)
_SQUASHED = re.compile(r"^\* \S", re.MULTILINE)
"""The subject of a commit that was squashed into another; the steps of such work contradict each other."""


def stands_alone(text: str, subject: str) -> bool:
    """Return whether a passage can be understood: it does not refer to a subject that may not be told."""
    return bool(clean_subject(subject)) or not _REFERRING.match(text)


def clean_subject(subject: str) -> str:
    """Return a commit subject without its type and its issue number; empty if it may not be told."""
    plain = _REFERENCE.sub("", strip_commit_type(subject)).strip().rstrip(".")
    return plain if admit("subject", plain) and not find_injection(plain) else ""


def is_tellable(text: str) -> bool:
    """Return whether a text of the repository may be told: an English explanation without prompt injection."""
    return bool(admit("explanation", text)) and is_english(text) and not find_injection(text)


def is_cleanup(subject: str) -> bool:
    """Return whether a commit answers a review or cleans up: its body lists what was done."""
    return bool(_CLEANUP.search(subject))


def is_squashed(body: str) -> bool:
    """Return whether a commit joins several: the steps of such work contradict each other."""
    return len(_SQUASHED.findall(body)) >= SQUASHED_MIN


def list_living_files(commit: Commit, root: str) -> tuple[str, ...]:
    """List the source files that a commit changed most; empty if fewer than half of them still exist."""
    ordered = sorted(commit.churn, key=lambda path: (-commit.churn[path], path))
    sources = [path for path in only_paths(ordered) if _is_source(path)]
    living = [path for path in sources if path_exists(path, root)]
    return tuple(living[:FILES_PER_MEMORY_MAX]) if 2 * len(living) >= len(sources) else ()


def _is_source(path: str) -> bool:
    return not (is_test(path) or is_third_party(path) or path.endswith(_NOT_SOURCE))


def still_stands(commit: Commit, files: tuple[str, ...], root: str) -> bool:
    """Return whether most lines that the commit added to the files are still in them: then what it says still holds."""
    command = ("diff-tree", "-p", "--root", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")
    patch = git.run_git(root, *command, commit.hash, "--", *files)
    added = [line[1:].strip() for line in patch.splitlines() if line.startswith("+") and not line.startswith("+++ ")]
    telling = [line for line in added if len(line) >= ADDED_LINE_CHARS_MIN]
    contents = b"\n".join(_read_bytes(Path(root, path)) for path in files).decode("utf-8", "replace")
    present = {line.strip() for line in contents.splitlines()}
    return bool(telling) and sum(line in present for line in telling) >= STANDING_SHARE * len(telling)


def split_names(text: str) -> set[str]:
    """Return the words of the code names in a text; a path or a call has several."""
    return {word for name in extract_code_names(text) for word in _IDENTIFIER.findall(name)}


def find_present_words(root: str, words: set[str]) -> set[str]:
    """Return those of some identifiers, in lower case, that occur in a tracked file of the project or its path.

    A changelog keeps the names of code that is gone, so prose does not count.
    """
    missing, read_bytes = set(words), 0
    for path in (path for path in git.tracked_files(root) or () if not path.endswith(_NOT_SOURCE)):
        if not missing or read_bytes > SCAN_BYTES_MAX:
            break
        content = _read_bytes(Path(root, path))
        read_bytes += len(content)
        missing -= set(_IDENTIFIER.findall(content.decode("utf-8", "replace").casefold()))
        missing -= set(_IDENTIFIER.findall(path.casefold()))
    return words - missing


def _read_bytes(path: Path) -> bytes:
    try:
        if path.is_symlink() or not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(READ_BYTES_MAX)
    except OSError:
        return b""
