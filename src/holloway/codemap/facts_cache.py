"""LRU-like cache of parsed facts and name scopes, so that files that are resolved against often are decoded once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol

from holloway.codemap.parse.facts import decode_facts
from holloway.codemap.resolve.scopes import Scopes

if TYPE_CHECKING:
    from holloway.codemap.database import MapDatabase
    from holloway.codemap.parse.facts import Facts
    from holloway.codemap.resolve.resolver import Mention

SCOPES_CACHED_MAX = 800
"""Files whose scopes stay in memory while others are resolved: about 13 MB; doubling it is not faster."""


class FactsSource(Protocol):
    """Storage that the facts of a file are loaded from."""

    def load_facts(self, path: str) -> tuple[str, bytes]:
        """Return a file's language and encoded facts; the language is empty if the file is missing or not code."""

    def load_mentions(self, path: str) -> bytes:
        """Return the encoded references of a file."""


class MapFactsSource:
    """Facts source that reads from the map database."""

    def __init__(self, database: MapDatabase) -> None:
        self._database = database

    def load_facts(self, path: str) -> tuple[str, bytes]:
        """Return a file's language and encoded facts."""
        row = self._database.fetch_row("SELECT language, facts FROM files WHERE path = ?", (path,))
        return (row[0], row[1]) if row is not None else ("", b"")

    def load_mentions(self, path: str) -> bytes:
        """Return the encoded references of a file."""
        sql = "SELECT m.data FROM files f JOIN mentions m ON m.file = f.id WHERE f.path = ?"
        return self._database.fetch_value(sql, (path,)) or b""


class FactsCache:
    """Cache of decoded facts, by path, in two generations."""

    def __init__(self, source: FactsSource) -> None:
        self._source = source
        self._young: dict[str, Scopes | None] = {}
        self._old: dict[str, Scopes | None] = {}
        """Entries not used since the last generation change; the next change discards them."""

    def add_parsed(self, path: str, language: str, facts: Facts) -> None:
        """Cache facts that were just parsed, while there is room: the first files are also resolved first."""
        if len(self._old) < SCOPES_CACHED_MAX // 2:
            self._old[path] = Scopes(path, language, facts._replace(references=()))

    def load_mentions(self, path: str) -> list[Mention]:
        """Return the references of a file as plain lists; not cached, because each file is resolved once."""
        data = self._source.load_mentions(path)
        return json.loads(data) if data else []

    def load_scopes(self, path: str) -> Scopes | None:
        """Return the scopes of a file; None if it is not in the map or not code."""
        try:
            return self._young[path]
        except KeyError:
            return self._promote_scopes(path)

    def _promote_scopes(self, path: str) -> Scopes | None:
        scopes = self._old.pop(path) if path in self._old else self._decode_scopes(path)
        if len(self._young) >= SCOPES_CACHED_MAX // 2:
            self._young, self._old = {}, self._young
        self._young[path] = scopes
        return scopes

    def _decode_scopes(self, path: str) -> Scopes | None:
        language, data = self._source.load_facts(path)
        return Scopes(path, language, decode_facts(data)) if language else None
