"""B1: from a session's first prompt, which files will the agent need? Known are only sessions that ended before it.

python -m benchmarks --only b1_sessions --data DIR --repos DIR
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from benchmarks import machine, trivial
from benchmarks.installed import hook_command, no_worker
from benchmarks.replay import QUICK_SESSIONS, REPOSITORY, replay
from benchmarks.scoring import SEED, estimate, paired
from benchmarks.sessions import DEV, recorded
from benchmarks.told import measured, told
from holloway.domain.ports import SystemClock
from holloway.text.tokens import estimate_tokens as tokens_of

if TYPE_CHECKING:
    from benchmarks.replay import Replay
    from benchmarks.told import Told

TOP = 10
AGENT = "claude-code"
HOOK = "prompt hook"
LOCATE = "holloway locate"
HOOK_EVERY = 4
"""Of the sessions that are asked, every n-th also starts the hook's own process."""
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)*")


@dataclass(frozen=True, slots=True)
class Started:
    """What the hook's process did with a prompt, and what the same moment gives without a process."""

    took_ms: float
    text: str
    in_process: str


@dataclass(slots=True)
class Answers:
    """All that was answered, session by session."""

    sessions: list[Told] = field(default_factory=list)
    lists: dict[str, list[list[str]]] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    locate_ms: list[float] = field(default_factory=list)
    started: list[Started] = field(default_factory=list)

    def add(self, session: Told, text: str, lists: dict[str, list[str]]) -> None:
        """Take in a session."""
        self.sessions.append(session)
        self.texts.append(text)
        for name, files in lists.items():
            self.lists.setdefault(name, []).append(files[:TOP])


def run(data: Path, repos: Path, *, quick: bool = False) -> dict[str, Any]:
    """The second half of the sessions, in time order."""
    sessions = [told(session) for session in recorded(data / DEV)]
    if quick:
        sessions = sessions[:QUICK_SESSIONS]
    answers = Answers()
    with replay(repos / REPOSITORY, "b1_cli") as replayed:
        command = hook_command(sys.executable, _env(replayed), replayed.memory.home, replayed.tree.root)
        for place, session in enumerate(replayed.through(sessions)):
            if place >= len(sessions) // 2 and session.is_asked:
                _ask(replayed, session, answers)
                if len(answers.sessions) % HOOK_EVERY == 0:
                    answers.started.append(_started(replayed, session, command))
    return _result(answers, sessions)


def _ask(replayed: Replay, session: Told, answers: Answers) -> None:
    memory, paths = replayed.memory, replayed.paths()
    text = memory.session(f"{session.id}-asked", agent=AGENT).context_for(session.query)
    began = time.perf_counter()
    found = memory.map.locate(session.query, limit=TOP, branch=session.began_on)
    located = [file.path for file in found.ranked]
    answers.locate_ms.append((time.perf_counter() - began) * 1000)
    ours = {HOOK: named(text, paths), LOCATE: located}
    contents = replayed.by_contents(session.query)
    answers.add(session, text, ours | trivial.all_lists(session, replayed.learned, paths, contents))


def named(text: str, paths: list[str]) -> list[str]:
    """The files of the project that a text names, in the order in which it does."""
    known = set(paths)
    return list(dict.fromkeys(word for word in _PATH.findall(text) if word in known))


def _env(replayed: Replay) -> dict[str, str]:
    return machine.environment(HOLLOWAY_HOME=str(replayed.memory.home), HOME=str(replayed.memory.home))


def _started(replayed: Replay, session: Told, command: list[str]) -> Started:
    """The hook's process on a prompt, with its deadline; it lives today, so what it is compared with does too."""
    root = replayed.tree.root
    event = {"hook_event_name": "UserPromptSubmit", "session_id": f"{session.id}-hook", "cwd": str(root)}
    stdin = json.dumps(event | {"prompt": session.query}).encode()
    samples = machine.Samples()
    with no_worker(replayed.memory.project.folder):
        done = samples.start(command, _env(replayed), stdin, root)
    said = json.loads(done.stdout).get("hookSpecificOutput", {}) if done.stdout else {}
    with _today(replayed):
        text = replayed.memory.session(f"{session.id}-today", agent=AGENT).context_for(session.query)
    return Started(samples.wall_ms[0], str(said.get("additionalContext", "")), text)


@contextmanager
def _today(replayed: Replay) -> Iterator[None]:
    opened = replayed.memory.opened
    then, opened.clock = opened.clock, SystemClock()
    try:
        yield
    finally:
        opened.clock = then


def _result(answers: Answers, sessions: list[Told]) -> dict[str, Any]:
    figures = {
        name: [measured(session, files) for session, files in zip(answers.sessions, lists, strict=True)]
        for name, lists in answers.lists.items()
    }
    recall = {name: [one for one, _ in pairs] for name, pairs in figures.items()}
    rows = [
        [
            name,
            *_mean(recall[name]),
            *_mean([avoided for _, avoided in pairs]),
            _difference(recall[HOOK], recall[name]),
            _difference(recall[LOCATE], recall[name]),
        ]
        for name, pairs in figures.items()
    ]
    columns = ["method", "recall@10", "95 %", "DCA@10", "95 %", "hook finds more by (p)", "locate finds more by (p)"]
    return {
        "title": "B1: session replay",
        "question": "From a session's first prompt, which files will the agent need?",
        "seed": SEED,
        "targets": [],
        "tables": [
            {"title": f"{len(answers.sessions)} sessions, ten files each", "columns": columns, "rows": rows},
            {
                "title": "What the prompt hook says",
                "columns": ["figure", "value"],
                "rows": _said(answers, [len(files) for files in answers.lists[HOOK]]),
            },
            {
                "title": f"The hook's own process, {len(answers.started)} sessions",
                "columns": ["figure", "value"],
                "rows": _processes(answers.started),
            },
            {
                "title": "How long locating takes",
                "columns": ["what", "ms"],
                "rows": [[f"p{share}", machine.quantile(answers.locate_ms, share / 100)] for share in (50, 95)],
            },
        ],
        "figures": {
            name: {"recall": fmean(recall[name]), "dca": fmean(avoided for _, avoided in pairs)}
            for name, pairs in figures.items()
        },
        "how": [f"The second half of {len(sessions)} {HOW[0]}", *HOW[1:], *_untold(sessions)],
    }


def _untold(sessions: list[Told]) -> list[str]:
    told_branch = sum(bool(session.began_on) for session in sessions)
    return [] if told_branch else ["The data does not tell on which branch a session began, so nobody knew it."]


def _mean(values: list[float]) -> tuple[float, str]:
    one = estimate(values)
    return round(one.mean, 3), f"{one.low:.3f} to {one.high:.3f}"


def _difference(ours: list[float], other: list[float]) -> str:
    """The mean difference, and how likely chance makes one as large."""
    if ours == other:
        return ""
    return f"{fmean(ours) - fmean(other):+.3f} ({paired(ours, other):.4f})"


def _said(answers: Answers, counts: list[int]) -> list[list[Any]]:
    spoken = [place for place, text in enumerate(answers.texts) if text]
    lists, sessions = answers.lists[HOOK], answers.sessions
    right = [len(sessions[at].gold & set(lists[at])) / len(lists[at]) for at in spoken if lists[at]]
    useful = sum(bool(sessions[at].gold & set(lists[at])) for at in spoken)
    tokens = sorted(tokens_of(answers.texts[at]) for at in spoken) or [0]
    return [
        ["prompts", len(sessions)],
        ["answered", f"{len(spoken)} ({len(spoken) / len(sessions):.0%})"],
        ["answers that name a file which was needed", f"{useful} ({useful / max(1, len(spoken)):.0%})"],
        ["files named, mean of the answered", fmean([counts[at] for at in spoken] or [0])],
        ["precision of the named files, mean of the answered", str(estimate(right)) if right else ""],
        ["tokens, median", tokens[len(tokens) // 2]],
        ["tokens, most", tokens[-1]],
    ]


def _processes(started: list[Started]) -> list[list[Any]]:
    took = [one.took_ms for one in started] or [0.0]
    late = sum(bool(one.in_process) and not one.text for one in started)
    same = sum(one.text == one.in_process for one in started)
    return [
        ["says the same as in process", f"{same} of {len(started)}"],
        ["silent though there was something to say", late],
        ["p50 (ms, process included)", machine.quantile(took, 0.5)],
        ["p95 (ms, process included)", machine.quantile(took, 0.95)],
    ]


HOW = [
    "recorded sessions of one project, in time order. For each one: the branch and the checkout as they were when it "
    "began, and only sessions that had ended before; holloway has learned from those.",
    "Needed are files that the agent opened (also with cat, sed, head or grep) or edited, without those that the "
    "prompt names.",
    "The prompt hook is what an agent reads without asking: the files that its text names, ten at most, nothing where "
    "it stays silent. `locate` is what an agent gets that asks.",
    "The baselines get the same prompt and the same earlier sessions, split identifiers and name only files that are "
    f"there; RRF (k {trivial.RRF_K}) fuses the first {trivial.RRF_DEPTH} of each list. Stems instead of words change "
    "each of the four that know no contents by less than 0.02.",
    "DCA@10 is the share of discovery calls that the ten files could have saved: the first read of a predicted file "
    "and the searches since the read before. It is an upper bound.",
    "Intervals are bootstrapped over sessions; p by sign flips of the paired differences of recall.",
    "The hook's own process is started with the command that setup writes, and has its deadline. It lives today: it is "
    "compared with the same code in this process at today's date. Its times have this machine's neighbours in them.",
]
