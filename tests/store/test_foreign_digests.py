"""Digests of foreign text are kept for later sessions, bounded, keyed, and only for a while."""

from datetime import timedelta
from pathlib import Path

import pytest

import holloway
from holloway.store import foreign_digests
from holloway.store.foreign_digests import load_digests, save_digests
from holloway.testing import FakeClock

KEY = b"k" * 32
NOW = FakeClock().now()


def save(memory: holloway.Holloway, digests: list[int], session: str = "s1", days_ago: int = 0) -> None:
    database = memory.store.database
    with database.write_transaction():
        save_digests(database, KEY, digests, session, NOW - timedelta(days=days_ago))


def test_saved_digests_are_recognised_with_the_same_key_only(memory: holloway.Holloway) -> None:
    save(memory, [1, 2, 3])
    digests = load_digests(memory.store.database, KEY, NOW)
    assert [number in digests for number in (1, 2, 3, 4)] == [True, True, True, False]
    assert len(digests) == 3
    assert 1 not in load_digests(memory.store.database, b"x" * 32, NOW)
    assert "1" not in digests


def test_the_table_does_not_hold_the_digests_themselves(memory: holloway.Holloway) -> None:
    save(memory, [7])
    (row,) = memory.store.database.fetch_rows("SELECT digest FROM foreign_digests")
    assert row[0] != (7).to_bytes(8, "big")
    with pytest.raises(TypeError, match="not listed"):
        list(load_digests(memory.store.database, KEY, NOW))


def test_a_session_is_not_compared_with_its_own_digests(memory: holloway.Holloway) -> None:
    save(memory, [1], "s1")
    assert 1 not in load_digests(memory.store.database, KEY, NOW, except_session="s1")
    assert 1 in load_digests(memory.store.database, KEY, NOW, except_session="s2")


def test_digests_are_forgotten_after_ninety_days(memory: holloway.Holloway) -> None:
    save(memory, [1], days_ago=89)
    save(memory, [2], days_ago=91)
    digests = load_digests(memory.store.database, KEY, NOW)
    assert (1 in digests, 2 in digests) == (True, False)
    save(memory, [3])
    assert memory.store.database.fetch_value("SELECT count(*) FROM foreign_digests") == 2


def test_a_digest_that_is_seen_again_stays_longer(memory: holloway.Holloway) -> None:
    save(memory, [1], days_ago=80)
    save(memory, [1], "s2")
    assert 1 in load_digests(memory.store.database, KEY, NOW + timedelta(days=60))


def test_beyond_the_limit_the_oldest_go_first(memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_digests, "FOREIGN_DIGESTS_MAX", 3)
    save(memory, [1, 2], days_ago=2)
    save(memory, [3, 4, 5])
    digests = load_digests(memory.store.database, KEY, NOW)
    assert [number for number in range(6) if number in digests] == [3, 4, 5]


def test_an_archive_does_not_contain_them(memory: holloway.Holloway, home: Path) -> None:
    save(memory, [1])
    assert b"foreign_digests" not in memory.export("archive")
