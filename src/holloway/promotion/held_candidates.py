"""Held candidates: promoted once their work is committed or tested, dropped if it is reverted or they expire."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holloway import git
from holloway.codemap.history import git_log
from holloway.domain.ports import format_stamp
from holloway.errors import HollowayError
from holloway.promotion.candidate import parse_draft
from holloway.promotion.reader.checkout_search import CheckoutSearch
from holloway.promotion.reader.lesson_evidence import list_searched_names
from holloway.store import candidates as ledger
from holloway.store import observations, session_ledger
from holloway.store.candidates import DROPPED, PROMOTED, REINFORCED
from holloway.store.write_gate import sanitize_draft

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holloway.domain.memory import Memory
    from holloway.store.candidates import StoredCandidate
    from holloway.store.store import Store


UNDONE_SHARE = 0.5
"""Share of the files of a session's change that a revert touches when it takes that change back."""


@dataclass(frozen=True, slots=True)
class WorkProof:
    """Later fate of a session's work: the commit or session that proved it, or the one that undid it."""

    proved: str = ""
    undone: str = ""


def settle_held_candidates(store: Store, proof_of: Callable[[str], WorkProof]) -> list[StoredCandidate]:
    """Decide on all held candidates; returns those that were decided. Each decision is atomic."""
    now = format_stamp(store.clock.now())
    decided: list[StoredCandidate] = []
    proofs: dict[str, WorkProof] = {}
    checkout = CheckoutSearch(str(store.project.root))
    for candidate in ledger.list_held_candidates(store.database):
        if candidate.session not in proofs:
            proofs[candidate.session] = proof_of(candidate.session)
        proof = proofs[candidate.session]
        if proof.undone:
            settled = replace(candidate, state=DROPPED, reason=f"its change was undone ({proof.undone})")
        elif proof.proved and _has_named_code(candidate, checkout):
            settled = _release_candidate(store, candidate, proof.proved)
        elif candidate.held_until <= now:
            settled = replace(candidate, state=DROPPED, reason="nobody committed or tested its change in time")
        else:
            continue
        with store.database.write_transaction():
            ledger.insert_candidate(store.database, replace(settled, held_until=""))
        decided.append(settled)
    return decided


def _has_named_code(candidate: StoredCandidate, checkout: CheckoutSearch) -> bool:
    """Return whether the history has the code that a lesson of a reader names; other candidates follow their files."""
    names = list_searched_names(str(candidate.draft["content"])) if candidate.signal == ledger.READ_LESSON else []
    return all(checkout.find_files_with(name) != frozenset() for name in names)


def _release_candidate(store: Store, candidate: StoredCandidate, proof: str) -> StoredCandidate:
    try:
        with store.database.write_transaction():
            draft = parse_draft(candidate.draft)
            duplicate = store.memories.find_by_origin(draft.origin)
            if duplicate is not None and draft.session in duplicate.sessions:
                return replace(candidate, state=PROMOTED, reason=f"proved by {proof}", memory=duplicate.id)
            if duplicate is None and store.memories.is_rejected(draft.origin):
                return replace(candidate, state=DROPPED, reason="a person rejected it")
            # A related memory may have been deleted for good in the meantime.
            relations = tuple(
                relation
                for relation in draft.relations
                if not relation.memory or store.memories.has_memory(relation.memory)
            )
            admitted = sanitize_draft(replace(draft, relations=relations), str(store.project.root))
            added = (
                store.memories.reinforce_similar(duplicate, admitted)
                if duplicate
                else store.memories.add_memory(admitted)
            )
    except (HollowayError, KeyError, TypeError, ValueError) as error:
        return replace(candidate, state=DROPPED, reason=f"it can no longer be stored ({error})")
    if added.memory is None:
        return replace(candidate, state=DROPPED, reason="a person rejected it")
    if added.outcome == "known":
        return replace(candidate, state=DROPPED, reason=f"{added.memory.id} says it, and untrusted text proves nothing")
    state = PROMOTED if added.outcome == "added" else REINFORCED
    return replace(candidate, state=state, reason=f"proved by {proof}", memory=added.memory.id)


def map_undone_commits(commits: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Map each reverted or fixed commit to the commit that did so, from the messages of later commits."""
    undoing_commits: dict[str, str] = {}
    for sha, message in commits:
        for target in _UNDO_MESSAGE.findall(message):
            undoing_commits.setdefault(target, sha)
    return undoing_commits


def delete_undone_memories(store: Store, commits: Sequence[tuple[str, str]]) -> list[Memory]:
    """Delete memories learned from work that later commits undid, except for memories that a person confirmed.

    Returns the deleted memories.
    """
    undone = map_undone_commits(commits)
    if not undone:
        return []
    reverted = []
    at = format_stamp(store.clock.now())
    for memory in store.memories.list_observed():
        undoing_commit = next(
            (sha for target, sha in undone.items() if memory.commit and _is_same_commit(memory.commit, target)), ""
        )
        if undoing_commit:
            reason = f"commit {undoing_commit[:10]} undid what it was learned from"
            changes = {"deleted_at": at, "deleted_reason": f"undone: {reason}", "review": None}
            reverted.append(store.memories.update_memory(memory, "undone", reason, **changes))
    return reverted


_UNDO_MESSAGE = re.compile(r"^(?:This reverts commit|Fixes:) ([0-9a-f]{7,40})\b", re.MULTILINE)


def _is_same_commit(sha: str, other_sha: str) -> bool:
    """Whether two commit hashes, perhaps abbreviated, name the same commit."""
    return sha.startswith(other_sha) or other_sha.startswith(sha)


def take_back_reverted(store: Store) -> list[Memory]:
    """Set aside memories learned from work that was reverted since the last look at the history; returns them."""
    root = str(store.project.root)
    head, last_checked = git.head_commit(root), store.get_meta("undone_seen")
    if not head or head == last_checked:
        return []
    reverted = delete_undone_memories(store, git.commits_between(root, last_checked, head))
    store.set_meta("undone_seen", head)
    return reverted


def find_proof(store: Store, session: str) -> WorkProof:
    """Return the later fate of a session's change: committed, tested by a later session, reverted, or none of these."""
    sessions = session_ledger.find_sessions(store.database, session)
    if not sessions:
        return WorkProof()
    changed = [
        path for path, weight in observations.list_session_files(store.database, [session])[session] if weight > 1
    ]
    if not changed:
        return WorkProof()
    ended_at = sessions[0].last_event_at
    later = observations.find_later_success(store.database, session, ended_at, changed)
    commits = git.commits_since(str(store.project.root), ended_at, changed)
    reverts = (sha for sha, message in commits if message.startswith("Revert "))
    if undoing_commit := next((sha for sha in reverts if _undoes_change(store, sha, changed)), ""):
        return WorkProof(undone=f"commit {undoing_commit[:10]}")
    if commits:
        return WorkProof(proved=f"commit {commits[0][0][:10]}")
    return WorkProof(proved=f"session {later}") if later else WorkProof()


def _undoes_change(store: Store, revert: str, changed: Sequence[str]) -> bool:
    """Return whether a revert is of a session's change, and not of another one that shares a file with it."""
    commits = git_log.read_commits(str(store.project.root), [revert], has_contents=False).commits
    reverted = {path for commit in commits for path in commit.churn}
    return not reverted or len(reverted.intersection(changed)) >= UNDONE_SHARE * len(changed)
