"""Commits as memories, and later commits that their developers tied to earlier ones as questions.

Nothing in a text leads to the answer by itself: numbers of tickets, hashes, links and trailers are out.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import baselines
from benchmarks.checkout import git
from benchmarks.scoring import SEED
from holloway.config import CONTENT_BYTES_MAX

if TYPE_CHECKING:
    from benchmarks.baselines import Commit

LOG_MAX = 9_000
"""Commits of a repository that are read, the newest; most repositories lose half of them to the rules below."""
MEMORIES_MAX = 3_000
QUESTIONS_MAX = 70
ASKED_SHARE = 0.4
"""The last part of the memories, whose commits are asked about; what comes before is only known."""
WANTED_MAX = 10
WORDS_MIN = 3
LINKS = ("ticket", "hash", "revert")

_TRAILER = re.compile(r"^(?:[A-Z][\w]*(?:-[A-Za-z]\w*)+:\s.*|\(cherry picked from commit .*)$", re.MULTILINE)
_TICKET = re.compile(r"((?:[\w.-]+/[\w.-]+)?)#(\d{2,6})\b|(?:/(?:issues|pull)/|ticket:`?)(\d{2,6})\b")
_HASH = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")
_NUMBER = re.compile(
    r"https?://\S*\d\S*|(?:[\w.-]+/[\w.-]+)?#\d+|\b(?:GH|CL|PR|CVE)[- ]?\d[\d-]*"
    r"|(?i:\b(?:ticket|issue|bug|pull request)s?[:` _-]*#?\d+`?)"
)
_MACHINE = re.compile(
    r"\[bot\]|\A(?i:bump\b|release\b|version\b|chore\(deps|build\(deps|update dependency|v?\d+\.\d+)|\Amerge\b"
)
_REVERT = re.compile(r"\Arevert|this reverts commit", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"\w*(?:[a-z0-9][A-Z]|[^\W_]_[^\W_])\w*")


@dataclass(frozen=True, slots=True)
class Past:
    """The lesson of a commit: its message without numbers, and the source files that it touched."""

    commit: str
    at: float
    text: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A later commit: what it says, one of its files, the memories before it, and which of them it is tied to."""

    commit: str
    at: float
    text: str
    file: str
    before: int
    wanted: frozenset[str]
    link: str
    days: float
    """Since the newest that is wanted."""

    @property
    def names(self) -> str:
        """The names of code in its text and nothing else, each once."""
        return " ".join(dict.fromkeys(_NAME.findall(self.text)))


@dataclass(frozen=True, slots=True)
class CodingSet:
    """One repository's memories in time order, and what is asked about them."""

    name: str
    memories: tuple[Past, ...]
    questions: tuple[Question, ...]


def coding_set(repository: Path, name: str, *, memories: int = MEMORIES_MAX) -> CodingSet:
    """The newest commits of a repository as memories, with the questions that its developers' links make."""
    commits = select_commits(baselines.log(repository, "HEAD", f"--max-count={LOG_MAX}"))[-memories:]
    past = tuple(Past(commit.hash, commit.at, clean_message(commit.message), commit.files) for commit in commits)
    linked = evenly(list(links(commits)), QUESTIONS_MAX)
    questions = [
        replace(question, file=_file_in_play(repository, question.commit, past[question.before].files))
        for question in linked
    ]
    return CodingSet(name, past, tuple(questions))


def select_commits(commits: Iterable[Commit]) -> list[Commit]:
    """The commits that a person wrote about a few source files, in time order; the same words count once."""
    seen_texts: set[str] = set()
    counted_commits = []
    for commit in sorted(commits, key=lambda commit: commit.at):
        words = " ".join(_WORD.findall(clean_message(commit.message).lower()))
        if (
            commit.counts
            and not _MACHINE.search(commit.message)
            and words.count(" ") + 1 >= WORDS_MIN
            and words not in seen_texts
        ):
            seen_texts.add(words)
            counted_commits.append(commit)
    return counted_commits


def clean_message(message: str) -> str:
    """A message without trailers, and without anything by which a ticket or a commit could be looked up."""
    text = _HASH.sub("", _NUMBER.sub("", _TRAILER.sub("", message)))
    lines = (" ".join(line.split()) for line in text.splitlines())
    text_lines = "\n".join(line for line in lines if _WORD.search(line))
    return text_lines.encode()[: CONTENT_BYTES_MAX - 1].decode("utf-8", "ignore")


def links(commits: Sequence[Commit]) -> Iterator[Question]:
    """A question for each later commit that shares a ticket with earlier ones, or names one of them by its hash."""
    by_ticket: defaultdict[str, list[str]] = defaultdict(list)
    by_hash: dict[str, str] = {}
    at = {commit.hash: commit.at for commit in commits}
    for before, change in enumerate(commits):
        text = _TRAILER.sub("", change.message)
        tickets = {owner + (number or path) for owner, number, path in _TICKET.findall(text)}
        named = {by_hash[short[:7]] for short in _HASH.findall(text) if short[:7] in by_hash}
        wanted = named | {commit for ticket in tickets for commit in by_ticket[ticket]}
        if before >= (1 - ASKED_SHARE) * len(commits) and 1 <= len(wanted) <= WANTED_MAX:
            link = "revert" if _REVERT.search(text) else "hash" if named else "ticket"
            days = (change.at - max(at[commit] for commit in wanted)) / 86_400
            yield Question(
                change.hash, change.at, clean_message(change.message), "", before, frozenset(wanted), link, days
            )
        by_hash[change.hash[:7]] = change.hash
        for ticket in tickets:
            by_ticket[ticket].append(change.hash)


def evenly(questions: Sequence[Question], questions_max: int) -> list[Question]:
    """Return at most `questions_max` of them, spread evenly."""
    if len(questions) <= questions_max:
        return list(questions)
    return [questions[place * len(questions) // questions_max] for place in range(questions_max)]


def _file_in_play(repository: Path, commit: str, files: Sequence[str]) -> str:
    """One of a commit's files by lot; of those that were there before it, if any were."""
    existing_files = git(repository, "ls-tree", "-z", "--name-only", f"{commit}^", "--", *files).split("\0")
    return random.Random(f"{SEED} {commit}").choice(sorted(set(files) & set(existing_files)) or sorted(files))
