"""A metered language model: prompts from templates, tokens of each call recorded, a monthly cap enforced."""

from __future__ import annotations

from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from holloway.llm.providers import CapReached, NotAsked
from holloway.store.llm_usage import LlmUsageLedger
from holloway.text.tokens import MARGIN, estimate_tokens

if TYPE_CHECKING:
    from holloway.config import Settings
    from holloway.domain.ports import Clock, Completion, Writer
    from holloway.store.store import Store


class Metered:
    """A writer whose calls are limited to the monthly token cap."""

    def __init__(self, writer: Writer, spending: LlmUsageLedger, clock: Clock, *, cap: int, purpose: str) -> None:
        self._writer = writer
        self._spending = spending
        self._clock = clock
        self._cap = cap
        self._purpose = purpose

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._writer.model

    @property
    def provider(self) -> str:
        """Name of the provider."""
        return self._writer.provider

    def complete(self, prompt: str, *, max_tokens: int, deadline_s: float, system: str = "") -> Completion:
        """Return the completion of a prompt; raise CapReached if the call could exceed the monthly cap."""
        month = f"{self._clock.now():%Y-%m}"
        tokens_max = round(estimate_tokens(system + prompt) * MARGIN) + max_tokens
        reserved = self._spending.reserve_tokens(
            month, self._cap, tokens_max, self._writer.provider, self._writer.model, self._purpose
        )
        if reserved is None:
            raise CapReached(
                f"This month's {self._cap:,} tokens are spent, or the rest is too little for this.",
                "`holloway config set llm.monthly_tokens N` raises the cap; everything else goes on without it.",
            )
        try:
            completion = self._writer.complete(prompt, max_tokens=max_tokens, deadline_s=deadline_s, system=system)
        except NotAsked:
            self._spending.release_call(reserved)
            raise
        except BaseException:
            # The cost of a failed call is unknown: the prompt may have been read and charged.
            self._spending.settle_call(reserved, tokens_max - max_tokens, 0)
            raise
        self._spending.settle_call(
            reserved,
            completion.tokens_in or tokens_max - max_tokens,
            completion.tokens_out or estimate_tokens(completion.text),
        )
        return completion


def meter_writer(store: Store, settings: Settings, writer: Writer, purpose: str) -> Metered:
    """Return a writer whose calls are counted in a project's store under a purpose, up to the month's cap."""
    spending = LlmUsageLedger(store.database, store.clock)
    return Metered(writer, spending, store.clock, cap=settings.get_number("llm.monthly_tokens"), purpose=purpose)


def render_prompt(name: str, **values: str) -> str:
    """Return a prompt with its values filled in; raise KeyError if a value is missing."""
    return Template(files("holloway.llm").joinpath("prompts", f"{name}.txt").read_text("utf-8")).substitute(values)
