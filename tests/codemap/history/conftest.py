"""A repository without commits, and a map without anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holloway.codemap.database import MapDatabase, open_map
from tests.codemap.history.repository import Past, begun

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def past(tmp_path: Path) -> Past:
    return begun(tmp_path / "project")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[MapDatabase]:
    opened = open_map(tmp_path / "map.db")
    yield opened
    opened.close()
