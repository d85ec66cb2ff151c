"""A metered language model: prompts from templates, tokens of each call recorded, token caps enforced."""

from __future__ import annotations

from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, NamedTuple

from holloway.llm.providers import CapReached, NotAsked, WriterFailed
from holloway.store.llm_usage import LlmUsageLedger, TokenCap
from holloway.text.tokens import MARGIN, estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.config import Settings
    from holloway.domain.ports import Clock, Completion, Writer
    from holloway.store.store import Store


class PeriodCap(NamedTuple):
    """A cap on the tokens of every month or every day, with the setting that changes it."""

    tokens: int
    setting: str = "llm.monthly_tokens"
    period: str = "month"

    def as_of(self, clock: Clock) -> TokenCap:
        """Return the cap on the present period."""
        return TokenCap(f"{clock.now():%Y-%m-%d}" if self.period == "day" else f"{clock.now():%Y-%m}", self.tokens)


class Metered:
    """A writer whose calls are limited by token caps. `overhead_tokens` is what a provider adds to each prompt."""

    def __init__(
        self,
        writer: Writer,
        spending: LlmUsageLedger,
        clock: Clock,
        *,
        caps: Sequence[PeriodCap],
        purpose: str,
        overhead_tokens: int = 0,
    ) -> None:
        self._writer = writer
        self._spending = spending
        self._clock = clock
        self._caps = caps
        self._purpose = purpose
        self._overhead_tokens = overhead_tokens

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._writer.model

    @property
    def provider(self) -> str:
        """Name of the provider."""
        return self._writer.provider

    def complete(self, prompt: str, *, max_tokens: int, deadline_s: float, system: str = "") -> Completion:
        """Return the completion of a prompt; raise CapReached if the call could exceed a cap."""
        tokens_sent = round(estimate_tokens(system + prompt) * MARGIN) + self._overhead_tokens
        call = self._reserve_tokens(tokens_sent + max_tokens)
        try:
            completion = self._writer.complete(prompt, max_tokens=max_tokens, deadline_s=deadline_s, system=system)
        except NotAsked:
            self._spending.release_call(call)
            raise
        except BaseException as error:
            # Where a failed call does not report its cost, the prompt may have been read and charged.
            usage = error.usage if isinstance(error, WriterFailed) and error.usage else (tokens_sent, 0)
            self._spending.settle_call(call, *usage)
            raise
        self._spending.settle_call(
            call, completion.tokens_in or tokens_sent, completion.tokens_out or estimate_tokens(completion.text)
        )
        return completion

    def _reserve_tokens(self, tokens: int) -> int:
        """Return the id of the call; raise CapReached."""
        caps = {cap.as_of(self._clock): cap for cap in self._caps}
        call, exceeded = self._spending.reserve_tokens(
            caps, tokens, self._writer.provider, self._writer.model, self._purpose
        )
        if exceeded is not None:
            cap = caps[exceeded]
            raise CapReached(
                f"This {cap.period}'s {cap.tokens:,} tokens are spent, or the rest is too little for this.",
                f"`holloway config set {cap.setting} N` raises the cap; everything else goes on without it.",
            )
        return call


def meter_writer(store: Store, settings: Settings, writer: Writer, purpose: str) -> Metered:
    """Return a writer whose calls are counted in a project's store under a purpose, up to the month's cap."""
    caps = (PeriodCap(settings.get_number("llm.monthly_tokens")),)
    return Metered(writer, LlmUsageLedger(store.database, store.clock), store.clock, caps=caps, purpose=purpose)


def render_prompt(name: str, **values: str) -> str:
    """Return a prompt with its values filled in; raise KeyError if a value is missing."""
    return Template(files("holloway.llm").joinpath("prompts", f"{name}.txt").read_text("utf-8")).substitute(values)
