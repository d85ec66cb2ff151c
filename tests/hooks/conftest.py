"""What tests of hooks share."""

import pytest

import holloway
from tests.hooks.asking import TRAP, TRAP_FILE, Asking
from tests.store.test_memories import taught


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Asking:
    """Hooks of Claude Code, asked in this process."""
    return Asking(monkeypatch)


@pytest.fixture
def trap(memory: holloway.Holloway) -> str:
    """A trap on a file of the shop; returns its id."""
    return taught(memory, TRAP, files=[TRAP_FILE]).id
