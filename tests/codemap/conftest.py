"""What all tests of the map share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from holloway.codemap.parse import parser

contained = parser.format_reason


@pytest.fixture(autouse=True, scope="session")
def mistakes_are_raised() -> Iterator[None]:
    """A mistake of ours that a user's map survives fails a test."""

    def raised(stage: str, error: Exception) -> str:
        raise error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser, "format_reason", raised)
        yield


@pytest.fixture
def mistakes_are_contained(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a user has it."""
    monkeypatch.setattr(parser, "format_reason", contained)


@pytest.fixture(autouse=True)
def no_map_is_left_open(maps_are_closed: None) -> None:
    """Most tests open one and look at it until their end."""
