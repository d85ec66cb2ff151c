"""What a figure should be."""

from __future__ import annotations

from typing import Any


def target(description: str, measured: float, at_most: float, unit: str) -> dict[str, Any]:
    """A figure beside the most that it may be."""
    return {"what": description, "measured": measured, "at_most": at_most, "unit": unit, "met": measured <= at_most}
