"""What the user made of the agent's edits before they were written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holloway.domain.memory import MemoryType
from holloway.observer.signals.signal import Signal, SignalName
from holloway.text.edits import differing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.account import Account
    from holloway.scratchpad.scratchpad import Action

EDITS_MAX = 20
SHOWN_CHARS_MAX = 160
"""Of both forms of a line; of longer ones what differs is shown."""

_WORDS = re.compile(r"\w+")


def user_edits(account: Account) -> Iterator[Signal]:
    """The user made another line of one of the agent's. Several lines at once are no lesson in a sentence."""
    found = 0
    for deed in account.edits:
        pair = _line_changed(deed.action)
        if pair is None or found >= EDITS_MAX:
            continue
        found += 1
        before, after = (form.replace("`", "'") for form in differing(*pair, SHOWN_CHARS_MAX))
        said = f"In `{deed.path}` the user made `{after}` of the agent's `{before}`"
        old, new = differing(*pair, 0)
        files = (deed.path,) if deed.path else ()
        yield Signal(
            SignalName.USER_CORRECTION,
            f"{old} -> {new}",
            deed.step,
            files,
            {"said": said},
            pair,
            type=MemoryType.PREFERENCE,
        )


def _line_changed(action: Action) -> tuple[str, str] | None:
    """The one line of an edit that the user changed, before and after; none where only its signs differ."""
    if not action.changed_by_user or not action.applied:
        return None
    gone = [line for line in action.added if line not in action.applied]
    come = [line for line in action.applied if line not in (*action.added, *action.removed)]
    if len(gone) != 1 or len(come) != 1 or _WORDS.findall(gone[0]) == _WORDS.findall(come[0]):
        return None
    shown = differing(gone[0], come[0], SHOWN_CHARS_MAX)
    return (gone[0], come[0]) if sum(map(len, shown)) <= SHOWN_CHARS_MAX else None
