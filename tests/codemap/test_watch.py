"""A watcher tells of the project's files, wherever the project lies."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from holloway.codemap import watch

PATIENCE_S = 30


@pytest.mark.parametrize("place", ["build/project", "vendor/env"])
def test_a_project_below_a_folder_with_the_name_of_a_built_one_is_watched(tmp_path: Path, place: str) -> None:
    root = tmp_path / place
    (root / "build").mkdir(parents=True)
    stop = threading.Event()
    seen: set[str] = set()

    def follow() -> None:
        for changed in watch.changes(root, stop):
            seen.update(changed)

    watcher = threading.Thread(target=follow)
    watcher.start()
    deadline = time.monotonic() + PATIENCE_S
    number = 0
    while not {"main.py", "env"} <= seen and time.monotonic() < deadline:
        number += 1
        for name in ("build/made.py", "env", "main.py"):
            (root / name).write_text(f"made = {number}\n")
        watcher.join(0.7)
    stop.set()
    watcher.join(PATIENCE_S)
    assert seen == {"main.py", "env"}
