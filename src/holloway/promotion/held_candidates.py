"""What waits: released when the work it came from is committed or tested, dropped when it is reverted or too old."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holloway.domain.ports import stamp
from holloway.errors import HollowayError
from holloway.promotion.candidate import from_plain
from holloway.store import candidates as ledger
from holloway.store.candidates import DROPPED, PROMOTED, REINFORCED
from holloway.store.write_gate import admit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holloway.domain.memory import Memory
    from holloway.store.candidates import Kept
    from holloway.store.store import Store


@dataclass(frozen=True, slots=True)
class Proof:
    """What happened to a session's work after it: the commit or session that proved it, or the one that undid it."""

    proved: str = ""
    undone: str = ""


def settle(store: Store, proof_of: Callable[[str], Proof]) -> list[Kept]:
    """Look at everything that is held; returns what was decided. Each decision is complete or did not happen."""
    now = stamp(store.clock.now())
    decided: list[Kept] = []
    proofs: dict[str, Proof] = {}
    for each in ledger.held(store.database):
        if each.session not in proofs:
            proofs[each.session] = proof_of(each.session)
        proof = proofs[each.session]
        if proof.undone:
            settled = replace(each, state=DROPPED, reason=f"its change was undone ({proof.undone})")
        elif proof.proved:
            settled = _released(store, each, proof.proved)
        elif each.held_until <= now:
            settled = replace(each, state=DROPPED, reason="nobody committed or tested its change in time")
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
            twin = store.memories.by_origin(draft.origin)
            if twin is not None and draft.session in twin.sessions:
                return replace(each, state=PROMOTED, reason=f"proved by {proof}", memory=twin.id)
            if twin is None and store.memories.is_rejected(draft.origin):
                return replace(each, state=DROPPED, reason="a person rejected it")
            # What it is related to may have been forgotten for good meanwhile.
            related = tuple(one for one in draft.relations if not one.memory or store.memories.has(one.memory))
            admitted = admit(replace(draft, relations=related), str(store.project.root))
            added = store.memories.agree(twin, admitted) if twin else store.memories.add(admitted)
    except (HollowayError, KeyError, TypeError, ValueError) as error:
        return replace(each, state=DROPPED, reason=f"it can no longer be stored ({error})")
    if added.memory is None:
        return replace(each, state=DROPPED, reason="a person rejected it")
    if added.outcome == "known":
        return replace(each, state=DROPPED, reason=f"{added.memory.id} says it, and what is foreign proves nothing")
    state = PROMOTED if added.outcome == "added" else REINFORCED
    return replace(each, state=state, reason=f"proved by {proof}", memory=added.memory.id)


def undone_by(commits: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Which commits were reverted or mended, by which: from what the messages of later commits say."""
    found: dict[str, str] = {}
    for sha, message in commits:
        for target in _UNDOES.findall(message):
            found.setdefault(target, sha)
    return found


def take_back(store: Store, commits: Sequence[tuple[str, str]]) -> list[Memory]:
    """Set aside what was learned from work that later commits undid; a person's confirmation outweighs that."""
    undone = undone_by(commits)
    if not undone:
        return []
    taken = []
    at = stamp(store.clock.now())
    for memory in store.memories.observed():
        by = next((sha for target, sha in undone.items() if memory.commit and _same(memory.commit, target)), "")
        if by:
            reason = f"commit {by[:10]} undid what it was learned from"
            gone = {"deleted_at": at, "deleted_reason": f"undone: {reason}", "review": None}
            taken.append(store.memories.change(memory, "undone", reason, **gone))
    return taken


_UNDOES = re.compile(r"^(?:This reverts commit|Fixes:) ([0-9a-f]{7,40})\b", re.MULTILINE)


def _same(one: str, other: str) -> bool:
    """Whether two hashes, perhaps cut short, name one commit."""
    return one.startswith(other) or other.startswith(one)
