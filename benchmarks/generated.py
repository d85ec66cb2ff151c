"""Codebases that nobody wrote, the same for the same seed: sources to index, and a graph straight in a map's tables."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from benchmarks.b7_store import SEED, Corpus
from holloway.codemap.database import MapDatabase, open_map


class Code:
    """Sources that read like real ones, the same for the same seed: packages of twelve files that use each other."""

    PACKAGE = 12
    PYTHON_SHARE = 0.6
    HUB_SHARE = 0.01
    RESERVED = frozenset({"import", "export", "function", "package"})

    def __init__(self, count: int) -> None:
        self._corpus = Corpus(SEED)
        self._random = self._corpus.random
        self._words = [word for word in self._corpus.words if word not in self.RESERVED]
        self._weights = list(accumulate(1 / (rank + 3) for rank in range(1, len(self._words) + 1)))
        self._count = count
        self._python = int(count * self.PYTHON_SHARE)
        self._hubs = max(1, int(count * self.HUB_SHARE))
        self._stems = [f"{self._random.choice(self._words)}_{number}" for number in range(count)]

    def write(self, root: Path) -> None:
        """Lay the files out under a folder."""
        for number in range(self._count):
            path = root / self._path(number)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self._python_file(number) if self._is_python(number) else self._script(number), "utf-8")
        for folder in {path.parent for path in root.glob("service/**/*.py")}:
            (folder / "__init__.py").write_text('"""A package."""\n', "utf-8")

    def _is_python(self, number: int) -> bool:
        return number < self._python

    def _path(self, number: int) -> str:
        place = f"area_{number // self.PACKAGE // 10}/part_{number // self.PACKAGE}/{self._stems[number]}"
        return f"service/{place}.py" if self._is_python(number) else f"web/{place}.ts"

    def _said(self, count: int) -> list[str]:
        return self._random.choices(self._words, cum_weights=self._weights, k=count)

    def _used(self, number: int) -> list[int]:
        """The files that a file imports: neighbours, hubs, some other."""
        low, high = (0, self._python) if self._is_python(number) else (self._python, self._count)
        first = number - number % self.PACKAGE
        near = [one for one in range(first, first + self.PACKAGE) if low <= one < high and one != number]
        hub = low + self._random.randrange(max(1, self._hubs // 2))
        far = self._random.randrange(low, high)
        return sorted({*self._random.sample(near, min(2, len(near))), hub, far} - {number})

    def _python_file(self, number: int) -> str:
        used = self._used(number)
        imports = [f"from {self._path(one)[:-3].replace('/', '.')} import Model{one}, make_{one}" for one in used]
        parts = [f'"""{" ".join(self._said(12)).capitalize()}."""', "\n".join(["import json", "import os", *imports])]
        base = f"Model{used[0]}" if used[0] < number else "object"
        for name, above in ((f"Model{number}", base), (f"View{number}", f"Model{number}")):
            head = f'class {name}({above}):\n    """{" ".join(self._said(9)).capitalize()}."""'
            parts.append(
                "\n\n".join([head, *(self._python_body("    ", verb, used) for verb in ("load", "save", "sum"))])
            )
        parts += [self._python_body("", f"{verb}_{number}", used) for verb in ("make", "check", "drop")]
        return "\n\n\n".join(parts) + "\n"

    def _python_body(self, indent: str, name: str, used: list[int]) -> str:
        a, b, c, d, e, f, *rest = self._said(15)
        one, other = self._random.choices(used, k=2)
        lines = [
            f"def {name}({'self, ' if indent else ''}{a}: Model{one}, {b}_count: int = {len(rest)}) -> object:",
            f'    """{" ".join(rest[:9]).capitalize()}."""',
            f"    if {a} is None or {b}_count < {len(a)}:",
            f'        raise ValueError(f"the {c} of {d} is {{{b}_count}}")',
            f"    {c} = make_{one}({a}, {b}_count)",
            f"    {d}_all = [{e}.load({a}) for {e} in {c}.{f}]",
            f"    for {e} in {d}_all:",
            f"        # The {f} {rest[0]} is {rest[1]} before the {rest[2]}.",
            f"        {e}.{rest[3]}.save(os.fspath({e}.{rest[5]}), {b}_count)",
            f"    return Model{other}({c}, {rest[4]}=json.dumps({d}_all))",
        ]
        return "\n".join(indent + line for line in lines)

    def _script(self, number: int) -> str:
        used = self._used(number)
        depth = "../../../"
        imports = [f"import {{ Model{one}, make{one} }} from '{depth}{self._path(one)[:-3]}';" for one in used]
        parts = ["\n".join([f"// {' '.join(self._said(12)).capitalize()}.", "import fs from 'node:fs';", *imports])]
        base = f" extends Model{used[0]}" if used[0] < number else ""
        for name, above in ((f"Model{number}", base), (f"View{number}", f" extends Model{number}")):
            head = f"/** {' '.join(self._said(9)).capitalize()}. */\nexport class {name}{above} {{"
            body = "\n\n".join(self._script_body("  ", verb, used) for verb in ("load", "save", "sum"))
            parts.append(f"{head}\n{body}\n}}")
        parts += [self._script_body("", f"{verb}{number}", used) for verb in ("make", "check", "drop")]
        return "\n\n".join(parts) + "\n"

    def _script_body(self, indent: str, name: str, used: list[int]) -> str:
        a, b, c, d, e, f, *rest = self._said(15)
        one, other = self._random.choices(used, k=2)
        lines = [
            f"/** {' '.join(rest[:9]).capitalize()}. */",
            f"{'' if indent else 'export function '}{name}({a}: Model{one}, {b}Count = {len(rest)}): object {{",
            f"  if (!{a} || {b}Count < {len(a)}) {{",
            f"    throw new Error(`the {c} of {d} is ${{{b}Count}}`);",
            "  }",
            f"  const {c}Made = make{one}({a}, {b}Count);",
            f"  const {d}All = {c}Made.{f}.map(({e}Each) => {e}Each.load({a}));",
            f"  for (const {e} of {d}All) {{",
            f"    // The {f} {rest[0]} is {rest[1]} before the {rest[2]}.",
            f"    {e}.{rest[3]}.save(fs.readFileSync({e}.{rest[5]}), {b}Count);",
            "  }",
            f"  return new Model{other}({c}Made, {{ {rest[4]}: JSON.stringify({d}All) }});",
            "}",
        ]
        return "\n".join(indent + line for line in lines)


class Graph:
    """A map with so many nodes: only the tables that an impact reads, written without reading any code."""

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
        with database.write():
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
            own, path = self._node(file), self._path(file)
            yield own, file, "file", path.rpartition("/")[2], path, None, 1, 100
            for at, inside in enumerate(self.INSIDE):
                holder, _, _ = inside.rpartition(".")
                kind = "method" if holder else "class" if inside.istitle() else "function"
                parent = own + 1 + self.INSIDE.index(holder) if holder else own
                name = self._name(file * self.PER_FILE + at)
                yield own + 1 + at, file, kind, name, f"{holder}.{name}".lstrip("."), parent, at * 9 + 1, at * 9 + 9

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
