"""Evidence quotes: they stay on this machine, except those of memories for which the person ticked them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from holloway.safety.secrets import redact_secrets
from holloway.store import candidates
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from holloway.domain.memory import Memory
    from holloway.store.store import Store

TICKED_KEY = "share_quotes"
"""Key of the uids of the memories whose quotes may leave."""
QUOTES_MAX = 5
QUOTE_CHARS_MAX = 500
VOICE_CHARS_MAX = 40


class SharedQuote(NamedTuple):
    """Words that a memory rests on, as they are shared: who said them, and the text."""

    voice: str
    text: str


def tick_quotes(store: Store, memory: Memory, *, is_on: bool) -> None:
    """Record that the quotes of a memory may leave this machine with it, or that they may not any more."""
    ticked = _read_ticked(store)
    (ticked.add if is_on else ticked.discard)(memory.uid)
    store.set_meta(TICKED_KEY, json.dumps(sorted(ticked)))


def has_ticked(store: Store, memory: Memory) -> bool:
    """Return whether the quotes of a memory may leave this machine."""
    return memory.uid in _read_ticked(store)


def list_quotes(store: Store, memory: Memory) -> list[SharedQuote]:
    """Return the quotes of a memory as they would leave: bounded, and without those that may hold a secret."""
    quotes = [
        quote
        for candidate in candidates.list_memory_candidates(store.database, memory.id)
        for quote in _parse_quotes(candidate.draft.get("quotes"))
    ]
    return list(dict.fromkeys(quote for quote in quotes if not redact_secrets(quote.text)[1]))[:QUOTES_MAX]


def dump_ticked_quotes(store: Store, memory: Memory) -> str:
    """Return the ticked quotes of a memory as the value of its shared field; empty if they stay."""
    quotes = list_quotes(store, memory) if has_ticked(store, memory) else []
    return json.dumps([quote._asdict() for quote in quotes], ensure_ascii=False) if quotes else ""


def parse_shared_quotes(value: object) -> list[SharedQuote]:
    """Return the quotes that somebody shared with a memory; what cannot be read or holds a secret is left out."""
    try:
        rows = json.loads(value) if isinstance(value, str) and value else []
    except (ValueError, RecursionError):
        return []
    return [quote for quote in _parse_quotes(rows) if not redact_secrets(quote.text)[1]][:QUOTES_MAX]


def _parse_quotes(rows: Any) -> list[SharedQuote]:
    return [
        SharedQuote(one_line(str(row.get("voice", "")), VOICE_CHARS_MAX), one_line(row["text"], QUOTE_CHARS_MAX))
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, dict) and isinstance(row.get("text"), str) and row["text"].strip()
    ]


def _read_ticked(store: Store) -> set[str]:
    return set(json.loads(store.get_meta(TICKED_KEY) or "[]"))
