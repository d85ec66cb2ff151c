"""A graph of any size, straight in a map's tables."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from benchmarks.generated import SEED
from holloway.codemap.database import MapDatabase, open_map

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Graph:
    """A map with a number of nodes: only the tables that an impact reads, written without reading any code."""

    PER_FILE = 10
    NEAR = 100
    """How many files away most uses lie."""
    HUB_SHARE = 0.05
    CONFIDENCES = (1.0, 0.9, 0.9, 0.8, 0.6, 0.4)
    USES = ("calls", "calls", "calls", "typed_as", "instantiates")
    INSIDE = (
        "Model",
        "Model.load",
        "Model.save",
        "Model.close",
        "View",
        "View.show",
        "View.hide",
        "make",
        "check",
        "run",
    )

    def __init__(self, nodes: int) -> None:
        self._random = random.Random(SEED)
        self._step = self.PER_FILE + 1
        self._files = nodes // self._step
        self._nodes = self._files * self._step

    def write(self, path: Path) -> MapDatabase:
        """Fill a new map, in one transaction."""
        database = open_map(path)
        with database.write_transaction():
            write = database.connection.executemany
            write("INSERT INTO files VALUES (?, ?, 'python', ?, 0, 0, x'', x'', 100, x'')", self._file_rows())
            write("INSERT INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', 1)", self._node_rows())
            write("INSERT OR IGNORE INTO edges VALUES (?, ?, ?, 'ast', ?, 1, ?)", self._edge_rows())
            names = [(1 + number % self._files, self._name(number)) for number in range(self._nodes // 5)]
            write("INSERT INTO unresolved VALUES (?, 'call', ?, 1)", names)
        return database

    def _path(self, file: int) -> str:
        place = f"area_{file // 200}/part_{file // 20}"
        return f"tests/{place}/test_{file}.py" if file % 5 == 0 else f"src/{place}/file_{file}.py"

    def _name(self, number: int) -> str:
        return f"{self.INSIDE[number % self.PER_FILE].rpartition('.')[2]}_{number % 5_000}"

    def _file_rows(self) -> Iterator[tuple[int, str, str]]:
        for file in range(1, self._files + 1):
            yield file, self._path(file), "test" if file % 5 == 0 else "source"

    def _node_rows(self) -> Iterator[tuple[object, ...]]:
        for file in range(1, self._files + 1):
            file_node, path = self._node(file), self._path(file)
            yield file_node, file, "file", path.rpartition("/")[2], path, None, 1, 100
            for at, inside in enumerate(self.INSIDE):
                holder, _, _ = inside.rpartition(".")
                kind = "method" if holder else "class" if inside.istitle() else "function"
                parent = file_node + 1 + self.INSIDE.index(holder) if holder else file_node
                name = self._name(file * self.PER_FILE + at)
                yield (
                    file_node + 1 + at,
                    file,
                    kind,
                    name,
                    f"{holder}.{name}".lstrip("."),
                    parent,
                    at * 9 + 1,
                    at * 9 + 9,
                )

    def _node(self, file: int) -> int:
        return (file - 1) * self._step + 1

    def _file(self, node: int) -> int:
        return (node - 1) // self._step + 1

    def _edge_rows(self) -> Iterator[tuple[object, ...]]:
        for source, used in self._uses():
            sure, file = self._random.choice(self.CONFIDENCES), self._file(source)
            if source != used:
                yield source, used, self._random.choice(self.USES), sure, file
            if file != self._file(used) and self._random.random() < 0.5:
                yield self._node(file), self._node(self._file(used)), "imports", 1.0, file
        for file in range(5, self._files + 1, 5):
            yield self._node(file - 1), self._node(file), "tested_by", 0.8, file

    def _uses(self) -> Iterator[tuple[int, int]]:
        """Who uses what: mostly what lies near, and the hubs, the largest of which every twentieth node uses."""
        pick = self._random.randrange
        for source in range(1, self._nodes + 1):
            for _ in range(pick(4)):
                file = max(1, min(self._files, self._file(source) + pick(-self.NEAR, self.NEAR + 1)))
                yield source, self._node(file) + 1 + pick(self.PER_FILE)
        rank, users = 1, int(self._nodes * self.HUB_SHARE)
        while users > 3:
            hub = self._node(1 + pick(self._files)) + 1 + pick(self.PER_FILE)
            yield from ((source, hub) for source in self._random.sample(range(1, self._nodes + 1), users))
            rank, users = rank + 1, int(self._nodes * self.HUB_SHARE / (rank + 1))
