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
    """What a commit teaches: its message without numbers, and the source files that it touched."""

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
    commits = told(baselines.log(repository, "HEAD", f"--max-count={LOG_MAX}"))[-memories:]
    past = tuple(Past(one.hash, one.at, cleaned(one.message), one.files) for one in commits)
    linked = evenly(list(links(commits)), QUESTIONS_MAX)
    questions = [replace(one, file=_file_in_play(repository, one.commit, past[one.before].files)) for one in linked]
    return CodingSet(name, past, tuple(questions))


def told(commits: Iterable[Commit]) -> list[Commit]:
    """The commits that a person wrote about a few source files, in time order; the same words count once."""
    seen: set[str] = set()
    kept = []
    for one in sorted(commits, key=lambda one: one.at):
        said = " ".join(_WORD.findall(cleaned(one.message).lower()))
        if one.counts and not _MACHINE.search(one.message) and said.count(" ") + 1 >= WORDS_MIN and said not in seen:
            seen.add(said)
            kept.append(one)
    return kept


def cleaned(message: str) -> str:
    """A message without trailers, and without anything by which a ticket or a commit could be looked up."""
    text = _HASH.sub("", _NUMBER.sub("", _TRAILER.sub("", message)))
    lines = (" ".join(line.split()) for line in text.splitlines())
    kept = "\n".join(line for line in lines if _WORD.search(line))
    return kept.encode()[: CONTENT_BYTES_MAX - 1].decode("utf-8", "ignore")


def links(commits: Sequence[Commit]) -> Iterator[Question]:
    """A question for each later commit that shares a ticket with earlier ones, or names one of them by its hash."""
    by_ticket: defaultdict[str, list[str]] = defaultdict(list)
    by_hash: dict[str, str] = {}
    at = {one.hash: one.at for one in commits}
    for before, one in enumerate(commits):
        said = _TRAILER.sub("", one.message)
        tickets = {owner + (number or path) for owner, number, path in _TICKET.findall(said)}
        named = {by_hash[short[:7]] for short in _HASH.findall(said) if short[:7] in by_hash}
        wanted = named | {commit for ticket in tickets for commit in by_ticket[ticket]}
        if before >= (1 - ASKED_SHARE) * len(commits) and 1 <= len(wanted) <= WANTED_MAX:
            link = "revert" if _REVERT.search(said) else "hash" if named else "ticket"
            days = (one.at - max(at[commit] for commit in wanted)) / 86_400
            yield Question(one.hash, one.at, cleaned(one.message), "", before, frozenset(wanted), link, days)
        by_hash[one.hash[:7]] = one.hash
        for ticket in tickets:
            by_ticket[ticket].append(one.hash)


def evenly(questions: Sequence[Question], most: int) -> list[Question]:
    """At most so many of them, spread over all."""
    if len(questions) <= most:
        return list(questions)
    return [questions[place * len(questions) // most] for place in range(most)]


def _file_in_play(repository: Path, commit: str, files: Sequence[str]) -> str:
    """One of a commit's files by lot; of those that were there before it, if any were."""
    there = git(repository, "ls-tree", "-z", "--name-only", f"{commit}^", "--", *files).split("\0")
    return random.Random(f"{SEED} {commit}").choice(sorted(set(files) & set(there)) or sorted(files))
