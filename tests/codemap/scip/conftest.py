"""An index file of a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codemap.scip.index_bytes import METADATA, Index


@pytest.fixture
def index(tmp_path: Path) -> Index:
    """Write an index of these parts; returns its path."""

    def write(*parts: bytes, head: bytes = METADATA) -> Path:
        path = tmp_path / "index.scip"
        path.write_bytes(head + b"".join(parts))
        return path

    return write
