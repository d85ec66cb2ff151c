"""What waits: released when the work it came from is committed or tested, dropped when it is reverted or too old."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holloway.domain.ports import stamp
from holloway.errors import HollowayError
from holloway.promotion.candidate import from_plain
from holloway.store import candidates as ledger
from holloway.store.candidates import DROPPED, PROMOTED, REINFORCED
from holloway.store.intake import admit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
        proof = proofs.setdefault(each.session, proof_of(each.session))
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
            admitted = admit(draft, str(store.project.root))
            added = store.memories.agree(twin, admitted) if twin else store.memories.add(admitted)
    except (HollowayError, KeyError, TypeError, ValueError) as error:
        return replace(each, state=DROPPED, reason=f"it can no longer be stored ({error})")
    if added.memory is None:
        return replace(each, state=DROPPED, reason="a person rejected it")
    state = PROMOTED if added.outcome == "added" else REINFORCED
    return replace(each, state=state, reason=f"proved by {proof}", memory=added.memory.id)


def undone_by(commits: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Which commits were undone, by which: from what the messages of later commits say."""
    found: dict[str, str] = {}
    for sha, message in commits:
        for line in message.splitlines():
            for sign in ("This reverts commit ", "Fixes: ", "fixup! "):
                if line.strip().startswith(sign):
                    target = line.strip().removeprefix(sign).split(" ")[0].strip(".()")
                    if 7 <= len(target) <= 40:
                        found.setdefault(target, sha)
    return found
