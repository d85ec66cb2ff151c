"""A team for the tests of sharing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sharing.team import Team, open_team


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    """A hub that nobody has joined yet."""
    with open_team(tmp_path / "team") as opened:
        yield opened
