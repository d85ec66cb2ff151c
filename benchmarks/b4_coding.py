"""B4, coding memories: from a commit's message to the earlier commits that its developers tied it to.

python -m benchmarks --only b4_coding --repos DIR --data DIR
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import holloway
from benchmarks import checkout, coding_result
from benchmarks.ablation import FULL, LIMIT, VARIANTS, WAYS, answers, catch
from benchmarks.b4_conversations import Dialogue, measured_on
from benchmarks.baselines import rank_keys
from benchmarks.checkout import checkout_of, git
from benchmarks.coding_result import FAR_DAYS, Measured
from benchmarks.coding_set import MEMORIES_MAX, CodingSet, Past, Question, coding_set
from benchmarks.kept import Kept
from benchmarks.peers.own import OwnMemory
from benchmarks.peers.simple import DENSE_SHARE, DEPTH, RRF_K, DenseSearch, RankFusion, ScoreFusion, TextSearch
from benchmarks.peers.system import Turn
from benchmarks.rewritten import Rewritten
from benchmarks.scoring import SEED, Recalls, recall_at
from holloway.domain.memory import Draft, Source
from holloway.embeddings import backfill
from holloway.embeddings.builtin_model import BuiltinEmbedder
from holloway.embeddings.provider_choice import EmbedderChoice
from holloway.promotion import taught_memory
from holloway.store.write_gate import sanitize_draft
from holloway.testing import FakeClock

if TYPE_CHECKING:
    from holloway.domain.ports import Embedder
    from holloway.service.holloway import Holloway

TUNED = ("django", "delve", "core")
"""Repositories on which weights and defaults were chosen."""
CONFIRMED = ("sqlalchemy", "tools", "junit5")
"""Repositories that were only looked at afterwards."""
REPOSITORIES = TUNED + CONFIRMED
QUICK_MEMORIES = 250
FOR_NAMES = {
    name: variant
    for name, variant in VARIANTS.items()
    if name in (FULL, *WAYS, "without kinds") or name.startswith("meaning")
}
"""The variants that can matter to names asked alone."""

HOW = [
    "Memories are the newest 3,000 commits of a repository at most, in time order: no merges, machines or releases, 1 "
    "to 10 source files, the message without trailers, links, hashes and the numbers of tickets, with the files, the "
    "date and the commit. The same words count once.",
    "Questions are messages of the last 40 % of these commits, at most 70 a repository, evenly chosen, without "
    "numbers as well. Wanted are the earlier commits to which the developers tied them: the same ticket, or a hash in "
    "the message (also of what it reverts); at most ten.",
    "A question sees the memories before it and no others; the clock stands at its time. The second task puts one of "
    "its files in play, drawn by lot among those that were there before; the third asks with names alone.",
    "There is one code map a repository, of the commit before its first question. How much of a memory's files changed "
    "since is counted at the commit before the question.",
    f"Recall@{LIMIT} is the share of wanted commits among the first ten; MRR@{LIMIT} is one over the place of the "
    "first. Means weigh repositories alike; intervals are the middle 95 % of 2,000 bootstrap means, each repository "
    "resampled by itself. p: a paired permutation test against the full pipeline (10,000 random signs).",
    "Simple programs see the text that holloway embeds (type, module, files, message). FTS5 is SQLite's with the "
    "Porter stemmer; with names split, the parts of identifiers are words as well, which the fused ones have too; "
    f"dense is the built-in model; RRF (k {RRF_K}) and the convex mix ({DENSE_SHARE:.0%} dense) fuse "
    f"the first {DEPTH} of both.",
    f"Defaults were chosen on {', '.join(TUNED)} and on the conversations; {', '.join(CONFIRMED)} were measured "
    "afterwards, only that the neighbourhood's gain was lowered from 0.3 once sqlalchemy had been seen. "
    f"Half of the links lie within days, which favours what is new: {FAR_DAYS} days or more stand apart.",
    "Stages are taken out one at a time. Figures are what the pipeline gains (+) or loses (-) in recall by the change, "
    "a star marks p under 0.05: of forty changes, two are starred by chance. Conversations are LoCoMo's dialogues, "
    "which have neither files nor days: only words, meaning, fusion and differing can matter there.",
]


def run(
    repos: Path, data: Path | None = None, *, quick: bool = False, names: Sequence[str] = REPOSITORIES
) -> dict[str, Any]:
    """Every figure, by repository; with the data, the stages are tried on conversations too."""
    measurements = [_measured_one(repos / name, name, QUICK_MEMORIES if quick else MEMORIES_MAX) for name in names]
    dialogues = measured_on(data, 5 if quick else 1) if data else []
    return _result(measurements, conversations(dialogues) if dialogues else {})


def _measured_one(repository: Path, name: str, memories: int) -> Measured:
    print(f"  {name} ...", flush=True)
    with closing(Kept(BuiltinEmbedder(), checkout.cache_folder() / f"b4_{name}_vectors.npz")) as embedder:
        return measure_repository(repository, coding_set(repository, name, memories=memories), embedder)


def teach(memory: Holloway, past: Past) -> Turn:
    """A memory as `remember` would make it of a commit; only that the commit and its files are those of its day.

    Returns it as simple programs see it: the text that is embedded, with files and module before the message.
    """
    draft = Draft(
        content=past.text,
        type=taught_memory.infer_type(past.text),
        files=past.files,
        modules=tuple(filter(None, [memory.map.module_of(past.files[0])])),
        source=Source.COMMIT_AUTO,
        commit=past.commit,
    )
    stored_memory = memory.store.memories.add_memory(sanitize_draft(draft, str(memory.project.root))).memory
    assert stored_memory is not None, f"{past.commit} was not kept"
    return Turn(past.commit, "", backfill.build_passage(stored_memory))


@contextmanager
def open_memory_before(repository: Path, coded: CodingSet, clock: FakeClock, embedder: Embedder) -> Iterator[Holloway]:
    """Yield an empty memory with a map of the repository as it was before the first question."""
    first = coded.questions[0].commit
    cached = checkout.cache_folder() / f"b4_{coded.name}_{first[:12]}.map"
    with (
        checkout_of(repository, checkout.cache_folder() / f"b4_{coded.name}") as place,
        TemporaryDirectory(prefix="holloway-b4-") as home,
    ):
        place.move(f"{first}^")
        with holloway.open(place.root, home=home, clock=clock) as memory:
            memory.search.choice = EmbedderChoice(embedder)
            if cached.exists():
                shutil.copy(cached, memory.map.path)
            memory.map.update(workers=1)
            assert memory.map.is_ready, f"{coded.name} has no map"
            if not cached.exists():
                memory.map.database.execute("VACUUM INTO ?", (str(cached),))
            yield memory


class Simple:
    """Simple programs that search the same texts."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._fusions = {f"RRF (k {RRF_K})": RankFusion(embedder), f"convex {DENSE_SHARE}": ScoreFusion(embedder)}
        self._text, self._split, self._dense = TextSearch(), TextSearch(split=True), DenseSearch(embedder)

    def learn(self, turns: Sequence[Turn]) -> None:
        """See these memories, and no others any more."""
        self._text.close()
        self._split.close()
        self._text, self._split, self._dense = TextSearch(), TextSearch(split=True), DenseSearch(self._embedder)
        for system in (self._text, self._split, self._dense):
            system.ingest(turns)

    def answers(self, memories: Sequence[Past], question: str, file: str) -> dict[str, list[str]]:
        """By the name of the program."""
        by_words, by_meaning = self._split.scores(question, DEPTH), self._dense.scores(question, DEPTH)
        newest = list(reversed(memories))
        return {
            "newest first": [past.commit for past in newest],
            "on the same file, newest first": [past.commit for past in newest if file in past.files],
            "FTS5": rank_keys(self._text.scores(question, DEPTH)),
            "FTS5, names split": rank_keys(by_words),
            "dense": rank_keys(by_meaning),
            **{name: rank_keys(fusion.fused(by_words, by_meaning)) for name, fusion in self._fusions.items()},
        }

    def close(self) -> None:
        """Let go of the databases."""
        self._text.close()
        self._split.close()
        for fusion in self._fusions.values():
            fusion.close()


def measure_repository(repository: Path, coded: CodingSet, embedder: Embedder) -> Measured:
    """Live through a repository's history: learn, ask, learn on."""
    result, clock, turns = Measured(coded), FakeClock(datetime.fromtimestamp(coded.memories[0].at, UTC)), list[Turn]()
    with (
        closing(Rewritten(repository)) as rewritten,
        closing(Simple(embedder)) as simple,
        open_memory_before(repository, coded, clock, embedder) as memory,
    ):
        for question in coded.questions:
            for past in coded.memories[len(turns) : question.before]:
                _until(clock, past.at)
                turns.append(teach(memory, past))
            _until(clock, question.at)
            while memory.search.to_embed():
                catch(memory, "catch up")
            before = git(repository, "rev-parse", f"{question.commit}^").strip()
            changed = partial(rewritten.shares, now=before)
            simple.learn(turns)
            for task, (text, files) in list_queries(question).items():
                ranked_commits = simple.answers(coded.memories[: question.before], text, question.file)
                caught = catch(memory, text, files)
                means = replace(caught.means, changed=changed)
                variants = answers(replace(caught, means=means), FOR_NAMES if task == "names" else VARIANTS)
                ranked_commits |= {name: [memory.commit for memory in memories] for name, memories in variants.items()}
                result.note(task, ranked_commits, question)
    return result


def list_queries(question: Question) -> dict[str, tuple[str, list[str]]]:
    """By task, the text of the question and the files in play."""
    tasks: dict[str, tuple[str, list[str]]] = {
        "message": (question.text, []),
        "near": (question.text, [question.file]),
    }
    return tasks | ({"names": (question.names, [])} if question.names else {})


def conversations(dialogues: Iterable[Dialogue]) -> dict[str, Recalls]:
    """Every variant on conversations: the recall of each question, by its category."""
    print("  conversations ...", flush=True)
    recalls: dict[str, Recalls] = defaultdict(lambda: defaultdict(list))
    for dialogue in dialogues:
        with closing(OwnMemory()) as our_memory:
            our_memory.ingest(dialogue.turns)
            for question in dialogue.questions:
                for name, memories in answers(catch(our_memory.memory, question.text)).items():
                    turns = our_memory.turns(memories, LIMIT)
                    recalls[name][question.category].append(recall_at(LIMIT, turns, question.wanted))
    return recalls


def _until(clock: FakeClock, at: float) -> None:
    clock.advance(seconds=max(0.0, at - clock.now().timestamp()))


def _result(measurements: Sequence[Measured], dialogues: Mapping[str, Recalls]) -> dict[str, Any]:
    return {
        "title": "B4: coding memories",
        "question": "Which of a project's past changes does a new one hang together with?",
        "how": HOW,
        "seed": SEED,
        "targets": [],
        "tables": coding_result.tables(measurements, dialogues, TUNED),
        "figures": coding_result.figures(measurements, dialogues),
    }
