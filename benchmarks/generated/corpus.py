"""Memories and questions from a seed: words with Zipf's frequencies, identifiers, hot and cold files."""

from __future__ import annotations

import random
from itertools import accumulate
from typing import TYPE_CHECKING

from benchmarks.generated import SEED
from holloway.domain.memory import Draft, MemoryType, Source
from holloway.domain.memory_details import CausalDependency, DeadEnd, Decision, ErrorFix

if TYPE_CHECKING:
    from holloway.domain.memory_details import Details

WORDS = 20_000
IDENTIFIERS = 6_000
FILES = 4_000
QUERY_KINDS = ("identifiers", "rare words", "common words", "mixed")

HEAD = (
    "request test client server value cache error user config state file path module function call type build data "
    "query index session token event worker queue message schema table column key field model view handler route "
    "response header body cookie database connection pool transaction lock thread process signal timeout retry limit "
    "batch stream buffer parser lexer node tree graph edge symbol import export package version release branch commit "
    "merge deploy container image volume network port socket proxy gateway login password account role permission "
    "policy audit log metric trace alert dashboard page button form input label theme layout component hook effect "
    "render store reducer action selector payload encoder decoder format locale currency amount invoice order cart "
    "payment refund customer address shipment stock price discount tax rate window cursor offset shard replica leader "
    "follower quorum snapshot backup restore migration seed fixture mock stub assertion coverage benchmark profile"
).split()
SYLLABLES = "ba con der fil gra hol in jor kel lum mar nex or pra quil ras sten tor ul ven wick yar zet".split()
ERRORS = "TimeoutError KeyError ConnectionResetError IntegrityError TypeError OperationalError ENOENT E0277".split()
FOLDERS = "api auth billing cache core db editor events export front graph hooks jobs mail map panel queue sync".split()
SENTENCES = {
    MemoryType.GOTCHA: "Never call `{i}` from {f} while the {w} {w} is {w}: the {w} of the {w} then loses its {w}.",
    MemoryType.DECISION: "We chose the {w} {w} over a {w} {w} for `{i}`, because the {w} must not wait for the {w}.",
    MemoryType.PATTERN: "Every {w} of the {w} goes through `{i}` in {f}; the {w} {w} is added by `{i}`.",
    MemoryType.ERROR_PATTERN: "{e} in `{i}` means that the {w} {w} has no {w}; set the {w} and run the {w} again.",
    MemoryType.MODULE_INSIGHT: "The {w} {w} lives in {f}: `{i}` reads the {w}, `{i}` writes the {w} of each {w}.",
    MemoryType.DEAD_END: "We tried to {w} the {w} with `{i}`; the {w} {w} broke under {w}, so the {w} stayed.",
    MemoryType.CAUSAL_DEPENDENCY: "When `{i}` in {f} changes, the {w} of {f} must be built again or the {w} is stale.",
    MemoryType.REQUIREMENT: "The {w} {w} must answer within {n} ms, even while `{i}` holds the {w} of a {w}.",
}
SHARES = (30, 14, 10, 14, 12, 6, 8, 6)
MORE = (
    " It shows only with a {w} {w} of more than {n} {w}.",
    " The {w} {w} in `{i}` has the same {w}.",
    " See the {w} that {f} keeps for each {w}.",
    " Without the {w} the {w} {w} fails with {e}.",
)
SOURCES = (Source.USER_TAUGHT, Source.AGENT_EXPLICIT, Source.OBSERVER_INFERRED, Source.ERROR_FIX, Source.COMMIT_AUTO)
SOURCE_SHARES = (30, 25, 25, 15, 5)


class Corpus:
    """Memories that read like real ones, the same for the same seed: Zipf's words, identifiers, hot and cold files."""

    def __init__(self, seed: int = SEED) -> None:
        self.random = random.Random(seed)
        self.words = [*HEAD, *self._coined(WORDS - len(HEAD))]
        self._word_weights = _zipf(WORDS, 2.7)
        self.identifiers = list(dict.fromkeys(self._identifier() for _ in range(IDENTIFIERS)))
        self._identifier_weights = _zipf(len(self.identifiers), 10.0)
        self.files = list(dict.fromkeys(self._file() for _ in range(FILES)))
        self._file_weights = _zipf(len(self.files), 5.0)

    def _coined(self, number: int) -> list[str]:
        words: dict[str, None] = {}
        while len(words) < number:
            words["".join(self.random.choices(SYLLABLES, k=self.random.randint(2, 4)))] = None
        return list(words)

    def _identifier(self) -> str:
        parts = self.random.sample(HEAD, self.random.randint(2, 3))
        if self.random.random() < 0.4:
            parts[0] = self.random.choice(self.words)
        camel = parts[0] + "".join(part.capitalize() for part in parts[1:])
        return self.random.choice(("_".join(parts), camel, camel[0].upper() + camel[1:]))

    def _file(self) -> str:
        folder, part = self.random.choice(FOLDERS), self.random.choice(HEAD)
        return f"src/{folder}/{part}/{self.random.choice(self.words)}_{self.random.choice(HEAD)}.py"

    def word(self) -> str:
        """A word, as often as its rank says."""
        return self.random.choices(self.words, cum_weights=self._word_weights)[0]

    def identifier(self) -> str:
        """A name from the code."""
        return self.random.choices(self.identifiers, cum_weights=self._identifier_weights)[0]

    def file(self) -> str:
        """A file, the hot ones more often."""
        return self.random.choices(self.files, cum_weights=self._file_weights)[0]

    def filled(self, sentence: str) -> str:
        """A sentence with words in its gaps."""
        makers = {"w": self.word, "i": self.identifier, "f": self.file}
        makers |= {"e": lambda: self.random.choice(ERRORS), "n": lambda: str(self.random.randint(2, 900))}
        pieces = sentence.split("{")
        return pieces[0] + "".join(makers[piece[0]]() + piece[2:] for piece in pieces[1:])

    def draft(self) -> Draft:
        """The next memory."""
        kind = self.random.choices(list(SENTENCES), weights=SHARES)[0]
        content = self.filled(SENTENCES[kind] + "".join(self.random.sample(MORE, self.random.randint(0, 2))))
        files = tuple(self.file() for _ in range(self.random.choices((0, 1, 2, 3), weights=(15, 50, 25, 10))[0]))
        return Draft(
            content=content,
            type=kind,
            details=self._details(kind),
            files=files,
            modules=(files[0].rsplit("/", 1)[0],) if files else (),
            tags=tuple(self.random.sample(HEAD[:60], self.random.randint(0, 2))),
            source=self.random.choices(SOURCES, weights=SOURCE_SHARES)[0],
            session=f"session-{self.random.randint(1, 2_000)}",
        )

    def _details(self, kind: MemoryType) -> Details | None:
        if kind is MemoryType.DECISION:
            return Decision(self.filled("The {w} {w} is read by every {w}"), (self.word(), self.word()))
        if kind is MemoryType.ERROR_PATTERN:
            return ErrorFix(
                self.filled("{e}: the {w} of {i} is not a {w}"), self.filled("set the {w} {w}"), "make test"
            )
        if kind is MemoryType.DEAD_END:
            return DeadEnd(self.filled("{w} the {w} with {i}"), self.filled("the {w} broke under {w}"))
        return CausalDependency(self.file(), self.file()) if kind is MemoryType.CAUSAL_DEPENDENCY else None

    def query(self, kind: str) -> str:
        """A question of one to six words."""
        size = self.random.randint(1, 6)
        if kind == "identifiers":
            return " ".join(self.identifier() for _ in range((size + 1) // 2))
        if kind == "rare words":
            return " ".join(self.random.choices(self.words[len(self.words) // 10 :], k=size))
        if kind == "common words":
            return " ".join(self.random.choices(HEAD[:60], k=size))
        question = self.filled("why does {w} {i} {w} in {f}, {w} or {w}?")
        return " ".join(question.split()[:size] if size > 3 else (self.word() for _ in range(size)))


def _zipf(size: int, shift: float) -> list[float]:
    return list(accumulate(1 / (rank + shift) for rank in range(1, size + 1)))
