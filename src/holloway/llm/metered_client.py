"""A language model with a meter: what each call took is written down, and a month has a cap that holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.llm.providers import CapReached, NotAsked
from holloway.store.llm_usage import LlmUsageLedger
from holloway.text.tokens import MARGIN, estimate_tokens

if TYPE_CHECKING:
    from holloway.config import Settings
    from holloway.domain.ports import Clock, Completion, Writer
    from holloway.store.store import Store


class Metered:
    """Asks a writer, as long as this month's tokens last."""

    def __init__(self, writer: Writer, spending: LlmUsageLedger, clock: Clock, *, cap: int, purpose: str) -> None:
        self._writer = writer
        self._spending = spending
        self._clock = clock
        self._cap = cap
        self._purpose = purpose

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self._writer.model

    @property
    def provider(self) -> str:
        """Whose model it is."""
        return self._writer.provider

    def complete(self, prompt: str, *, max_tokens: int, deadline_s: float, system: str = "") -> Completion:
        """Ask, if what the call may take at most is still left."""
        month = f"{self._clock.now():%Y-%m}"
        most = round(estimate_tokens(system + prompt) * MARGIN) + max_tokens
        reserved = self._spending.reserve_tokens(
            month, self._cap, most, self._writer.provider, self._writer.model, self._purpose
        )
        if reserved is None:
            raise CapReached(
                f"This month's {self._cap:,} tokens are spent, or the rest is too little for this.",
                "`holloway config set llm.monthly_tokens N` raises the cap; everything else goes on without it.",
            )
        try:
            done = self._writer.complete(prompt, max_tokens=max_tokens, deadline_s=deadline_s, system=system)
        except NotAsked:
            self._spending.release_call(reserved)
            raise
        except BaseException:
            # Nobody knows what a call that failed cost: the prompt may have been read and paid for.
            self._spending.settle_call(reserved, most - max_tokens, 0)
            raise
        self._spending.settle_call(
            reserved, done.tokens_in or most - max_tokens, done.tokens_out or estimate_tokens(done.text)
        )
        return done


def meter_writer(store: Store, settings: Settings, writer: Writer, purpose: str) -> Metered:
    """Return a writer whose calls are counted in a project's store under a purpose, up to the month's cap."""
    spending = LlmUsageLedger(store.database, store.clock)
    return Metered(writer, spending, store.clock, cap=settings.get_number("llm.monthly_tokens"), purpose=purpose)
