"""A watcher tells of the project's files, wherever the project lies."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from holloway.codemap import file_watcher

PATIENCE_S = 30


class Watched:
    """A watcher of a folder, and the paths that it told of."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.seen: set[str] = set()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow)

    def _follow(self) -> None:
        for changed in file_watcher.watch_changes(self.root, self._stop):
            self.seen.update(changed)

    def __enter__(self) -> Watched:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(PATIENCE_S)

    def write_until(self, wanted: set[str], *names: str) -> None:
        """Write to files, again and again because a watcher begins at some time, until it told of what is wanted."""
        deadline = time.monotonic() + PATIENCE_S
        number = 0
        while not wanted <= self.seen and time.monotonic() < deadline:
            number += 1
            for name in names:
                (self.root / name).write_text(f"made = {number}\n")
            self._thread.join(0.7)


@pytest.mark.parametrize("place", ["build/project", "vendor/env"])
def test_a_project_below_a_folder_with_the_name_of_a_built_one_is_watched(tmp_path: Path, place: str) -> None:
    root = tmp_path / place
    (root / "build").mkdir(parents=True)
    with Watched(root) as watched:
        watched.write_until({"main.py", "env"}, "build/made.py", "env", "main.py")
    assert watched.seen == {"main.py", "env"}


def test_a_file_with_the_name_of_a_built_folder_is_told_of_when_it_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "env").write_text("made = 0\n")
    with Watched(tmp_path) as watched:
        watched.write_until({"main.py"}, "main.py")
        (tmp_path / "env").unlink()
        watched.write_until({"env"}, "main.py")
    assert watched.seen == {"main.py", "env"}
