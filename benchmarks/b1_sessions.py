"""B1: from a session's first prompt, which files will the agent need? Known are only sessions that ended before it.

python -m benchmarks --only b1_sessions --data DIR --repos DIR

The answers of a project are stored when it is done, so that an interrupted run goes on with the next project.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from unittest import mock

from benchmarks import answer_cache, arms, trivial
from benchmarks.projects import HELD_OUT, SEEN, TUNED, load_sessions
from benchmarks.replay import replay
from benchmarks.told import restrict_to
from holloway.retrieval.locate import PAST_SESSIONS, locate_in_checkout
from holloway.store import observations
from holloway.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from benchmarks.arms import PastRow
    from benchmarks.replay import Replay
    from benchmarks.told import Told

AGENT = "claude-code"
NO_SESSIONS, SESSIONS, PLACEBO, FOREIGN = "no sessions", "sessions", "placebo", "foreign"
ARMS = (NO_SESSIONS, SESSIONS, PLACEBO, FOREIGN)
RANKED_MAX = 20
ASKED_MAX = 40
"""Latest sessions of a project that are asked."""
LEARNED_MIN = 3
"""Sessions that must have been learned before one is asked."""
QUICK_ASKED = 4
SAME_TOPIC_SESSIONS = 5
SAME_TOPIC_SHARE = 0.5
"""Share of the needed files that the latest sessions had opened, from which on a session continues their topic."""
CHECKOUT_FIELDS = ("gold", "named", "mentioned")
"""Fields of a session that depend on the files of the checkout in which it began."""
ANSWER_FIELDS = ("is_same_topic", "lists", "texts", "shown", "named_shown")
_PATH = re.compile(r"[^\s,;:]+")


@dataclass(slots=True)
class Question:
    """A session that was asked, and all answers."""

    session: Told
    is_same_topic: bool
    lists: dict[str, list[str]]
    """The best files by arm and by baseline, best first, without those that the prompt names."""
    texts: dict[str, str]
    """The text that an agent reads with the prompt, by arm."""
    shown: dict[str, list[str]] = field(default_factory=dict)
    """The files that the text names, in its order, without those that the prompt names."""
    named_shown: int = 0
    """Number of needed files that the prompt names and the text lists."""

    def to_row(self) -> dict[str, Any]:
        """Return the answers as JSON; of the session, only what depends on the checkout."""
        files = {name: sorted(getattr(self.session, name)) for name in CHECKOUT_FIELDS}
        return {"id": self.session.id} | files | {name: getattr(self, name) for name in ANSWER_FIELDS}

    @classmethod
    def from_row(cls, row: Mapping[str, Any], sessions: Mapping[str, Told]) -> Question:
        """Return the question that was stored as this row; `sessions` are those of the project by id."""
        gold, named, mentioned = (frozenset(row[name]) for name in CHECKOUT_FIELDS)
        session = replace(sessions[row["id"]], gold=gold, named=named, mentioned=mentioned)
        return cls(session, **{name: row[name] for name in ANSWER_FIELDS})

    @property
    def baseline_shown(self) -> list[str]:
        """The first files of the fused baselines that need no more tokens than the text with sessions."""
        budget, paths = estimate_tokens(self.texts[SESSIONS]), self.lists[trivial.ALL_FUSED]
        fitting = [count for count in range(len(paths) + 1) if estimate_tokens(render_bare(paths[:count])) <= budget]
        return paths[: max(fitting, default=0)]


def render_bare(paths: Sequence[str]) -> str:
    """Render a list of files in the fewest words."""
    return "\n".join(["Files:", *paths])


def run(data: Path, repos: Path, *, quick: bool = False) -> dict[str, Any]:
    """Ask the latest sessions of every project that is there."""
    from benchmarks import replay_result

    questions = {}
    for project in (TUNED, *SEEN, *HELD_OUT):
        if sessions := load_sessions(data, project):
            questions[project] = load_or_ask(data, repos, project, sessions, quick=quick)
    return replay_result.build_result(questions)


def load_or_ask(
    data: Path, repos: Path, project: str, sessions: Sequence[Told], *, quick: bool = False
) -> list[Question]:
    """Return the answers of a project that an earlier run of the same code stored; without any, ask and store them."""
    if not quick and (rows := answer_cache.load(project)):
        by_id = {session.id: session for session in sessions}
        return [Question.from_row(row, by_id) for row in rows]
    foreign = load_sessions(data, SEEN[-1] if project == TUNED else TUNED)
    questions = list(ask_sessions(repos / project, project, sessions, foreign, quick=quick))
    if not quick:
        answer_cache.store(project, [question.to_row() for question in questions])
    return questions


def ask_sessions(
    repository: Path, project: str, sessions: Sequence[Told], foreign: Sequence[Told], *, quick: bool = False
) -> Iterator[Question]:
    """Replay the sessions of a project; yield the latest of them with all answers."""
    chosen_ids = [session.id for session in sessions if session.is_asked][-(QUICK_ASKED if quick else ASKED_MAX) :]
    with replay(repository, f"b1_{project}") as replayed:
        for session in replayed.through(list(sessions)):
            restricted = restrict_to(session, replayed.paths())
            if session.id in chosen_ids and len(replayed.learned) >= LEARNED_MIN and restricted.is_asked:
                yield _ask(replayed, restricted, list(map(_as_past, foreign)), project)


def _as_past(session: Told) -> PastRow:
    return session.query, tuple((path, 1) for path in session.files), session.branch


def _ask(replayed: Replay, session: Told, foreign: Sequence[PastRow], project: str) -> Question:
    connection, paths = replayed.memory.store.database.connection, replayed.paths()
    rows = observations.list_past_sessions(connection, PAST_SESSIONS)
    past_by_arm = {
        NO_SESSIONS: [],
        SESSIONS: rows,
        PLACEBO: arms.permute_files(rows, project),
        FOREIGN: arms.adopt_foreign(rows, foreign, paths),
    }
    contents, underway = replayed.by_contents(session.query), replayed.underway(session)
    lists = trivial.all_lists(session, replayed.learned, paths, contents)
    lists = trivial.add_branch_lists(lists, session, replayed.learned, paths, underway)
    texts = {}
    for arm, past in past_by_arm.items():
        with mock.patch.object(observations, "list_past_sessions", lambda *_, past=past: past):
            lists[arm] = _locate(replayed, session)
            if arm in (NO_SESSIONS, SESSIONS):
                agent_session = replayed.memory.session(f"{session.id}-{arm}", agent=AGENT)
                texts[arm] = agent_session.context_for(session.query)
    ranked_lists = {name: [path for path in files if path not in session.mentioned] for name, files in lists.items()}
    question = Question(session, _is_same_topic(session, replayed.learned), ranked_lists, texts)
    for arm, text in texts.items():
        named = list_named(text, paths)
        question.shown[arm] = [path for path in named if path not in session.mentioned]
        question.named_shown = len(session.named.intersection(named))
    return question


def _locate(replayed: Replay, session: Told) -> list[str]:
    memory, now, root = replayed.memory, replayed.clock.now(), str(replayed.tree.root)
    limit = RANKED_MAX + len(session.mentioned)
    connection = memory.store.database.connection
    located = locate_in_checkout(memory.map.database, connection, root, session.query, limit=limit, now=now)
    return [file.path for file in located.ranked]


def _is_same_topic(session: Told, learned: Sequence[Told]) -> bool:
    """Whether the latest sessions had opened a good part of the files that this one needs."""
    opened = {path for earlier in learned[-SAME_TOPIC_SESSIONS:] for path in earlier.files}
    return len(session.gold & opened) >= SAME_TOPIC_SHARE * len(session.gold)


def list_named(text: str, paths: Sequence[str]) -> list[str]:
    """List the files of the project that a text names, by their paths or grouped by folder, in its order."""
    path_set, words = set(paths), list[str]()
    for group in (group for line in text.splitlines() for group in line.split("; ")):
        head, _, names = group.partition(": ")
        folder = head.rpartition(" ")[2]
        if folder.endswith("/"):
            words += [folder + name.split(" ")[0] for name in names.split(", ")]
        else:
            words += _PATH.findall(group)
    return list(dict.fromkeys(word for word in words if word in path_set))
