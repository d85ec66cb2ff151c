"""The team of the screenshots: colleagues who share memories with the shop, one of them in conflict, one unknown."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import holloway
from holloway.testing import CountedIds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.service.holloway import Holloway
    from holloway.testing import FakeClock

SHARED_BY_BEN = (
    "Refund tests need the sandbox key of the payment provider: set PAYMENT_SANDBOX=1.",
    "Prices are net everywhere but in templates.",
    "The ledger table is append-only; correct an entry with a counter-entry.",
)
SHARED_BY_CHLOE = ("Run the image worker with --once in tests, or it never ends.",)
OWN_TEXT = "Deploy with `make release`; it waits for the smoke tests."
TEXT_OF_BEN = "Deploy with `make release`, and only after the smoke tests are green."
TEXT_HERE = "Deploy with `make release FORCE=0`; it waits for the smoke tests."


def share_with_team(memory: Holloway, clock: FakeClock) -> None:
    """Share a memory, accept a colleague, and have both rewrite it at once; another colleague stays unknown."""
    root = memory.project.root
    hub = root.parent / "team.git"
    subprocess.run(["git", "init", "-q", "--bare", str(hub)], check=True)
    subprocess.run(["git", "-C", str(root), "remote", "add", "origin", str(hub)], check=True)
    card = memory.remember(OWN_TEXT, type="decision", visibility="team").memory
    assert card is not None
    sharing = memory.sharing()
    sharing.start(sharing.build_offer("origin"), (), author="Ada", device="laptop")
    sharing.synchronize()
    ben = _open_colleague(root, "ben", clock)
    _join(ben, hub, "Ben", SHARED_BY_BEN)
    chloe = _open_colleague(root, "chloe", clock)
    _join(chloe, hub, "Chloé", SHARED_BY_CHLOE)
    sharing.synchronize()
    sharing.accept("Ben")
    copy = next(shared for shared in ben.memories() if shared.content == OWN_TEXT)
    ben.confirm(copy.id)
    ben.edit(copy.id, content=TEXT_OF_BEN)
    ben.sharing().synchronize()
    clock.advance(hours=2)
    memory.edit(card.id, content=TEXT_HERE)
    sharing.synchronize()
    ben.close()
    chloe.close()


def _open_colleague(root: Path, name: str, clock: FakeClock) -> Holloway:
    clone = root.parent / name / root.name
    subprocess.run(["git", "clone", "-q", str(root), str(clone)], check=True)
    return holloway.open(clone, home=root.parent / f"{name}-data", clock=clock, ids=CountedIds(name))


def _join(colleague: Holloway, hub: Path, author: str, texts: Sequence[str]) -> None:
    for text in texts:
        colleague.remember(text, visibility="team")
    sharing = colleague.sharing()
    sharing.membership.start(str(hub), (), author=author, device="desk")
    sharing.synchronize()
    sharing.accept("all")
    sharing.synchronize()
