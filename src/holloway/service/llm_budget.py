"""A language model on this project's account: each call is counted, and the month's cap holds for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.llm.metered_client import Metered
from holloway.store.llm_usage import Spending

if TYPE_CHECKING:
    from holloway.domain.ports import Writer
    from holloway.service.open_project import Opened


def metered(memory: Opened, writer: Writer, purpose: str) -> Metered:
    """The writer, with what it takes written down under a purpose."""
    spending = Spending(memory.store.database, memory.clock)
    cap = memory.settings.number("llm.monthly_tokens")
    return Metered(writer, spending, memory.clock, cap=cap, purpose=purpose)
