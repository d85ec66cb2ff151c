"""The facts of files with their names in order: those asked for last, the others are read again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol

from holloway.codemap.parse.facts import decode
from holloway.codemap.resolve.scopes import Scopes

if TYPE_CHECKING:
    from holloway.codemap.database import MapDatabase
    from holloway.codemap.parse.facts import Facts
    from holloway.codemap.resolve.resolver import Mention

SCOPES_KEPT = 800
"""Files whose names are kept in memory while others are resolved: about 13 MB; twice as many are no faster."""


class Source(Protocol):
    """Where the facts of a file lie."""

    def facts(self, path: str) -> tuple[str, bytes]:
        """The language of a file, empty where it is not there or no code, and its facts."""

    def mentions(self, path: str) -> bytes:
        """What it mentions."""


class InMap:
    """Facts as they lie in the map."""

    def __init__(self, database: MapDatabase) -> None:
        self._database = database

    def facts(self, path: str) -> tuple[str, bytes]:
        """The language of a file and its facts."""
        row = self._database.row("SELECT language, facts FROM files WHERE path = ?", (path,))
        return (row[0], row[1]) if row is not None else ("", b"")

    def mentions(self, path: str) -> bytes:
        """What a file mentions."""
        sql = "SELECT m.data FROM files f JOIN mentions m ON m.file = f.id WHERE f.path = ?"
        return self._database.value(sql, (path,)) or b""


class FactsRead:
    """What files say, ready to be looked up."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._young: dict[str, Scopes | None] = {}
        self._old: dict[str, Scopes | None] = {}
        """What was not asked for since the young ones were last declared old: it goes when they are again."""

    def keep(self, path: str, language: str, facts: Facts) -> None:
        """Keep what was just read, as long as there is room: those that come first are resolved first."""
        if len(self._old) < SCOPES_KEPT // 2:
            self._old[path] = Scopes(path, language, facts._replace(references=()))

    def mentions(self, path: str) -> list[Mention]:
        """What a file mentions; asked for once, while it is resolved, and so without names for its parts."""
        data = self._source.mentions(path)
        return json.loads(data) if data else []

    def scopes(self, path: str) -> Scopes | None:
        """The names of a file; None where it is not in the map, or no code."""
        try:
            return self._young[path]
        except KeyError:
            return self._rejuvenated(path)

    def _rejuvenated(self, path: str) -> Scopes | None:
        found = self._old.pop(path) if path in self._old else self._read(path)
        if len(self._young) >= SCOPES_KEPT // 2:
            self._young, self._old = {}, self._young
        self._young[path] = found
        return found

    def _read(self, path: str) -> Scopes | None:
        language, data = self._source.facts(path)
        return Scopes(path, language, decode(data)) if language else None
