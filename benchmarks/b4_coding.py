"""B4, coding memories: from a commit's message to the earlier commits that its developers tied it to.

python -m benchmarks.b4_coding --repos DIR [--only REPO] [--sample N] [--json OUT]
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np

import holloway
from benchmarks import baselines, checkout
from benchmarks.b4_conversations import chance_of, difference, macro, mean_of
from benchmarks.baselines import Commit, ranked, recall_at
from benchmarks.checkout import checkout_of, git
from benchmarks.peers.simple import DENSE_SHARE, DEPTH, RRF_K, DenseSearch, RankFusion, ScoreFusion, TextSearch
from benchmarks.peers.system import Turn
from benchmarks.report import shown
from holloway.config import CONTENT_BYTES_MAX
from holloway.domain.memory import Draft, Memory, MemoryType, Source
from holloway.embeddings import passage
from holloway.embeddings.builtin import Builtin
from holloway.embeddings.choice import Choice
from holloway.retrieval import candidates, diversity, fusion, neighbourhood, rank
from holloway.retrieval.fusion import Fusion
from holloway.retrieval.query import QueryKind
from holloway.retrieval.recall import Means, recall
from holloway.service import searching
from holloway.store.intake import admit
from holloway.testing import FakeClock
from holloway.text import kind
from holloway.text import query as words

if TYPE_CHECKING:
    from holloway.domain.ports import Embedder, Vectors
    from holloway.retrieval.candidates import Meaning
    from holloway.retrieval.query import Query
    from holloway.service.holloway import Holloway
    from holloway.store.filter import Filter
    from holloway.store.store import Store

REPOSITORIES = {
    "django": "django/django",
    "sqlalchemy": "sqlalchemy/sqlalchemy",
    "tools": "golang/tools",
    "junit5": "junit-team/junit5",
    "delve": "go-delve/delve",
    "core": "vuejs/core",
}
"""Whose developers name tickets and commits often; flask, requests, gson, ripgrep and hono give too few questions."""
LOG_MAX = 9_000
"""Commits of a repository that are read, the newest; most repositories lose half of them to the rules below."""
MEMORIES_MAX = 3_000
QUESTIONS_MAX = 150
ASKED_SHARE = 0.4
"""The last part of the memories, whose commits are asked about; what comes before is only known."""
WANTED_MAX = 10
LINKS = ("ticket", "hash", "revert")
WORDS_MIN = 3
LIMIT = 10
ROUNDING = 1e-9
SEED = baselines.SEED
FULL = "full, as shipped"
FAR_DAYS = 30
"""Links within days are what a sprint leaves behind, and favour whatever favours the new; these are looked at apart."""
TASKS = {"message": "the message alone", "file": "the message with one of its files in play"}

HOW = [
    "Memories are the newest 3,000 commits of a repository at most, in time order: no merges, machines or releases, 1 "
    "to 10 source files, the message without trailers, links, hashes and the numbers of tickets, with the files, the "
    "date and the commit. The same words count once.",
    "Questions are messages of the last 40 % of these commits, at most 150 a repository, evenly chosen, without "
    "numbers as well. Wanted are the earlier commits to which the developers tied them: the same ticket, or a hash in "
    "the message (also of what it reverts); at most ten. A repository counts from 40 questions.",
    "A question sees the memories before it and no others; the clock stands at its time. The second task puts one of "
    "its files in play, drawn by lot among those that were there before.",
    "There is one code map a repository, of the commit before its first question. How much of a memory's files changed "
    "since is asked of git for the commit before the question.",
    "Recall@10 is the share of wanted commits among the first ten; MRR@10 is one over the place of the first. Columns "
    "of repositories are recall; means weigh repositories alike; intervals are the middle 95 % of 2,000 bootstrap "
    "means, each repository resampled by itself. p: a paired permutation test against the full pipeline (10,000 random "
    "signs).",
    "Simple programs see the text that holloway embeds (type, module, files, message). FTS5 is SQLite's with the "
    f"Porter stemmer; dense is the built-in model; RRF (k {RRF_K}) and the convex mix ({DENSE_SHARE:.0%} dense) fuse "
    f"the first {DEPTH} of both.",
    f"Half of the links lie within days, which favours what is new: tables of links over {FAR_DAYS} days or more (the "
    "newest that is wanted is as old) show what stays without that.",
    "All memories have one source and no phase, so that trust and phase cannot matter here. Many variants are compared "
    "on the same questions: one p under 0.05 among forty is to be expected.",
]

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

Change = tuple[ModuleType, str, object]
"""A constant of a module, and what it is while something is measured."""


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


@dataclass(frozen=True, slots=True)
class CodingSet:
    """One repository's memories in time order, and what is asked about them."""

    name: str
    memories: tuple[Past, ...]
    questions: tuple[Question, ...]


def main() -> None:
    """Measure and print; write JSON if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repos", type=Path, help="folder with clones of the repositories, history included")
    parser.add_argument("--only", choices=tuple(REPOSITORIES), action="append", default=[], help="these repositories")
    parser.add_argument("--sample", type=int, default=1, help="every n-th question only")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    result = run(options.repos, sample=options.sample, names=options.only or list(REPOSITORIES))
    for table in result["tables"]:
        print(table["title"])
        for row in [table["columns"], *table["rows"]]:
            print("  ", "  ".join(map(shown, row)))
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def run(repos: Path | None, *, sample: int = 1, names: Sequence[str] = tuple(REPOSITORIES)) -> dict[str, Any]:
    """Every figure, by repository."""
    folder = checkout.need(repos, {name: REPOSITORIES[name] for name in names})
    return _result([_measured_one(folder / name, name, sample) for name in names])


def _measured_one(repository: Path, name: str, sample: int) -> Measured:
    print(f"  {name} ...", flush=True)
    embedder = Kept(Builtin(), checkout.cache_folder() / f"b4_{name}_vectors.npz")
    with closing(embedder):
        return measured(repository, coding_set(repository, name, sample), embedder)


def coding_set(repository: Path, name: str, sample: int = 1) -> CodingSet:
    """The newest commits of a repository as memories, with the questions that its developers' links make."""
    commits = told(baselines.log(repository, "HEAD", f"--max-count={LOG_MAX}"))
    memories = tuple(Past(one.hash, one.at, cleaned(one.message), one.files) for one in commits)
    linked = evenly(list(links(commits)), QUESTIONS_MAX)[::sample]
    questions = [replace(one, file=_file_in_play(repository, one.commit, memories[one.before].files)) for one in linked]
    return CodingSet(name, memories, tuple(questions))


def told(commits: Iterable[Commit]) -> list[Commit]:
    """The newest commits that a person wrote about a few source files, in time order; the same words count once."""
    seen: set[str] = set()
    kept = []
    for one in sorted(commits, key=lambda one: one.at):
        said = " ".join(_WORD.findall(cleaned(one.message).lower()))
        if one.counts and not _MACHINE.search(one.message) and said.count(" ") + 1 >= WORDS_MIN and said not in seen:
            seen.add(said)
            kept.append(one)
    return kept[-MEMORIES_MAX:]


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
        shared = {commit for ticket in tickets for commit in by_ticket[ticket]}
        if before >= (1 - ASKED_SHARE) * len(commits) and 1 <= len(named | shared) <= WANTED_MAX:
            link = "revert" if _REVERT.search(said) else "hash" if named else "ticket"
            days = (one.at - max(at[commit] for commit in named | shared)) / 86_400
            yield Question(one.hash, one.at, cleaned(one.message), "", before, frozenset(named | shared), link, days)
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


class Kept:
    """An embedder that reads from a file what it has embedded in an earlier run."""

    def __init__(self, inner: Embedder, file: Path) -> None:
        self._inner = inner
        self._file = file
        self._known: dict[str, Vectors] = {}
        self._new = 0
        if file.exists():
            with np.load(file) as kept:
                self._known = dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))

    @property
    def model(self) -> str:
        """The model behind it."""
        return self._inner.model

    @property
    def dims(self) -> int:
        """How many numbers a vector has."""
        return self._inner.dims

    @property
    def related_from(self) -> float:
        """The cosine from which two texts have to do with each other."""
        return self._inner.related_from

    def embed(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        """One row for each text."""
        keys = [self._key(text, is_query) for text in texts]
        missing = [place for place, key in enumerate(keys) if key not in self._known]
        if missing:
            self._new += len(missing)
            vectors = self._inner.embed([texts[place] for place in missing], is_query=is_query)
            self._known.update(zip((keys[place] for place in missing), vectors, strict=True))
        return np.stack([self._known[key] for key in keys])

    def _key(self, text: str, is_query: bool) -> str:
        return blake2b(f"{self.model}\0{is_query}\0{text}".encode(), digest_size=16).hexdigest()

    def close(self) -> None:
        """Write down what is new."""
        if self._new:
            np.savez(self._file, keys=np.array(list(self._known)), vectors=np.stack(list(self._known.values())))


class Rewritten:
    """How much of the files of memories changed between their commit and the one before a question.

    The service asks git about twenty commits a question and keeps the answers while HEAD stands; here HEAD moves with
    every question, so all that are asked for are answered.
    """

    def __init__(self, repository: Path, commit: str, known: dict[str, dict[str, float]]) -> None:
        self._repository = repository
        self._before = git(repository, "rev-parse", f"{commit}^").strip()
        self._known = known

    def __call__(self, memories: Sequence[Memory]) -> Mapping[str, Mapping[str, float]]:
        """By the memory's id and path; 1 where the file is gone."""
        missing = [memory for memory in memories if self._key(memory) not in self._known]
        lines = self._lines(sorted({path for memory in missing for path in memory.files})) if missing else {}
        for memory in missing:
            self._known[self._key(memory)] = self._shares(memory, lines)
        return {memory.id: self._known[self._key(memory)] for memory in memories}

    def _key(self, memory: Memory) -> str:
        return f"{self._before[:16]} {memory.commit[:16]}"

    def _lines(self, paths: Sequence[str]) -> dict[str, int]:
        empty = git(self._repository, "hash-object", "-t", "tree", "/dev/null").strip()
        return self._changed(empty, paths)

    def _shares(self, memory: Memory, lines: Mapping[str, int]) -> dict[str, float]:
        changed = self._changed(memory.commit, memory.files)
        return {
            path: min(changed.get(path, 0) / (2 * lines[path]), 1.0) if lines.get(path) else 1.0
            for path in memory.files
        }

    def _changed(self, since: str, paths: Sequence[str]) -> dict[str, int]:
        """Lines that were added or removed."""
        asked = ("diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", since, self._before, "--", *paths)
        rows = (row.split("\t") for row in git(self._repository, *asked).split("\0") if row)
        return {path: int(added) + int(removed) for added, removed, path in rows if added != "-"}


@dataclass(frozen=True, slots=True)
class Caught:
    """A question on its way through the service, with all that recall would get."""

    store: Store
    query: Query
    chosen: Filter
    means: Means


@dataclass(frozen=True, slots=True)
class Variant:
    """The pipeline with something changed."""

    means: Callable[[Means], Means] = lambda means: means
    changes: tuple[Change, ...] = ()

    @property
    def is_shipped(self) -> bool:
        """Whether its constants are those that are in the modules anyway."""
        return bool(self.changes) and all(getattr(module, name) == value for module, name, value in self.changes)

    def ask(self, caught: Caught) -> list[str]:
        """The commits of the memories that it finds."""
        with ExitStack() as stack:
            for module, name, value in self.changes:
                stack.enter_context(mock.patch.object(module, name, value))
            found = recall(caught.store, caught.query, caught.chosen, LIMIT, self.means(caught.means))
        return [result.memory.commit for result in found]


def without(stage: str) -> Variant:
    """The pipeline without a stage that can be switched off."""
    return Variant(lambda means: replace(means, stages=means.stages - {stage}))


def constant(module: ModuleType, **values: object) -> Variant:
    """The pipeline with other constants in one of its modules."""
    return Variant(changes=tuple((module, name, value) for name, value in values.items()))


def weights(*, dense: float | None = None, graph: float | None = None) -> Variant:
    """Fusion with the same shares for every kind of question: dense out of words and meaning, graph beside both."""
    table = {}
    for query_kind, row in fusion.WEIGHTS.items():
        both = row["text"] + row["dense"]
        share = row["dense"] / both if dense is None else dense
        beside = row["graph"] if graph is None else both * graph
        table[query_kind] = {"text": both * (1 - share), "dense": both * share, "graph": beside}
    return constant(fusion, WEIGHTS=table)


STAGES = {
    "without dense": Variant(lambda means: replace(means, meaning=None)),
    "without text": constant(candidates, TEXT_MAX=0),
    "without graph (places)": Variant(lambda means: replace(means, places={})),
    "only the file itself, no neighbours": Variant(
        lambda means: replace(means, places={path: near for path, near in means.places.items() if near == 1.0})
    ),
    "without neighbourhood": without("neighbourhood"),
    "without weights": without("weights"),
    "without recency": constant(rank, RECENCY_SHARE=0.0),
    "without confidence": constant(rank, CONFIDENCE_SHARE=0.0),
    "without staleness": Variant(lambda means: replace(means, changed=None)),
    "without difference": without("difference"),
    "without kinds of questions": constant(
        fusion, WEIGHTS=dict.fromkeys(QueryKind, fusion.WEIGHTS[QueryKind.SEMANTIC])
    ),
    "without the structural kind": constant(
        fusion, WEIGHTS=fusion.WEIGHTS | {QueryKind.STRUCTURAL: fusion.WEIGHTS[QueryKind.SEMANTIC]}
    ),
    "fusion by ranks": Variant(lambda means: replace(means, fusion=Fusion.RANKS)),
    "fused scores and nothing after": Variant(lambda means: replace(means, stages=frozenset())),
}
CONSTANTS = {
    **{f"dense share {share}": weights(dense=share) for share in (0.3, 0.5, 0.7)},
    **{f"graph weight {weight}": weights(graph=weight) for weight in (0.0, 0.15, 0.3, 0.6)},
    **{f"neighbourhood boost {boost}": constant(neighbourhood, BOOST=boost) for boost in (0.0, 0.05, 0.1, 0.2, 0.3)},
    **{f"relevance share {share}": constant(diversity, RELEVANCE_SHARE=share) for share in (0.7, 0.8, 0.9, 1.0)},
    **{f"recency share {share}": constant(rank, RECENCY_SHARE=share) for share in (0.0, 0.1, 0.2, 0.3)},
    **{f"changed share {share}": constant(rank, CHANGED_SHARE=share) for share in (0.0, 0.15, 0.3)},
    **{f"confidence share {share}": constant(rank, CONFIDENCE_SHARE=share) for share in (0.0, 0.1, 0.2)},
    **{f"query terms {most}": constant(words, QUERY_TERMS_MAX=most) for most in (16, 32, 64, 128)},
}
VARIANTS = {FULL: Variant(), **STAGES, **CONSTANTS}


def catch(memory: Holloway, text: str, files: Sequence[str]) -> Caught:
    """Ask as a user would, and take what the service hands to recall."""
    caught: list[Caught] = []

    def keep(store: Store, query: Query, chosen: Filter, limit: int, means: Means) -> list[Any]:
        caught.append(Caught(store, query, chosen, means))
        return []

    with mock.patch.object(searching, "recall", keep):
        memory.recall(text, limit=LIMIT, files=files)
    (only,) = caught
    return only


def teach(memory: Holloway, past: Past) -> Turn:
    """A memory as `remember` would make it of a commit; only that the commit and its files are those of its day.

    Returns it as simple programs see it: the text that is embedded, with files and module before the message.
    """
    draft = Draft(
        content=past.text,
        type=kind.infer(past.text) or MemoryType.PREFERENCE,
        files=past.files,
        modules=tuple(filter(None, [memory.map.module_of(past.files[0])])),
        source=Source.COMMIT_AUTO,
        commit=past.commit,
    )
    kept = memory.store.memories.add(admit(draft, str(memory.project.root))).memory
    assert kept is not None, f"{past.commit} was not kept"
    return Turn(past.commit, "", passage.of_memory(kept))


@contextmanager
def opened(repository: Path, coded: CodingSet, clock: FakeClock, embedder: Embedder) -> Iterator[Holloway]:
    """An empty memory beside a map of the repository as it was before the first question."""
    cached = checkout.cache_folder() / f"b4_{coded.name}_{coded.questions[0].commit[:12]}.map"
    with (
        checkout_of(repository, checkout.cache_folder() / f"b4_{coded.name}") as place,
        TemporaryDirectory(prefix="holloway-b4-") as home,
    ):
        place.move(f"{coded.questions[0].commit}^")
        with holloway.open(place.root, home=home, clock=clock) as memory:
            memory.searching.choice = Choice(embedder)
            if cached.exists():
                shutil.copy(cached, memory.map.path)
            memory.map.update(workers=1)
            assert memory.map.is_ready, f"{coded.name} has no map"
            if not cached.exists():
                memory.map.database.run("VACUUM INTO ?", (str(cached),))
            yield memory


def answers(memory: Holloway, question: Question, rewritten: Rewritten, task: str) -> dict[str, list[str]]:
    """What every variant finds."""
    while memory.searching.to_embed():
        catch(memory, "catch up", [])
    caught = catch(memory, question.text, [question.file] if task == "file" else [])
    around = caught.means.around
    near = cache(lambda paths: around(paths)) if around else None
    means = replace(caught.means, changed=rewritten, around=near and (lambda paths: near(tuple(paths))))
    with read_once(caught.store):
        full = VARIANTS[FULL].ask(replace(caught, means=means))
        return {
            name: full if variant.is_shipped else variant.ask(replace(caught, means=means))
            for name, variant in VARIANTS.items()
        }


@contextmanager
def read_once(store: Store) -> Iterator[None]:
    """Let the variants of one question share what each of them would read anew."""
    collected, many = candidates.collected, store.memories.many
    lists: dict[object, dict[str, dict[int, float]]] = {}
    known: dict[int, Memory] = {}

    def collected_once(
        store: Store, query: Query, chosen: Filter, meaning: Meaning | None, places: Mapping[str, float]
    ) -> dict[str, dict[int, float]]:
        key = (meaning is None, tuple(places), candidates.TEXT_MAX, vars(words)["QUERY_TERMS_MAX"])
        if key not in lists:
            lists[key] = collected(store, query, chosen, meaning, places)
        return lists[key]

    def many_once(seqs: list[int]) -> dict[int, Memory]:
        known.update(many([seq for seq in seqs if seq not in known]))
        return {seq: known[seq] for seq in seqs}

    with (
        mock.patch.object(candidates, "collected", collected_once),
        mock.patch.object(store.memories, "many", many_once),
    ):
        yield


class Simple:
    """What simple programs find in the same texts."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._fusions = {f"RRF (k {RRF_K})": RankFusion(embedder), f"convex {DENSE_SHARE}": ScoreFusion(embedder)}

    def answers(self, memories: Sequence[Past], turns: Sequence[Turn], question: Question) -> dict[str, list[str]]:
        """By the name of the program; all of them see the memories before the question and nothing else."""
        with closing(TextSearch()) as text, closing(DenseSearch(self._embedder)) as dense:
            text.ingest(turns)
            dense.ingest(turns)
            by_words, by_meaning = text.scores(question.text, DEPTH), dense.scores(question.text, DEPTH)
        newest = list(reversed(memories))
        return {
            "newest first": [past.commit for past in newest],
            "on the same file, newest first": [past.commit for past in newest if question.file in past.files],
            "FTS5": ranked(by_words),
            "dense": ranked(by_meaning),
            **{name: ranked(one.fused(by_words, by_meaning)) for name, one in self._fusions.items()},
        }

    def close(self) -> None:
        """Let go of the databases."""
        for one in self._fusions.values():
            one.close()


@dataclass(slots=True)
class Measured:
    """What one repository gave: by task, then measure, then who was asked, the score of each question in turn."""

    coded: CodingSet
    scores: dict[str, dict[str, dict[str, list[float]]]] = field(
        default_factory=lambda: {task: {measure: defaultdict(list) for measure in MEASURES} for task in TASKS}
    )

    def note(self, task: str, found: Mapping[str, Sequence[str]], wanted: frozenset[str]) -> None:
        """Score the answers to one question."""
        for name, commits in found.items():
            for measure, score in MEASURES.items():
                self.scores[task][measure][name].append(score(commits, wanted))


def measured(repository: Path, coded: CodingSet, embedder: Embedder) -> Measured:
    """Live through a repository's history: learn, ask, learn on."""
    done, clock, turns = Measured(coded), FakeClock(datetime.fromtimestamp(coded.memories[0].at, UTC)), list[Turn]()
    changed = _Changes(checkout.cache_folder() / f"b4_{coded.name}_changes.json")
    with closing(changed), closing(Simple(embedder)) as simple, opened(repository, coded, clock, embedder) as memory:
        for question in coded.questions:
            for past in coded.memories[len(turns) : question.before]:
                _until(clock, past.at)
                turns.append(teach(memory, past))
            _until(clock, question.at)
            rewritten = Rewritten(repository, question.commit, changed.known)
            found = {task: answers(memory, question, rewritten, task) for task in TASKS}
            simply = simple.answers(coded.memories[: question.before], turns, question)
            for task in TASKS:
                done.note(task, simply | found[task], question.wanted)
    return done


def reciprocal_rank(found: Sequence[str], wanted: Iterable[str]) -> float:
    """One over the place of the first that is wanted, nothing beyond the limit."""
    places = [place for place, one in enumerate(found[:LIMIT], start=1) if one in set(wanted)]
    return 1 / places[0] if places else 0.0


MEASURES: dict[str, Callable[[Sequence[str], frozenset[str]], float]] = {
    "recall": partial(recall_at, LIMIT),
    "MRR": reciprocal_rank,
}


def _until(clock: FakeClock, at: float) -> None:
    clock.advance(seconds=max(0.0, at - clock.now().timestamp()))


class _Changes:
    """What git said about changed files, from one run to the next."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.known: dict[str, dict[str, float]] = json.loads(file.read_text()) if file.exists() else {}

    def close(self) -> None:
        """Write it down."""
        self._file.write_text(json.dumps(self.known))


def _result(done: Sequence[Measured]) -> dict[str, Any]:
    tables = [_sets(done)]
    for task, title in TASKS.items():
        simple = [name for name in done[0].scores[task]["recall"] if name not in VARIANTS]
        tables += [
            _table(f"Against simple programs: {title}", View(done, task), simple),
            _table(f"Stages: {title}", View(done, task), STAGES),
            _table(f"Constants: {title}", View(done, task), CONSTANTS),
            _table(
                f"Links over {FAR_DAYS} days or more: {title}",
                View(done, task, FAR_DAYS),
                [*simple, *STAGES, *CONSTANTS],
            ),
        ]
    return {
        "title": "B4: coding memories",
        "question": "Which of a project's past changes does a new one hang together with?",
        "how": HOW,
        "seed": SEED,
        "targets": [],
        "tables": [table for table in tables if table["rows"]],
        "figures": {one.coded.name: _means(one) for one in done},
    }


def _sets(done: Sequence[Measured]) -> dict[str, Any]:
    rows = []
    for coded in (one.coded for one in done):
        asked = coded.questions
        links = Counter(question.link for question in asked)
        far = sum(question.days >= FAR_DAYS for question in asked)
        wanted = sum(len(question.wanted) for question in asked) / len(asked)
        rows.append([coded.name, len(coded.memories), len(asked), *(links[link] for link in LINKS), far, wanted])
    columns = [
        "repository",
        "memories",
        "questions",
        *(f"by {link}" for link in LINKS),
        f"over {FAR_DAYS} days",
        "wanted, mean",
    ]
    return {"title": "What is asked", "columns": columns, "rows": rows}


@dataclass(frozen=True, slots=True)
class View:
    """The scores of one task, of those questions whose links reach back so many days."""

    done: Sequence[Measured]
    task: str
    days: float = 0.0

    @property
    def repositories(self) -> list[str]:
        """Those that have such questions."""
        return [self.done[place].coded.name for place in self.of("recall", FULL)]

    def of(self, measure: str, name: str) -> dict[int, list[float]]:
        """One system's scores by the place of the repository."""
        found = {
            place: [
                score
                for score, question in zip(one.scores[self.task][measure][name], one.coded.questions, strict=True)
                if question.days >= self.days
            ]
            for place, one in enumerate(self.done)
        }
        return {place: scores for place, scores in found.items() if scores}

    def gain(self, measure: str, name: str) -> dict[int, list[float]]:
        """How much better than the full pipeline it does on each question."""
        return difference(self.of(measure, name), self.of(measure, FULL))


def _table(title: str, view: View, names: Iterable[str]) -> dict[str, Any]:
    measures = [cell for measure in MEASURES for cell in (f"{measure}@{LIMIT}", "against full (95 % interval)", "p")]
    columns = ["", *view.repositories, *measures, "repositories better", "worse"]
    rows = [_row(view, name) for name in (FULL, *names)] if view.repositories else []
    return {"title": title, "columns": columns, "rows": rows}


def _row(view: View, name: str) -> list[Any]:
    cells: list[Any] = [name, *(f"{sum(values) / len(values):.3f}" for values in view.of("recall", name).values())]
    for measure in MEASURES:
        cells += [f"{mean_of(view.of(measure, name)):.3f}", *_against(view.gain(measure, name), name)]
    gains = [0.0 if name == FULL else sum(values) for values in view.gain("recall", name).values()]
    return [*cells, sum(gain > ROUNDING for gain in gains), sum(gain < -ROUNDING for gain in gains)]


def _against(gain: dict[int, list[float]], name: str) -> list[str]:
    if name == FULL:
        return ["", ""]
    more = macro(gain)
    return [f"{more.mean:+.3f} ({more.low:+.3f} to {more.high:+.3f})", f"{chance_of(gain):.3f}"]


def _means(one: Measured) -> dict[str, Any]:
    return {
        task: {
            measure: {name: sum(values) / len(values) for name, values in systems.items()}
            for measure, systems in measures.items()
        }
        for task, measures in one.scores.items()
    }


if __name__ == "__main__":
    main()
