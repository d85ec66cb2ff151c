"""The interface of a memory system: it stores the turns of a conversation and finds those that answer a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that was said: who said it stands before the words, what a shared picture shows behind them."""

    id: str
    session: str
    text: str


class System(Protocol):
    """A system under test, new for each dialogue. It sees turns and questions as text, and nothing else."""

    def ingest(self, turns: Sequence[Turn]) -> None:
        """Keep these turns, one memory each; called once."""

    def ask(self, question: str, limit: int) -> list[str]:
        """The ids of the turns that answer a question, the best first."""

    def close(self) -> None:
        """Let go of files and processes."""


class LeftOut(Exception):
    """A system cannot take part; the message says why."""
