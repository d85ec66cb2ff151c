"""B1: from a session's first prompt, which files will the agent need? Known are only sessions that ended before it.

python -m benchmarks.b1_sessions --data DIR --repos DIR [--json OUT]
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import holloway
from benchmarks import checkout
from benchmarks.sessions import DEV, recorded
from holloway.observer.account import Account
from holloway.observer.observer import Observer
from holloway.observer.words import prompt
from holloway.service.learning import Learning
from holloway.testing import FakeClock
from holloway.text.identifiers import expanded
from holloway.text.query import STOP_WORDS

if TYPE_CHECKING:
    from benchmarks.sessions import Recorded
    from holloway.scratchpad.scratchpad import Scratchpad
    from holloway.service.holloway import Holloway

SEED = 20260208
SOURCES = {"cli": "entireio/cli"}
TOP = 10
WORDS_MIN = 3
RRF_K = 60
NEIGHBOURS = 10
RESAMPLES = 2_000

Ranked = Mapping[str, float]
_MERGED = re.compile(r"Merge pull request #\d+ from [^/]+/(.+)$")


@dataclass(frozen=True)
class Told:
    """A session as the benchmark needs it."""

    start: float
    end: float
    query: str
    files: tuple[str, ...]
    gold: frozenset[str]
    discovery: tuple[str, ...]
    """The discovery calls in order: the path of a first read, or nothing for a search or listing."""
    branch: str
    pad: Scratchpad


@dataclass(frozen=True)
class Figures:
    """Recall and discovery calls avoided of one method, session by session."""

    recall: tuple[float, ...]
    avoided: tuple[float, ...]


def told(session: Recorded) -> Told:
    """Read a recording."""
    watching = Observer()
    for event in session.events():
        watching.observe(event)
    account = Account(watching.pad)
    asked = (prompt.spoken(note.text) for note in account.said("user"))
    query = next((text for text in asked if len(text.split()) >= WORDS_MIN), "")
    opened: dict[str, None] = {}
    discovery: list[str] = []
    for deed in account.deeds:
        if deed.kind in ("search", "list") and not (deed.path and deed.action.command):
            discovery.append("")
        if deed.path and deed.kind in ("read", "edit", "write", "search") and deed.path not in opened:
            if deed.kind == "search" and not _is_file(deed.path):
                continue
            opened[deed.path] = None
            if deed.kind in ("read", "search"):
                discovery.append(deed.path)
    named = {path for path in opened if path in query or path.rpartition("/")[2] in query}
    gold = frozenset(opened) - named
    return Told(
        session.start, watching.pad.last_at, query, tuple(opened), gold, tuple(discovery), session.branch, watching.pad
    )


def _is_file(path: str) -> bool:
    return "." in path.rpartition("/")[2]


def run(data: Path, repos: Path, *, sample: int = 1) -> dict[str, Any]:
    """The second half of the sessions, in time order."""
    sessions = [told(session) for session in recorded(data / DEV)]
    asked = [at for at in range(len(sessions) // 2, len(sessions)) if sessions[at].query and sessions[at].gold][
        ::sample
    ]
    predictions = _ours(sessions, asked, repos / "cli")
    methods: dict[str, Callable[[Told, list[Told], list[str]], Ranked]] = {
        "path BM25": by_path,
        "freq": by_frequency,
        "kNN over past prompts": by_similar,
        "recent": by_recency,
    }
    results: dict[str, Figures] = {"holloway": _figures(sessions, asked, lambda at: predictions[at][0])}
    ranked: dict[str, dict[int, list[str]]] = {}
    for name, method in methods.items():
        lists = {}
        for at in asked:
            before = [one for one in sessions[:at] if one.end < sessions[at].start]
            lists[at] = ordered(method(sessions[at], before, predictions[at][1]))
        ranked[name] = lists
        results[name] = _figures(sessions, asked, lambda at, lists=lists: lists[at])  # type: ignore[misc]
    fused = {at: ordered(rrf([lists[at] for lists in ranked.values()])) for at in asked}
    results["RRF of the four"] = _figures(sessions, asked, lambda at: fused[at])
    return _result(results, [predictions[at][2] for at in asked], len(asked))


def _ours(sessions: list[Told], asked: list[int], repository: Path) -> dict[int, tuple[list[str], list[str], float]]:
    """For each session that is asked: what holloway locates, the files there were, and how long that took."""
    found: dict[int, tuple[list[str], list[str], float]] = {}
    history = [
        (int(line.split()[0]), line.split()[1])
        for line in checkout.git(repository, "log", "--first-parent", "--format=%ct %H").splitlines()
    ]
    branches = _branches(repository)
    clock = FakeClock()
    with (
        tempfile.TemporaryDirectory() as home,
        checkout.checkout_of(repository, checkout.cache_folder() / "b1_cli") as tree,
    ):
        tree.move(history[-1][1])
        with holloway.open(tree.root, home=Path(home), clock=clock) as memory:
            waiting = list(range(len(sessions)))
            for at in asked:
                session = sessions[at]
                clock.advance(seconds=session.start - clock.now().timestamp())
                tree.move(_as_it_was(history, branches.get(session.branch, []), session.start))
                memory.map.update()
                for other in [one for one in waiting if sessions[one].end < session.start]:
                    Learning(memory).learn(sessions[other].pad)
                    waiting.remove(other)
                found[at] = _located(memory, session)
    return found


def _branches(repository: Path) -> dict[str, list[tuple[int, str]]]:
    """The commits of each branch that was merged by a pull request, newest first, by the branch's name."""
    found: dict[str, list[tuple[int, str]]] = {}
    for line in checkout.git(repository, "log", "--merges", "--format=%P%x09%s").splitlines():
        parents, _, subject = line.partition("\t")
        merged = _MERGED.match(subject)
        if merged and len(parents.split()) == 2:
            into, tip = parents.split()
            own = checkout.git(repository, "log", "--format=%ct %H", tip, f"^{into}").splitlines()
            found.setdefault(merged[1], []).extend((int(each.split()[0]), each.split()[1]) for each in own)
    return found


def _as_it_was(history: list[tuple[int, str]], branch: list[tuple[int, str]], start: float) -> str:
    """The commit that was checked out when a session began: of its branch if that had any, else of the main line."""
    own = [(when, sha) for when, sha in branch if when < start]
    main = [(when, sha) for when, sha in history if when < start]
    return max(own)[1] if own else max(main)[1] if main else history[-1][1]


def _located(memory: Holloway, session: Told) -> tuple[list[str], list[str], float]:
    began = time.perf_counter()
    files = [file.path for file in memory.map.locate(session.query, limit=TOP, branch=session.branch).files]
    took = (time.perf_counter() - began) * 1000
    paths = [row[0] for row in memory.map.database.rows("SELECT path FROM files")]
    return files, paths, took


def by_path(session: Told, before: list[Told], paths: list[str]) -> Ranked:
    """BM25 of the prompt over the words of each path."""
    documents = {path: Counter(_words(path)) for path in paths}
    mean = sum(sum(words.values()) for words in documents.values()) / max(1, len(documents))
    holders = Counter(word for words in documents.values() for word in words)
    scores: dict[str, float] = {}
    for path, words in documents.items():
        size = 1.2 * (0.25 + 0.75 * sum(words.values()) / mean)
        for word in set(_words(session.query)) & words.keys():
            idf = math.log(1 + (len(documents) - holders[word] + 0.5) / (holders[word] + 0.5))
            scores[path] = scores.get(path, 0.0) + idf * words[word] * 2.2 / (words[word] + size)
    return scores


def by_frequency(session: Told, before: list[Told], paths: list[str]) -> Ranked:
    """In how many earlier sessions a file was opened."""
    return Counter(path for one in before for path in one.files)


def by_recency(session: Told, before: list[Told], paths: list[str]) -> Ranked:
    """How lately a file was opened; of one session, the first first, which finds more than the last first."""
    latest: dict[str, float] = {}
    for place, one in enumerate(before):
        latest |= {path: place + 1 - at / (1 + len(one.files)) for at, path in enumerate(one.files)}
    return latest


def by_similar(session: Told, before: list[Told], paths: list[str]) -> Ranked:
    """Files of the ten sessions whose prompts are most alike, by cosine of TF-IDF."""
    told_words = [Counter(_words(one.query)) for one in before]
    counts = Counter(word for words in told_words for word in words)
    weight = {word: math.log(1 + len(before) / (1 + number)) for word, number in counts.items()}
    query = Counter(_words(session.query))
    scored = sorted(((_cosine(query, words, weight), at) for at, words in enumerate(told_words)), reverse=True)
    found: Counter[str] = Counter()
    for likeness, at in scored[:NEIGHBOURS]:
        for path in before[at].files if likeness > 0 else ():
            found[path] += likeness  # type: ignore[assignment]
    return found


def _cosine(one: Counter[str], other: Counter[str], weight: Mapping[str, float]) -> float:
    product = sum(one[word] * other[word] * weight.get(word, 0.0) ** 2 for word in one.keys() & other.keys())
    lengths = [
        math.sqrt(sum((number * weight.get(word, 0.0)) ** 2 for word, number in each.items())) for each in (one, other)
    ]
    return product / (lengths[0] * lengths[1]) if all(lengths) else 0.0


def _words(text: str) -> list[str]:
    return [word for word in expanded(text) if word not in STOP_WORDS and len(word) > 1]


def ordered(scores: Ranked) -> list[str]:
    """Paths, best first."""
    return sorted(scores, key=lambda path: (-scores[path], path))


def rrf(lists: list[list[str]]) -> Ranked:
    """Reciprocal rank fusion, as usual."""
    found: dict[str, float] = {}
    for each in lists:
        for rank, path in enumerate(each, 1):
            found[path] = found.get(path, 0.0) + 1 / (RRF_K + rank)
    return found


def _figures(sessions: list[Told], asked: list[int], predicted: Callable[[int], list[str]]) -> Figures:
    pairs = [measured(sessions[at], predicted(at)[:TOP]) for at in asked]
    return Figures(tuple(recall for recall, _ in pairs), tuple(avoided for _, avoided in pairs))


def measured(session: Told, predicted: list[str]) -> tuple[float, float]:
    """Recall of the needed files, and the share of discovery calls that the prediction would have saved at most."""
    recall = len(session.gold & set(predicted)) / len(session.gold)
    saved = searches = 0
    for path in session.discovery:
        if not path:
            searches += 1
            continue
        saved += (1 + searches) if path in predicted else 0
        searches = 0
    return recall, saved / len(session.discovery) if session.discovery else 0.0


def _result(results: dict[str, Figures], took_ms: list[float], number: int) -> dict[str, Any]:
    ours = results["holloway"]
    rows = [
        [name, *_interval(each.recall), *_interval(each.avoided), _paired(ours.recall, each.recall)]
        for name, each in results.items()
    ]
    took = sorted(took_ms)
    return {
        "title": "B1: session replay",
        "question": "From a session's first prompt, which files will the agent need?",
        "seed": SEED,
        "targets": [],
        "tables": [
            {
                "title": f"{number} sessions, ten files each",
                "columns": ["method", "recall@10", "95 %", "DCA@10", "95 %", "p (recall, paired)"],
                "rows": rows,
            },
            {
                "title": "How long locating takes",
                "columns": ["what", "ms"],
                "rows": [["p50", took[len(took) // 2]], ["p95", took[int(len(took) * 0.95)]]],
            },
        ],
        "how": [
            "The second half of 192 recorded sessions, in time order. For each one: the checkout as it was, and only "
            "sessions that had ended before it began; holloway has learned from those.",
            "Needed are files that the agent opened (also with cat, sed, head or grep) or edited, without those that "
            "the prompt names.",
            "DCA@10 is the share of discovery calls that the ten files could have saved: the first read of a predicted "
            "file and the searches since the read before. It is an upper bound.",
            "holloway also knows the branch that the session is on, as every hook does.",
            "Intervals are bootstrapped over sessions; p by sign flips of the paired differences.",
        ],
    }


def _interval(values: tuple[float, ...]) -> tuple[float, str]:
    chance = random.Random(SEED)
    means = sorted(sum(chance.choices(values, k=len(values))) / len(values) for _ in range(RESAMPLES))
    low, high = means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES)]
    return round(sum(values) / len(values), 3), f"{low:.3f} to {high:.3f}"


def _paired(ours: tuple[float, ...], other: tuple[float, ...]) -> float | None:
    differences = [one - two for one, two in zip(ours, other, strict=True)]
    if not any(differences):
        return None
    chance, seen = random.Random(SEED), abs(sum(differences))
    flipped = (abs(sum(each * chance.choice((-1, 1)) for each in differences)) for _ in range(RESAMPLES))
    return (1 + sum(each >= seen for each in flipped)) / (1 + RESAMPLES)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    checkout.need(options.repos, SOURCES)
    result = run(options.data, options.repos)
    for table in result["tables"]:
        print(table["title"], *table["rows"], sep="\n  ")
    if options.json:
        head = {"date": datetime.now(UTC).date().isoformat()}
        options.json.write_text(json.dumps(head | result, indent=1) + "\n", encoding="utf-8")
