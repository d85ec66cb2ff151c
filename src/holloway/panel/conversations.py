"""The conversations of the page Ask, one for each browser, held in memory until the panel ends."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from holloway.service.ask import Conversation

CONVERSATIONS_MAX = 32


class Conversations:
    """The conversation of each browser; the oldest is dropped when there are too many."""

    def __init__(self) -> None:
        self._by_browser: OrderedDict[str, Conversation] = OrderedDict()
        self._lock = Lock()

    def get(self, browser: str) -> Conversation:
        """Return the conversation of a browser, a new one at first."""
        with self._lock:
            conversation = self._by_browser.setdefault(browser, Conversation())
            self._by_browser.move_to_end(browser)
            while len(self._by_browser) > CONVERSATIONS_MAX:
                self._by_browser.popitem(last=False)
            return conversation

    def drop(self, browser: str) -> None:
        """Forget the conversation of a browser."""
        with self._lock:
            self._by_browser.pop(browser, None)
