"""Targets of figures."""

from __future__ import annotations

from typing import Any


def target(description: str, measured: float, at_most: float, unit: str) -> dict[str, Any]:
    """Return a figure with its upper limit."""
    return {"what": description, "measured": measured, "at_most": at_most, "unit": unit, "met": measured <= at_most}
