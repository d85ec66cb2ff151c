"""B5, errors: is an error seen to be fixed, and by what? How often does an error come back in a later session?

python -m benchmarks --only b5_errors --data DIR
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.scoring import Share, share
from benchmarks.sessions import DEV, Recorded, load_sessions
from holloway.domain.event import ToolKind
from holloway.observer.observer import Observer
from holloway.observer.signals import error_retry
from holloway.text import failures

if TYPE_CHECKING:
    from holloway.observer.scratchpad import Action

WITHIN_CALLS = 12
LABELS = "error_fix_dev.jsonl"

CLASSES = {
    "edit": {"edit"},
    "flag": {"flag"},
    "different command": {"command"},
    "argument": {"other", "flag"},
    "merge": {"command", "edit"},
    "branch/user": {"command", "other"},
}
"""Which of our kinds agree with a label's class of fix."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session's actions; `event` is the place of each action's result among the session's events."""

    name: str
    actions: list[Action]
    event: list[int]


def sessions(data: Path) -> list[Session]:
    """The recorded sessions, the earliest first."""
    return [_session(session) for session in load_sessions(data / DEV)]


def _session(recorded_session: Recorded) -> Session:
    watching = Observer()
    for event in recorded_session.events():
        watching.observe_event(event)
    answered = {row["id"]: row["i"] for row in recorded_session.rows if row["k"] == "result"}
    call_places = {row["id"]: row["i"] for row in recorded_session.rows if row["k"] == "call"}
    places = [answered.get(action.call, call_places[action.call]) for action in watching.pad.actions]
    return Session(recorded_session.id, watching.pad.actions, places)


def labels(data: Path) -> list[dict[str, Any]]:
    """The labelled failures."""
    return [json.loads(line) for line in (data / LABELS).read_text(encoding="utf-8").splitlines()]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a detector about one failure: the event that resolved it, and the kind of fix."""

    resolved_at: int | None
    kind: str = ""
    fix: str = ""


def ours(session: Session, at: int) -> Answer:
    """The observer, asked about this one failure."""
    pair = error_retry.find_pair(session.actions, at, WITHIN_CALLS)
    return Answer(session.event[pair.resolved_at - 1], pair.fix_kind, pair.fix) if pair else Answer(None)


def baseline(session: Session, at: int) -> Answer:
    """A flagged error, then a command with half of its words that is not flagged."""
    failure = session.actions[at]
    if failure.ok is not False:
        return Answer(None)
    for later in range(at + 1, min(len(session.actions), at + 1 + WITHIN_CALLS)):
        action = session.actions[later]
        failed_words, retried_words = set(failure.command.split()), set(action.command.split())
        if (
            action.ok
            and failed_words
            and retried_words
            and len(failed_words & retried_words) / len(failed_words | retried_words) >= 0.5
        ):
            return Answer(session.event[later])
    return Answer(None)


def score_answers(items: list[dict[str, Any]], answers: list[Answer]) -> dict[str, Any]:
    """Precision and recall of "resolved", and for the ones that both call resolved: the place and the class of fix."""
    both = [(item, answer) for item, answer in zip(items, answers, strict=True) if answer.resolved_at is not None]
    right = [(item, answer) for item, answer in both if item["label"] == "resolved"]
    resolved = sum(item["label"] == "resolved" for item in items)
    placed = sum(answer.resolved_at == item["resolved_at"] for item, answer in right)
    classed = sum(answer.kind in CLASSES[item["fix_class"]] for item, answer in right)
    return {
        "items": len(items),
        "precision": share(len(right), len(both))._asdict(),
        "recall": share(len(right), resolved)._asdict(),
        "place of the fix agrees": share(placed, len(right))._asdict(),
        "kind of fix agrees": share(classed, len(right))._asdict() if any(answer.kind for _, answer in right) else None,
    }


Printer = Callable[[str], tuple[str, ...]]


def exact(output: str) -> tuple[str, ...]:
    """The errors of an output as they stand: what a fingerprint without normalising would see."""
    return failures.list_errors(output)


def repeats(all_sessions: list[Session], prints_of: Printer) -> dict[str, int]:
    """Failing results with an error that an earlier session had met, or had solved; any error of the output counts."""
    met: set[str] = set()
    solved: set[str] = set()
    telling: set[str] = set()
    names = (
        "failing",
        "with an error line",
        "met before",
        "solved before",
        "solved before, by more than the error says",
        "fingerprints",
    )
    counts = dict.fromkeys(names, 0)
    for session in all_sessions:
        failing = [action for action in session.actions if _fails(action)]
        fingerprints = [set(prints) for action in failing if (prints := prints_of(action.text))]
        counts["failing"] += len(failing)
        counts["with an error line"] += len(fingerprints)
        counts["met before"] += sum(bool(met & prints) for prints in fingerprints)
        counts["solved before"] += sum(bool(solved & prints) for prints in fingerprints)
        counts["solved before, by more than the error says"] += sum(bool(telling & prints) for prints in fingerprints)
        met = met.union(*fingerprints)
        for pair in error_retry.find_pairs(session.actions):
            pair_fingerprints = set(prints_of(pair.error)) if pair.fingerprint else set()
            solved |= pair_fingerprints
            telling |= pair_fingerprints if pair.telling else set()
    return counts | {"fingerprints": len(met)}


def _fails(action: Action) -> bool:
    ran = action.kind is ToolKind.SHELL and action.ok is not None
    return ran and failures.is_failure(action.text, not action.ok, action.command)


def found_pairs(all_sessions: list[Session]) -> tuple[list[error_retry.ErrorFixPair], int, float]:
    """Every pair of every session, how many stayed unresolved, and the microseconds an action took."""
    actions = sum(len(session.actions) for session in all_sessions)
    start = time.process_time()
    pairs = [pair for session in all_sessions for pair in error_retry.find_pairs(session.actions)]
    took_us = (time.process_time() - start) * 1e6 / actions
    return pairs, sum(len(error_retry.find_unresolved(session.actions)) for session in all_sessions), took_us


def run(data: Path) -> dict[str, Any]:
    """All figures, in the shape of a benchmark's result."""
    every = sessions(data)
    named = {session.name: session for session in every}
    items = labels(data)
    places = [(named[item["session"]], named[item["session"]].event.index(item["event_index"])) for item in items]
    detectors = {"observer": [ours(*place) for place in places], "baseline": [baseline(*place) for place in places]}
    sure = [n for n, item in enumerate(items) if not item["doubtful"]]
    verdicts = {
        f"{name}, {which}": score_answers([items[n] for n in chosen], [answers[n] for n in chosen])
        for which, chosen in (("all", list(range(len(items)))), ("without the doubtful", sure))
        for name, answers in detectors.items()
    }
    again = {"fingerprint": repeats(every, failures.fingerprint_errors), "the line as it stands": repeats(every, exact)}
    pairs, open_, took_us = found_pairs(every)
    return {
        "title": "B5: errors and their fixes",
        "question": "Is a failing command seen to be fixed, and by what? How often had an earlier session the error?",
        "how": [
            f"Labels: {len(items)} failing shell results of real sessions, read one by one; resolved within the next "
            f"{WITHIN_CALLS} calls or not. Intervals are Wilson's at 95 %. The rules were improved on these items, so "
            "they flatter: before the first look at its mistakes the same detector had precision .98 and recall .91.",
            "The baseline takes a flagged error as resolved by the next unflagged command with half of its words.",
            "Repeats: sessions in time order; an error counts as met or solved if an earlier session met or solved it.",
            "Only figures leave the data: no text of a session is in the result.",
        ],
        "targets": [],
        "tables": _tables(verdicts, again, pairs, open_, took_us),
        "figures": {"labelled": verdicts, "repeats": again, "pairs": len(pairs), "unresolved": open_},
    }


def _tables(
    verdicts: dict[str, dict[str, Any]],
    again: dict[str, dict[str, int]],
    pairs: list[error_retry.ErrorFixPair],
    open_: int,
    took_us: float,
) -> list[dict[str, Any]]:
    measures = ["precision", "recall", "place of the fix agrees", "kind of fix agrees"]
    kinds = Counter(pair.fix_kind for pair in pairs)
    telling = Counter(pair.fix_kind for pair in pairs if pair.telling)
    rows = [[kind, count, telling[kind]] for kind, count in kinds.most_common()]
    names = list(next(iter(again.values())))
    return [
        {
            "title": "Resolved within 12 calls, against the labels",
            "columns": ["detector", "items", *measures],
            "rows": [
                [name, verdict["items"], *(_format_shares(verdict[measure]) for measure in measures)]
                for name, verdict in verdicts.items()
            ],
        },
        {
            "title": "Errors that come back in a later session",
            "columns": ["errors told apart by", *names],
            "rows": [[by, *(counts[name] for name in names)] for by, counts in again.items()],
        },
        {
            "title": "Pairs over all sessions",
            "columns": ["fix", "pairs", "that tell something"],
            "rows": [*rows, ["all", len(pairs), telling.total()], ["unresolved", open_, 0]],
        },
        {"title": "Cost", "columns": ["figure", "value"], "rows": [["CPU µs per action", round(took_us, 1)]]},
    ]


def _format_shares(judged_: dict[str, float] | None) -> str:
    return f"{Share(**judged_)}, {judged_['hits']} of {judged_['of']}" if judged_ else ""
