"""The error for a framework that is not installed."""

from __future__ import annotations

from holloway.errors import HollowayError


class FrameworkMissing(HollowayError):
    """An adapter was imported without its framework."""


def missing(package: str, extra: str) -> FrameworkMissing:
    """The error that names what to install."""
    return FrameworkMissing(f"The package {package} is not installed.", f'pip install "holloway[{extra}]"')
