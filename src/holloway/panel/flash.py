"""Flash messages: what an action did, shown once on the next page, with a form that undoes it."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

FLASHES_MAX = 5
BROWSERS_MAX = 64


@dataclass(frozen=True, slots=True)
class Flash:
    """A message in the language of its reader. `undo` is the path of a form that takes the action back.

    `link` is the page on which the person can act on it.
    """

    text: str
    link: str = ""
    undo: str = ""
    undo_fields: Mapping[str, str] = field(default_factory=dict)


class FlashMessages:
    """The messages that wait for the next page of each browser."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, list[Flash]] = OrderedDict()
        self._lock = Lock()

    def add(self, browser: str, flash: Flash) -> None:
        """Keep a message for the next page that a browser loads."""
        with self._lock:
            flashes = self._waiting.setdefault(browser, [])
            flashes[:] = [*flashes, flash][-FLASHES_MAX:]
            while len(self._waiting) > BROWSERS_MAX:
                self._waiting.popitem(last=False)

    def take(self, browser: str) -> list[Flash]:
        """Return the messages of a browser and forget them."""
        with self._lock:
            return self._waiting.pop(browser, [])
