"""Usage of language models: one row per call, which enforces the monthly token cap and is shown to the user."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.domain.ports import format_stamp

if TYPE_CHECKING:
    from holloway.domain.ports import Clock
    from holloway.store.database import Database


class UsageByPurpose(NamedTuple):
    """Calls and tokens of one month, by purpose, provider and model."""

    purpose: str
    provider: str
    model: str
    calls: int
    tokens_in: int
    tokens_out: int


class LlmUsageLedger:
    """The language model calls of one store's project."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock

    def reserve_tokens(self, month: str, cap: int, tokens: int, provider: str, model: str, purpose: str) -> int | None:
        """Reserve tokens before a call, so that parallel calls cannot exceed the cap; return the call id, or None."""
        with self._db.write_transaction():
            if self.total_tokens(month) + tokens > cap:
                return None
            values = (format_stamp(self._clock.now()), provider, model, purpose, tokens)
            cursor = self._db.execute(
                "INSERT INTO llm_calls (at, provider, model, purpose, tokens_in) VALUES (?, ?, ?, ?, ?)", values
            )
            return int(cursor.lastrowid or 0)

    def settle_call(self, call: int, tokens_in: int, tokens_out: int) -> None:
        """Store the tokens that a call actually used."""
        with self._db.write_transaction():
            self._db.execute(
                "UPDATE llm_calls SET tokens_in = ?, tokens_out = ? WHERE call = ?", (tokens_in, tokens_out, call)
            )

    def release_call(self, call: int) -> None:
        """Release the reservation of a call that was never made."""
        with self._db.write_transaction():
            self._db.execute("DELETE FROM llm_calls WHERE call = ?", (call,))

    def total_tokens(self, month: str) -> int:
        """Return the tokens of one month, such as `2026-11`."""
        sql = "SELECT coalesce(sum(tokens_in + tokens_out), 0) FROM llm_calls WHERE at >= ? AND at < ?"
        return int(self._db.fetch_value(sql, (month, month + "~")))

    def list_by_purpose(self, month: str) -> list[UsageByPurpose]:
        """Return the usage of a month, the largest first."""
        sql = (
            "SELECT purpose, provider, model, count(*), sum(tokens_in), sum(tokens_out) FROM llm_calls"
            " WHERE at >= ? AND at < ? GROUP BY purpose, provider, model"
            " ORDER BY sum(tokens_in + tokens_out) DESC, purpose, provider, model"
        )
        return [UsageByPurpose(*row) for row in self._db.fetch_rows(sql, (month, month + "~"))]
