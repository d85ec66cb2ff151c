"""What is indexed, and where its map lies."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from benchmarks.generated.code import Code


class Repository(NamedTuple):
    """A folder of files; `real` if people wrote them."""

    name: str
    root: Path
    real: bool = True

    def map_in(self, folder: Path) -> Path:
        """Path of its map while it is measured."""
        return folder / f"{self.name}.db"


def generate_repository(count: int, folder: Path) -> Repository:
    """Generate a codebase with a number of files."""
    root = folder / f"generated_{count}"
    Code(count).write(root)
    return Repository(f"generated, {count:,} files", root, real=False)
