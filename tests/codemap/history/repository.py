"""A repository whose commits are as old as a test says."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
BEGUN_DAYS_AGO = 3_000
BODY = "".join(f"line {number} of a file that is long enough to be known again\n" for number in range(12))


@dataclass(frozen=True)
class Past:
    """A repository whose commits are as old as the test says."""

    root: Path

    def git(self, *arguments: str, days_ago: float = 0.0) -> str:
        date = (NOW - timedelta(days=days_ago)).isoformat()
        identity = {"NAME": "Test", "EMAIL": "test@example.invalid", "DATE": date}
        who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in identity.items()}
        done = subprocess.run(["git", *arguments], cwd=self.root, env=os.environ | who, capture_output=True, check=True)
        return done.stdout.decode("utf-8", "replace").strip()

    def commit(self, message: str, files: dict[str, str], *, days_ago: float = 0.0) -> str:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "-A")
        (self.root / ".git/message").write_text(message)
        self.git("commit", "-qF", ".git/message", "--allow-empty", days_ago=days_ago)
        return self.git("rev-parse", "HEAD")

    def rename(self, old: str, new: str, *, days_ago: float = 0.0) -> str:
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        self.git("mv", old, new)
        return self.commit(f"move {old}", {}, days_ago=days_ago)


def begun(root: Path) -> Past:
    """A repository with a first commit, because what that holds does not count as a change."""
    root.mkdir(parents=True)
    past = Past(root)
    past.git("init", "-q", "-b", "main")
    past.commit("begin", {}, days_ago=BEGUN_DAYS_AGO)
    return past
