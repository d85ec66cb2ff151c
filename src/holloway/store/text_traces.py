"""Traces of a text that is to be forgotten: finds its parts in other texts, whatever their case or punctuation."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

RUN_WORDS = 5
"""Words in a row by which a part of a sentence is recognised."""
RUN_CHARS_MIN = 16
"""A shorter run of words, such as "it is to be a", says nothing of the sentence."""
WINDOW_CHARS = 8
"""Characters in a row by which a part is recognised in a script without spaces."""
_WORD = re.compile(r"[^\W_]+")


class TextTraces:
    """The parts of some texts, to look for in others."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._runs: dict[int, set[str]] = {}
        self._windows: set[str] = set()
        self._wholes: set[str] = set()
        for text in texts:
            words = _split_words(text)
            if len(words) >= RUN_WORDS:
                self._wholes.add(f" {' '.join(words)} ")
            size = min(len(words), RUN_WORDS)
            for run in _list_runs(words, size):
                if size < RUN_WORDS or len(run) >= RUN_CHARS_MIN:
                    self._runs.setdefault(size, set()).add(run)
            self._windows.update(window for word in words if _is_unspaced(word) for window in _list_windows(word))
        self._runs.pop(0, None)

    def occur_in(self, text: str | None) -> bool:
        """Return whether a text repeats one of the parts; the strings of a JSON document are read too."""
        return any(self._occur_in_words(_split_words(string)) for string in _list_strings(text or ""))

    def occur_whole_in(self, text: str | None) -> bool:
        """Return whether a text contains one of the texts completely; a text of a few words may be said of anything."""
        words = f" {' '.join(_split_words(text or ''))} "
        return any(whole in words for whole in self._wholes)

    def _occur_in_words(self, words: list[str]) -> bool:
        if any(not runs.isdisjoint(_list_runs(words, size)) for size, runs in self._runs.items()):
            return True
        unspaced = (word for word in words if _is_unspaced(word)) if self._windows else ()
        return any(not self._windows.isdisjoint(_list_windows(word)) for word in unspaced)


def _list_strings(text: str) -> Iterator[str]:
    yield text
    if text.lstrip()[:1] in ("{", "["):
        try:
            pending = [json.loads(text)]
        except (ValueError, RecursionError):
            return
        while pending:
            value = pending.pop()
            if isinstance(value, str):
                yield value
            elif isinstance(value, dict):
                pending += [*value.keys(), *value.values()]
            elif isinstance(value, list):
                pending += value


def _split_words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _list_runs(words: list[str], size: int) -> Iterator[str]:
    return (" ".join(words[at : at + size]) for at in range(len(words) - size + 1))


def _is_unspaced(word: str) -> bool:
    """Return whether a word is as long as a sentence part and in a script that is written without spaces."""
    return len(word) >= WINDOW_CHARS and not word.isascii() and any(ord(char) > 0x2E7F for char in word)


def _list_windows(word: str) -> Iterator[str]:
    return (word[at : at + WINDOW_CHARS] for at in range(len(word) - WINDOW_CHARS + 1))
