"""Fixtures of the hooks, for tests of how events are captured."""

from tests.hooks.conftest import ask, trap

__all__ = ["ask", "trap"]
