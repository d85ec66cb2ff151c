"""Usage of language models: one row per call, which enforces the token caps and is shown to the user."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from holloway.domain.ports import format_stamp

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holloway.domain.ports import Clock
    from holloway.store.database import Database


READER_PURPOSE = "reader"
"""Purpose of the calls that read sessions. They have separate caps, so they are not in the sum of the others."""


class TokenCap(NamedTuple):
    """The most tokens of one period, which is the start of a stamp: a month (`2026-11`) or a day (`2026-11-18`)."""

    period: str
    tokens: int


class ReaderEvent(NamedTuple):
    """When the reader last failed or read a session: the message of the failure, or the id of the session."""

    at: str
    text: str


READER_FAILED = "reader_failed"
READER_READ = "reader_read"
"""Keys under which the last event of each kind is stored."""


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

    def reserve_tokens(
        self, caps: Iterable[TokenCap], tokens: int, provider: str, model: str, purpose: str
    ) -> tuple[int, TokenCap | None]:
        """Reserve tokens before a call, so that parallel calls cannot exceed a cap.

        Returns the id of the call and no cap; or, if the call could exceed a cap, 0 and that cap.
        """
        with self._db.write_transaction():
            for cap in caps:
                if self.total_tokens(cap.period, purpose) + tokens > cap.tokens:
                    return 0, cap
            values = (format_stamp(self._clock.now()), provider, model, purpose, tokens)
            cursor = self._db.execute(
                "INSERT INTO llm_calls (at, provider, model, purpose, tokens_in) VALUES (?, ?, ?, ?, ?)", values
            )
            return int(cursor.lastrowid or 0), None

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

    def total_tokens(self, period: str, purpose: str = "") -> int:
        """Return the tokens of a period that count towards the caps of a purpose: the reader's, or all others'."""
        sql = (
            "SELECT coalesce(sum(tokens_in + tokens_out), 0) FROM llm_calls"
            " WHERE at >= ? AND at < ? AND (purpose = ?) = ?"
        )
        values = (period, period + "~", READER_PURPOSE, int(purpose == READER_PURPOSE))
        return int(self._db.fetch_value(sql, values))

    def list_by_purpose(self, month: str) -> list[UsageByPurpose]:
        """Return the usage of a month, the largest first."""
        sql = (
            "SELECT purpose, provider, model, count(*), sum(tokens_in), sum(tokens_out) FROM llm_calls"
            " WHERE at >= ? AND at < ? GROUP BY purpose, provider, model"
            " ORDER BY sum(tokens_in + tokens_out) DESC, purpose, provider, model"
        )
        return [UsageByPurpose(*row) for row in self._db.fetch_rows(sql, (month, month + "~"))]

    def record_reader_event(self, key: str, text: str) -> None:
        """Store the reader's last failure or the last session that it read."""
        event = json.dumps([format_stamp(self._clock.now()), text])
        with self._db.write_transaction():
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, event))

    def load_reader_event(self, key: str) -> ReaderEvent | None:
        """Return the reader's last failure or the last session that it read."""
        value = self._db.fetch_value("SELECT value FROM meta WHERE key = ?", (key,))
        return ReaderEvent(*json.loads(value)) if value else None
