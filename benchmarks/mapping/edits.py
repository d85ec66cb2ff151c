"""Following an edit: what the map does again when files of a checkout change."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.checkout import git
from benchmarks.generated import SEED
from benchmarks.machine import Samples, quantile
from holloway.codemap.database import open_map
from holloway.codemap.index import update_index

if TYPE_CHECKING:
    from benchmarks.mapping.repository import Repository
    from holloway.codemap.database import MapDatabase

CENTRAL_EDITS = 3
"""Of the file that most others depend on: each has thousands of files resolved again."""
BY_NAME, ALL_FILES = WAYS = ("by name", "all files")


class Editor:
    """Changes files of a checkout, one at a time, as somebody who works in it would."""

    def __init__(self, root: Path, away: Path, database: MapDatabase) -> None:
        self._root = root
        self._away = away
        self._random = random.Random(SEED)
        code = "SELECT id, path FROM files WHERE language IN ('python', 'typescript') AND size > 500"
        self._paths: dict[int, str] = {row[0]: row[1] for row in database.fetch_rows(f"{code} ORDER BY path")}
        most_consulted = "SELECT seen FROM consulted GROUP BY seen ORDER BY COUNT(*) DESC, seen"
        self.central = next(self._paths[row[0]] for row in database.fetch_rows(most_consulted) if row[0] in self._paths)
        self._number = 0

    def _any(self) -> str:
        self._number += 1
        return self._random.choice(list(self._paths.values()))

    def _append(self, path: str, text: str) -> str:
        with (self._root / path).open("a", encoding="utf-8") as file:
            file.write(text)
        return path

    def body(self) -> str:
        """Code at the end of a file, nothing that others see."""
        path = self._any()
        called = f"print({self._number})"
        return self._append(
            path, f"\nif False:\n    {called}\n" if path.endswith(".py") else f"\nif (0) {{ {called}; }}\n"
        )

    def interface(self, path: str = "") -> str:
        """A new function at the end of a file."""
        path = path or self._any()
        name = f"added_{self._number}"
        self._number += 1
        body = f"\ndef {name}():\n    return 1\n" if path.endswith(".py") else f"\nexport function {name}() {{}}\n"
        return self._append(path, body)

    def new(self) -> str:
        """Add a file to the folder of another one."""
        beside = Path(self._any())
        path = beside.with_name(f"new_{self._number}{beside.suffix}").as_posix()
        text = f"from .{beside.stem} import *\n" if beside.suffix == ".py" else f"export * from './{beside.stem}';\n"
        return self._append(path, text + "\n")

    def removed(self) -> str:
        """A file that is not there any more."""
        path = self._any()
        (self._root / path).rename(self._away)
        return path

    def restore(self, path: str) -> None:
        """Bring a removed file back, as it was."""
        self._away.rename(self._root / path)


class Followed(NamedTuple):
    """How long the map took to show one kind of edit."""

    name: str
    edit: str
    way: str
    times: Samples
    resolved: list[int]


def measure_updates(repository: Repository, folder: Path, rounds: int) -> list[Followed]:
    """Edit a copy of a repository, over and over, and let its map follow."""
    root = folder / "copy" / repository.name
    shutil.copytree(repository.root, root, ignore=shutil.ignore_patterns(".git"), symlinks=True)
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    database = open_map(repository.map_in(folder))
    update_index(database, root)
    editor = Editor(root, folder / "away", database)
    kinds: dict[str, Callable[[], str]] = {
        "body": editor.body,
        "interface": editor.interface,
        f"interface of {editor.central}": partial(editor.interface, editor.central),
        "new file": editor.new,
        "removed file": editor.removed,
    }
    followed_edits = {
        (edit, method): Followed(repository.name, edit, method, Samples(), []) for edit in kinds for method in WAYS
    }
    followed_edits["nothing", ALL_FILES] = Followed(repository.name, "nothing", ALL_FILES, Samples(), [])
    for done_rounds in range(rounds):
        for (edit, method), followed in followed_edits.items():
            if edit.startswith("interface of") and done_rounds >= CENTRAL_EDITS:
                continue
            path = kinds[edit]() if edit in kinds else ""
            update = followed.times.time(
                partial(update_index, database, root, only=[path] if method == BY_NAME else None)
            )
            followed.resolved.append(update.resolved)
            assert update.read + update.removed == bool(path), (edit, path, update)
            if edit == "removed file":
                editor.restore(path)
                update_index(database, root, only=[path])
    database.close()
    shutil.rmtree(root)
    return list(followed_edits.values())


def table(edits: list[Followed]) -> dict[str, Any]:
    """By repository, kind of edit and way to follow it."""
    columns = ["repository", "edit", "followed", "p50 ms", "p95 ms", "CPU p50 ms", "CPU p95 ms", "resolved again, p50"]
    rows = [
        [followed.name, followed.edit, followed.way, *followed.times.figures(), int(quantile(followed.resolved, 0.50))]
        for followed in edits
    ]
    return {"title": "Following an edit", "columns": columns, "rows": rows}
