"""B4: from a question about past conversations to the turns that hold the answer.

python -m benchmarks --only b4_conversations --data DIR --peers DIR
"""

from __future__ import annotations

import json
import re
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.peers.endpoint import serving
from benchmarks.peers.own import OwnMemory
from benchmarks.peers.process import PeerProcess, Product
from benchmarks.peers.simple import DENSE_SHARE, RRF_K, DenseSearch, RankFusion, ScoreFusion, TextSearch
from benchmarks.peers.system import LeftOut, Turn
from benchmarks.scoring import SEED, Recalls, chance_of, difference, estimate, macro, recall_at
from holloway.embeddings.builtin_model import BuiltinEmbedder
from holloway.errors import EmbedderMissing

if TYPE_CHECKING:
    from benchmarks.peers.system import System
    from holloway.domain.ports import Embedder

FILE = "locomo_dev.json"
OWN = "holloway"
LIMIT = 10
DIALOGUES = ("conv-26", "conv-30", "conv-41")
"""Of the data set's ten, those that are measured."""
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open domain", 4: "single hop"}
"""What is asked for; LoCoMo's fifth category asks for what was never said."""
PRODUCTS = (
    Product(
        "mem0",
        "mem0ai",
        '"mem0ai[nlp]==2.2.1" fastembed',
        "turns added with `infer=False`, so no LLM; local Qdrant; its BM25 is on, with spaCy's stop words in place of "
        "the list that it would fetch; its lemmatiser and entities are off, because their spaCy model is not on the "
        "package index",
    ),
    Product(
        "basic_memory",
        "basic_memory",
        "basic-memory==0.23.1",
        "a Markdown note for each turn, `basic-memory reindex`, then its search tool in the default (hybrid) mode; "
        "its Python has to be 3.12 or newer, and one that loads SQLite extensions (measured with pysqlite3 in its "
        "place)",
    ),
    Product(
        "mempalace",
        "mempalace",
        "mempalace==3.11.0",
        "a drawer for each turn, then its search tool with the default strategy",
    ),
)
HOW = [
    "The dialogues of LoCoMo: a turn is one memory, with the speaker before and the caption of a shared picture behind "
    "the words. A question is asked as it stands. Wanted are the turns that hold its evidence; recall@10 is the share "
    "of them among the first ten. Questions without evidence and the adversarial category are left out.",
    "The macro mean weighs the four categories alike. Intervals are the middle 95 % of 2,000 bootstrap means over the "
    "questions, each category resampled by itself.",
    "p: a paired permutation test on the macro mean. If holloway and the other system were alike, their answers to a "
    "question could be exchanged; p is the share of 10,000 random exchanges with a difference as large as this one.",
    "A query is timed from the question to the ids, embedding included, one at a time; peers are other processes, "
    "which costs them a fraction of a millisecond. Ingest is the time to keep all turns of all dialogues, one after "
    "the other, without starting the system.",
    "FTS5 is SQLite's, with the Porter stemmer, any word of the question but stop words; dense is the built-in model, "
    f"every turn compared; RRF (k {RRF_K}) and the convex mix ({DENSE_SHARE:.0%} dense, scores normalised) fuse the "
    "first 200 of both.",
    "Every peer runs offline in its own environment and gets its vectors from the built-in model over an OpenAI-style "
    "endpoint on this machine, so that embedders are not what is compared.",
]
_TURN = re.compile(r"D\d+:\d+")
_SESSION = re.compile(r"session_(\d+)")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the turns that hold the answer."""

    text: str
    category: int
    wanted: frozenset[str]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Everything that two people said to each other, and what is asked about it."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


@dataclass(slots=True)
class Measured:
    """The measurements of one system."""

    recalls: Recalls = field(default_factory=lambda: defaultdict(list))
    query_ms: list[float] = field(default_factory=list)
    ingest_seconds: float = 0.0


def run(
    data: Path, peers: Path | None, *, sample: int = 1, only: Sequence[str] = (), dialogues_max: int | None = None
) -> dict[str, Any]:
    """Every figure, by system; of the first dialogues only, where it is told how many."""
    dialogues = measured_on(data, sample)[:dialogues_max]
    embedder, notes = _embedder()
    with serving(embedder) if embedder else nullcontext("") as url:
        systems, absent = _systems(embedder, peers, url)
        chosen = {
            name: start
            for name, start in systems.items()
            if not only or name == OWN or any(part in name for part in only)
        }
        measured, failed = measure(chosen, dialogues)
    return _result(measured, [*notes, *absent, *failed], dialogues)


def measured_on(data: Path, sample: int = 1) -> list[Dialogue]:
    """The dialogues of the data folder that are measured."""
    listed = json.loads((data / FILE).read_text(encoding="utf-8"))
    return read([dialogue for dialogue in listed if dialogue["sample_id"] in DIALOGUES], sample)


def read(dialogues: Iterable[Mapping[str, Any]], sample: int = 1) -> list[Dialogue]:
    """The dialogues of the data set, with every n-th question that counts."""
    return [_dialogue(dialogue, sample) for dialogue in dialogues]


def _dialogue(data: Mapping[str, Any], sample: int) -> Dialogue:
    conversation = data["conversation"]
    sessions = sorted(
        (key for key in conversation if _SESSION.fullmatch(key)), key=lambda key: int(key.rpartition("_")[2])
    )
    turns = tuple(
        Turn(turn["dia_id"], session, text_of(turn)) for session in sessions for turn in conversation[session]
    )
    turn_ids = {turn.id for turn in turns}
    all_questions = (Question(str(row["question"]), row["category"], _evidence(row) & turn_ids) for row in data["qa"])
    questions = [question for question in all_questions if question.category in CATEGORIES and question.wanted]
    return Dialogue(str(data["sample_id"]), turns, tuple(questions[::sample]))


def _evidence(question: Mapping[str, Any]) -> frozenset[str]:
    """The ids of the turns; the data has some in one string."""
    return frozenset(turn for listed in question.get("evidence", ()) for turn in _TURN.findall(listed))


def text_of(turn: Mapping[str, Any]) -> str:
    """A turn as every system sees it."""
    caption = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return f"{turn['speaker']}: {turn['text']}{caption}"


def _embedder() -> tuple[Embedder | None, list[str]]:
    """Return the built-in model, loaded, or the reason why it is missing."""
    embedder = BuiltinEmbedder()
    try:
        embedder.embed(["A first text loads the model."])
    except EmbedderMissing as error:
        return None, [f"Left out: everything with vectors, the peers included. {error.message} {error.hint}"]
    return embedder, []


def _systems(
    embedder: Embedder | None, peers: Path | None, url: str
) -> tuple[dict[str, Callable[[], System]], list[str]]:
    """How to start each system for a dialogue, and which are left out."""
    systems: dict[str, Callable[[], System]] = {"FTS5": TextSearch}
    if embedder is not None:
        systems |= {
            "dense": lambda: DenseSearch(embedder),
            f"RRF (k {RRF_K})": lambda: RankFusion(embedder),
            f"convex {DENSE_SHARE}": lambda: ScoreFusion(embedder),
        }
    systems[OWN] = OwnMemory
    absent: list[str] = []
    for product in PRODUCTS if embedder is not None else ():
        try:
            starts = _peer(product, peers, url)
        except LeftOut as reason:
            absent.append(f"Left out: {product.name.replace('_', '-')}: {reason}.")
        else:
            systems |= starts
    return systems, absent


def _peer(product: Product, peers: Path | None, url: str) -> dict[str, Callable[[], System]]:
    if peers is None:
        raise LeftOut("no folder with environments was given (--peers DIR)")
    product.python(peers)
    return {product.title(peers): lambda: PeerProcess(product, peers, url)}


def measure(
    systems: Mapping[str, Callable[[], System]], dialogues: Sequence[Dialogue]
) -> tuple[dict[str, Measured], list[str]]:
    """Measure each system on all dialogues; one that fails on any is left out with a reason."""
    measured, failed = {}, []
    for name, start in systems.items():
        print(f"  {name} ...", flush=True)
        try:
            measured[name] = _measure_system(start, dialogues)
        except LeftOut as reason:
            failed.append(f"Left out: {name}: {reason}.")
    return measured, failed


def _measure_system(start: Callable[[], System], dialogues: Sequence[Dialogue]) -> Measured:
    result = Measured()
    for dialogue in dialogues:
        with closing(start()) as system:
            begun = time.perf_counter()
            system.ingest(dialogue.turns)
            result.ingest_seconds += time.perf_counter() - begun
            for question in dialogue.questions:
                begun = time.perf_counter()
                turn_ids = system.ask(question.text, LIMIT)
                result.query_ms.append(1000 * (time.perf_counter() - begun))
                result.recalls[question.category].append(recall_at(LIMIT, turn_ids, question.wanted))
    return result


def _result(measured: Mapping[str, Measured], notes: Sequence[str], dialogues: Sequence[Dialogue]) -> dict[str, Any]:
    counts = {category: len(values) for category, values in sorted(measured[OWN].recalls.items())}
    against = {
        name: difference(measured[OWN].recalls, result.recalls) for name, result in measured.items() if name != OWN
    }
    tables = [
        {
            "title": f"Recall@{LIMIT} of evidence turns",
            "columns": [
                "system",
                *(f"{category} {CATEGORIES[category]} ({count})" for category, count in counts.items()),
                "macro mean (95 % interval)",
                "ms a query, p50",
                "ingest, s",
            ],
            "rows": [_row(name, result, list(counts)) for name, result in measured.items()],
        },
        {
            "title": f"{OWN} against each system, question by question",
            "columns": ["system", f"{OWN} finds more by (95 % interval)", "p", "questions better", "worse"],
            "rows": [_paired_row(name, differences) for name, differences in against.items()],
        },
    ]
    ran = [f"{product.name.replace('_', '-')}: {product.how}." for product in PRODUCTS if _ran(product, measured)]
    turns = f"{len(dialogues)} dialogues, {sum(len(dialogue.turns) for dialogue in dialogues):,} turns."
    return {
        "title": "B4: conversation memory",
        "question": "Which turns of past conversations hold the answer to a question?",
        "how": [*HOW, turns, *ran, *notes],
        "seed": SEED,
        "targets": [],
        "tables": [table for table in tables if table["rows"]],
        "figures": {name: _figures(result, against.get(name)) for name, result in measured.items()},
    }


def _ran(product: Product, measured: Mapping[str, Measured]) -> bool:
    return any(name.split()[0] == product.name.replace("_", "-") for name in measured)


def _row(name: str, result: Measured, categories: Sequence[int]) -> list[Any]:
    means = [f"{statistics.fmean(result.recalls[category]):.3f}" for category in categories]
    return [name, *means, str(macro(result.recalls)), statistics.median(result.query_ms), result.ingest_seconds]


def _paired_row(name: str, differences: Recalls) -> list[Any]:
    gain = macro(differences)
    all_differences = [value for values in differences.values() for value in values]
    return [
        name,
        f"{gain.mean:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})",
        f"{chance_of(differences):.4f}",
        sum(value > 0 for value in all_differences),
        sum(value < 0 for value in all_differences),
    ]


def _figures(result: Measured, differences: Recalls | None) -> dict[str, Any]:
    estimates = {str(category): estimate(values) for category, values in sorted(result.recalls.items())}
    recalls = estimates | {"macro": macro(result.recalls)}
    if differences is not None:
        recalls["holloway finds more by"] = macro(differences)
    return {
        "recall": {name: [recall.mean, recall.low, recall.high, recall.cases] for name, recall in recalls.items()},
        "p": None if differences is None else chance_of(differences),
        "query_ms_p50": statistics.median(result.query_ms),
        "ingest_seconds": result.ingest_seconds,
    }
