"""What a running session has in play: the files, searches and commands of late, taken in as they come."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from holloway.config import STEP_FILES_MAX, STEP_SEARCHES_MAX
from holloway.observer.activity import Account
from holloway.text.citation import cited_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.observer.scratchpad import Scratchpad

LOOKED_AT = 50
"""Deeds of a step that are looked at."""
COMMANDS_KEPT = 100
MESSAGE_CHARS_MAX = 50_000
MESSAGES_LOOKED_AT = 50


class InPlay:
    """Follows a scratchpad and the messages of its agent, looking at each deed and each message once."""

    def __init__(self) -> None:
        self.files: dict[str, None] = {}
        """The files touched of late that nothing is known to be said about yet, the latest last."""
        self.edited: set[str] = set()
        self.commands: deque[str] = deque(maxlen=COMMANDS_KEPT)
        self.searches: deque[str] = deque(maxlen=STEP_SEARCHES_MAX)
        self.seen: set[str] = set()
        """Ids of memories that stand in the messages."""
        self._step = 0
        self._notes = 0
        self._messages = 0

    def take_in(self, pad: Scratchpad) -> None:
        """Look at what was done since the last time."""
        new = [action for action in pad.actions[-LOOKED_AT:] if action.step > self._step]
        if not new:
            return
        self._step = pad.step
        account = Account(replace(pad, actions=new, notes=[]))
        for path in account.touched:
            self.files.pop(path, None)
            self.files[path] = None
        for path in list(self.files)[:-STEP_FILES_MAX]:
            del self.files[path]
        self.edited |= set(account.edited)
        self.commands += [action.command for action in new if action.command and action.ok is not False]
        self.searches += [deed.pattern for deed in account.of("search", "list") if deed.pattern]

    def asked(self, *, files: bool, searches: bool) -> None:
        """All that there was to say of these was said; they are in play again when they are touched again."""
        if files:
            self.files.clear()
        if searches:
            self.searches.clear()

    def new_notes(self, pad: Scratchpad) -> list[str]:
        """What the agent asked to be remembered and was not told back yet."""
        return [note.text for note in pad.notes if note.voice == "record"][self._notes :]

    def notes_told(self, pad: Scratchpad) -> None:
        """Those notes were told back."""
        self._notes += len(self.new_notes(pad))

    def forgotten(self) -> None:
        """The agent's context was cut: what it read and noted may be told again; what it did stays done."""
        self.seen.clear()
        self._messages = self._notes = 0

    def read(self, messages: Sequence[object]) -> None:
        """Note which memories stand in the messages; fewer messages than before mean that the host compacted them."""
        if len(messages) < self._messages:
            self.seen.clear()
            self._messages = 0
        for message in messages[self._messages :][-MESSAGES_LOOKED_AT:]:
            self.seen |= set(cited_in(str(message)[:MESSAGE_CHARS_MAX]))
        self._messages = len(messages)
