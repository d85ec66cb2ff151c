"""Held candidates: promoted once their work is committed or tested, dropped if it is reverted or they expire."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holloway import git
from holloway.domain.ports import stamp
from holloway.errors import HollowayError
from holloway.promotion.candidate import from_plain
from holloway.store import candidates as ledger
from holloway.store import observations, session_ledger
from holloway.store.candidates import DROPPED, PROMOTED, REINFORCED
from holloway.store.write_gate import admit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holloway.domain.memory import Memory
    from holloway.store.candidates import Kept
    from holloway.store.store import Store


@dataclass(frozen=True, slots=True)
class Proof:
    """Later fate of a session's work: the commit or session that proved it, or the one that undid it."""

    proved: str = ""
    undone: str = ""


def settle(store: Store, proof_of: Callable[[str], Proof]) -> list[Kept]:
    """Decide on all held candidates; returns those that were decided. Each decision is atomic."""
    now = stamp(store.clock.now())
    decided: list[Kept] = []
    proofs: dict[str, Proof] = {}
    for candidate in ledger.held(store.database):
        if candidate.session not in proofs:
            proofs[candidate.session] = proof_of(candidate.session)
        proof = proofs[candidate.session]
        if proof.undone:
            settled = replace(candidate, state=DROPPED, reason=f"its change was undone ({proof.undone})")
        elif proof.proved:
            settled = _released(store, candidate, proof.proved)
        elif candidate.held_until <= now:
            settled = replace(candidate, state=DROPPED, reason="nobody committed or tested its change in time")
        else:
            continue
        with store.database.write():
            ledger.add(store.database, replace(settled, held_until=""))
        decided.append(settled)
    return decided


def _released(store: Store, each: Kept, proof: str) -> Kept:
    try:
        with store.database.write():
            draft = from_plain(each.draft)
            duplicate = store.memories.by_origin(draft.origin)
            if duplicate is not None and draft.session in duplicate.sessions:
                return replace(each, state=PROMOTED, reason=f"proved by {proof}", memory=duplicate.id)
            if duplicate is None and store.memories.is_rejected(draft.origin):
                return replace(each, state=DROPPED, reason="a person rejected it")
            # A related memory may have been deleted for good in the meantime.
            relations = tuple(
                relation for relation in draft.relations if not relation.memory or store.memories.has(relation.memory)
            )
            admitted = admit(replace(draft, relations=relations), str(store.project.root))
            added = store.memories.agree(duplicate, admitted) if duplicate else store.memories.add(admitted)
    except (HollowayError, KeyError, TypeError, ValueError) as error:
        return replace(each, state=DROPPED, reason=f"it can no longer be stored ({error})")
    if added.memory is None:
        return replace(each, state=DROPPED, reason="a person rejected it")
    if added.outcome == "known":
        return replace(each, state=DROPPED, reason=f"{added.memory.id} says it, and untrusted text proves nothing")
    state = PROMOTED if added.outcome == "added" else REINFORCED
    return replace(each, state=state, reason=f"proved by {proof}", memory=added.memory.id)


def undone_by(commits: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Map each reverted or fixed commit to the commit that did so, from the messages of later commits."""
    undoing_commits: dict[str, str] = {}
    for sha, message in commits:
        for target in _UNDOES.findall(message):
            undoing_commits.setdefault(target, sha)
    return undoing_commits


def take_back(store: Store, commits: Sequence[tuple[str, str]]) -> list[Memory]:
    """Delete memories learned from work that later commits undid, except for memories that a person confirmed.

    Returns the deleted memories.
    """
    undone = undone_by(commits)
    if not undone:
        return []
    reverted = []
    at = stamp(store.clock.now())
    for memory in store.memories.observed():
        undoing_commit = next(
            (sha for target, sha in undone.items() if memory.commit and _same(memory.commit, target)), ""
        )
        if undoing_commit:
            reason = f"commit {undoing_commit[:10]} undid what it was learned from"
            changes = {"deleted_at": at, "deleted_reason": f"undone: {reason}", "review": None}
            reverted.append(store.memories.change(memory, "undone", reason, **changes))
    return reverted


_UNDOES = re.compile(r"^(?:This reverts commit|Fixes:) ([0-9a-f]{7,40})\b", re.MULTILINE)


def _same(one: str, other: str) -> bool:
    """Whether two commit hashes, perhaps abbreviated, name the same commit."""
    return one.startswith(other) or other.startswith(one)


def take_back_reverted(store: Store) -> list[Memory]:
    """Set aside memories learned from work that was reverted since the last look at the history; returns them."""
    root = str(store.project.root)
    head, seen = git.head_commit(root), store.noted("undone_seen")
    if not head or head == seen:
        return []
    reverted = take_back(store, git.commits_between(root, seen, head))
    store.note("undone_seen", head)
    return reverted


def find_proof(store: Store, session: str) -> Proof:
    """Return the later fate of a session's change: committed, tested by a later session, reverted, or none of these."""
    sessions = session_ledger.get(store.database, session)
    if not sessions:
        return Proof()
    changed = [path for path, weight in observations.files_of(store.database, [session])[session] if weight > 1]
    if not changed:
        return Proof()
    ended_at = sessions[0].last_event_at
    later = observations.proved_later(store.database, session, ended_at, changed)
    commits = git.commits_since(str(store.project.root), ended_at, changed)
    reverts = [sha for sha, message in commits if message.startswith("Revert ")]
    if reverts:
        return Proof(undone=f"commit {reverts[0][:10]}")
    if commits:
        return Proof(proved=f"commit {commits[0][0][:10]}")
    return Proof(proved=f"session {later}") if later else Proof()
