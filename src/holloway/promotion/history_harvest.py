"""History harvest: explanations in commit messages become memories of the files that the commits changed.

The authors wrote down why a change was made, so a project has a memory on its first day. A passage of a commit body is
kept if the passage ranker takes it for a lesson, the output gate admits it as an explanation, it does not sum up the
change, its commit was not reverted, the code that it names still exists, and most lines that the commit added still
stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING

from holloway import git
from holloway.codemap.history import git_log
from holloway.config import HARVEST_COMMITS_MAX, HARVEST_MEMORIES_MAX, HISTORY_BODY_CHARS_MAX
from holloway.domain.memory import Draft, MemoryType, ReviewReason, Source, State
from holloway.domain.memory_details import Decision
from holloway.domain.ports import format_stamp
from holloway.errors import HollowayError
from holloway.observer.passage_ranker import LESSON_SCORES, score_passage
from holloway.observer.passages import Speaker, split_commit_body
from holloway.observer.words.explaining import is_change_summary
from holloway.promotion.commit_checks import (
    PASSAGES_PER_COMMIT_MAX,
    clean_subject,
    find_present_words,
    is_cleanup,
    is_squashed,
    is_tellable,
    list_living_files,
    split_names,
    stands_alone,
    still_stands,
)
from holloway.promotion.own_repository import find_default_head, is_own_repository
from holloway.store.lookup import HISTORY_PREFIX
from holloway.store.write_gate import sanitize_draft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.codemap.history.git_log import Commit
    from holloway.promotion.candidate import CodeMapLookup
    from holloway.store.store import Store

HARVESTED = "harvested_commit"
_REVERT = re.compile(r"^This reverts commit ([0-9a-f]{7,64})", re.MULTILINE)
_REVERTED_SUBJECT = re.compile(r'^Revert "(.{1,200})"$')


@dataclass(frozen=True, slots=True)
class Harvest:
    """The outcome of a harvest: commits read, memories added, and whether they wait for review."""

    commits: int = 0
    added: int = 0
    for_review: bool = False


@dataclass(frozen=True, slots=True)
class _Explanation:
    """A passage of a commit that is worth telling."""

    commit: Commit
    number: int
    text: str
    files: tuple[str, ...]
    score: float


def harvest_history(store: Store, places: CodeMapLookup, *, is_own: bool | None = None) -> Harvest:
    """Harvest the commits of the default branch that were not read before; the newest explanations come first.

    `is_own` tells whether the repository is the person's; by default what this machine did in it decides.
    """
    root = str(store.project.root)
    head = find_default_head(root)
    earlier = store.get_meta(HARVESTED)
    if not head or head == earlier:
        return Harvest()
    excluded = [f"^{earlier}"] if git_log.is_hash(earlier) and git.has_commit(root, earlier) else []
    hashes = git_log.list_commits(root, f"--max-count={HARVEST_COMMITS_MAX}", head, *excluded)
    reading = git_log.read_commits(root, hashes, has_contents=True, body_chars=HISTORY_BODY_CHARS_MAX)
    named = _keep_current(list(_find_explanations(reading.commits, root)), root)
    explanations = sorted(named, key=lambda item: (-item.commit.at, item.number))
    room = HARVEST_MEMORIES_MAX - store.memories.count_with_origin(HISTORY_PREFIX)
    standing = (item for item in explanations if still_stands(item.commit, item.files, root))
    current = list(islice(standing, max(0, room)))
    for_review = not (is_own_repository(root, store.clock.now().timestamp()) if is_own is None else is_own)
    added = 0
    with store.database.write_transaction():
        for explanation in current:
            added += _store_explanation(store, explanation, places, for_review=for_review)
        if reading.is_complete:
            store.set_meta(HARVESTED, head)
    return Harvest(len(reading.commits), added, for_review)


def has_new_commits(store: Store) -> bool:
    """Return whether the default branch has commits that were not read yet."""
    head = find_default_head(str(store.project.root))
    return bool(head) and head != store.get_meta(HARVESTED)


def _find_explanations(commits: list[Commit], root: str) -> Iterator[_Explanation]:
    reverted_hashes = {match[1] for commit in commits if (match := _REVERT.search(commit.body))}
    reverted_subjects = {match[1] for commit in commits if (match := _REVERTED_SUBJECT.match(commit.subject))}
    for commit in commits:
        is_reverted = commit.subject in reverted_subjects or any(map(commit.hash.startswith, reverted_hashes))
        files = list_living_files(commit, root)
        is_passed_over = is_squashed(commit.body) or is_cleanup(commit.subject) or commit.subject.startswith('Revert "')
        if is_reverted or is_passed_over or not files:
            continue
        candidates = [
            _Explanation(commit, number, text, files, score_passage(text, commit.subject, Speaker.COMMIT))
            for number, text in enumerate(split_commit_body(commit.body))
            if is_tellable(text) and stands_alone(text, commit.subject) and not is_change_summary(text)
        ]
        lessons = [item for item in candidates if item.score >= LESSON_SCORES[Speaker.COMMIT]]
        yield from sorted(lessons, key=lambda item: -item.score)[:PASSAGES_PER_COMMIT_MAX]


def _keep_current(explanations: list[_Explanation], root: str) -> list[_Explanation]:
    """Keep the explanations whose code names all still occur in the project; a text without any names none."""
    parts = {number: split_names(item.text) for number, item in enumerate(explanations)}
    present = find_present_words(root, set().union(*parts.values()))
    return [item for number, item in enumerate(explanations) if parts[number] <= present]


def _store_explanation(store: Store, explanation: _Explanation, places: CodeMapLookup, *, for_review: bool) -> bool:
    """Store one explanation as a memory; returns whether it is new."""
    draft = _build_draft(explanation, places, for_review=for_review)
    if store.memories.is_rejected(draft.origin) or store.memories.find_by_origin(draft.origin):
        return False
    try:
        added = store.memories.add_memory(sanitize_draft(draft, str(store.project.root)))
    except HollowayError:  # a secret, or nothing left of the text
        return False
    return added.outcome == "added"


def _build_draft(explanation: _Explanation, places: CodeMapLookup, *, for_review: bool) -> Draft:
    commit = explanation.commit
    subject = clean_subject(commit.subject)
    module = places.module_of(explanation.files[0])
    return Draft(
        content=f"{subject}: {explanation.text}" if subject else explanation.text,
        type=MemoryType.DECISION,
        details=Decision(f"commit {commit.hash[:10]}"),
        files=explanation.files,
        modules=(module,) if module else (),
        source=Source.COMMIT_AUTO,
        state=State.QUARANTINED if for_review else State.UNCONFIRMED,
        review=ReviewReason.IMPORTED if for_review else None,
        commit=commit.hash,
        stated_at=format_stamp(datetime.fromtimestamp(commit.at, UTC)),
        origin=f"{HISTORY_PREFIX}{commit.hash[:16]}:{explanation.number}",
    )
