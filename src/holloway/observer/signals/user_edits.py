"""What the user made of the agent's edits before they were written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holloway.config import SCRATCHPAD_LINES_MAX
from holloway.domain.memory import MemoryType
from holloway.observer.signals.signal import Signal, SignalName
from holloway.safety import secrets
from holloway.text.edit_lines import differing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.activity import Account
    from holloway.observer.scratchpad import Action

EDITS_MAX = 20
SHOWN_CHARS_MAX = 160
"""Of both forms of a line; of longer ones what differs is shown."""

_WORDS = re.compile(r"\w+")


def user_edits(activity: Account) -> Iterator[Signal]:
    """The user made another line of one of the agent's. Several lines at once are no lesson in a sentence."""
    found = 0
    for entry in activity.edits:
        pair = _line_changed(entry.action)
        if pair is None or found >= EDITS_MAX:
            continue
        found += 1
        before, after = (form.replace("`", "'") for form in differing(*pair, SHOWN_CHARS_MAX))
        said = f"In `{entry.path}` the user made `{after}` of the agent's `{before}`"
        old, new = differing(*pair, 0)
        files = (entry.path,) if entry.path else ()
        yield Signal(
            SignalName.USER_CORRECTION,
            f"{old} -> {new}",
            entry.step,
            files,
            {"said": said, "agents_line": pair[0]},
            pair,
            type=MemoryType.PREFERENCE,
        )


def _line_changed(action: Action) -> tuple[str, str] | None:
    """The one line of an edit that the user changed, before and after; none where only its signs differ."""
    if not action.changed_by_user or not _is_whole(action):
        return None
    made = [line for line in action.applied if line in action.added or line not in action.removed]
    others = [pair for pair in zip(action.added, made, strict=False) if pair[0] != pair[1]]
    if len(made) != len(action.added) or len(others) != 1:
        return None
    old, new = others[0]
    if old in made or new in action.added:
        return None
    # A secret is known by what stands around it, so it goes before a line is cut.
    old, new = secrets.redact(old)[0], secrets.redact(new)[0]
    if _WORDS.findall(old) == _WORDS.findall(new):
        return None
    return (old, new) if sum(map(len, differing(old, new, SHOWN_CHARS_MAX))) <= SHOWN_CHARS_MAX else None


def _is_whole(action: Action) -> bool:
    """Whether all lines are there: where the end is cut off, a line that came in pushes another out of sight."""
    return 0 < len(action.applied) < SCRATCHPAD_LINES_MAX and len(action.added) < SCRATCHPAD_LINES_MAX
