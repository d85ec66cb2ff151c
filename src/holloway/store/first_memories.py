"""First memories: what a person who joined should read first, for the panel and one brief. Light."""

from __future__ import annotations

from holloway import fast_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from holloway.store.store import Store

ONBOARDING_KEY = "onboarding"
"""Key of the ids, whether an agent was told them, and whether the person dismissed them."""


def begin_onboarding(store: Store, ids: list[str]) -> None:
    """Show these memories to the person until they dismiss them, and to the next agent once."""
    store.set_meta(ONBOARDING_KEY, fast_json.dumps({"ids": ids, "told": False, "dismissed": False}))


def has_begun(store: Store) -> bool:
    """Return whether there ever was an onboarding in this store."""
    return bool(store.get_meta(ONBOARDING_KEY))


def read_untold(connection: sqlite3.Connection) -> list[str]:
    """Read the ids that no agent was told yet."""
    onboarding = _read(connection)
    return [] if onboarding.get("told") else _list_ids(onboarding)


def read_undismissed(connection: sqlite3.Connection) -> list[str]:
    """Read the ids that the person did not dismiss yet."""
    onboarding = _read(connection)
    return [] if onboarding.get("dismissed") else _list_ids(onboarding)


def mark_told(connection: sqlite3.Connection) -> None:
    """Record that an agent was told them."""
    _set_flag(connection, "told")


def dismiss(connection: sqlite3.Connection) -> None:
    """Record that the person has read them."""
    _set_flag(connection, "dismissed")


def _read(connection: sqlite3.Connection) -> dict[str, object]:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (ONBOARDING_KEY,)).fetchone()
    try:
        onboarding = fast_json.loads(row[0]) if row else {}
    except ValueError:
        return {}
    return onboarding if isinstance(onboarding, dict) else {}


def _list_ids(onboarding: dict[str, object]) -> list[str]:
    ids = onboarding.get("ids")
    return [str(memory) for memory in ids] if isinstance(ids, list) else []


def _set_flag(connection: sqlite3.Connection, name: str) -> None:
    sql = "UPDATE meta SET value = json_set(value, ?, json('true')) WHERE key = ?"
    connection.execute(sql, (f"$.{name}", ONBOARDING_KEY))
