"""The machine's clock and ids, and stamps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from holloway.domain.ports import RandomIds, SystemClock, format_stamp, parse_stamp


def test_an_id_has_thirty_two_digits_and_no_two_are_equal() -> None:
    ids = [RandomIds().new() for _ in range(100)]
    assert all(len(new) == 32 and set(new) <= set("0123456789abcdef") for new in ids)
    assert len(set(ids)) == 100


def test_a_stamp_is_the_moment_in_utc_to_the_millisecond() -> None:
    moment = datetime(2026, 10, 1, 14, 30, 5, 12_999, tzinfo=timezone(timedelta(hours=2)))
    assert format_stamp(moment) == "2026-10-01T12:30:05.012Z"
    assert parse_stamp("2026-10-01T12:30:05.012Z") == datetime(2026, 10, 1, 12, 30, 5, 12_000, tzinfo=UTC)


def test_the_clock_of_the_machine_tells_utc() -> None:
    assert abs(SystemClock().now() - datetime.now(UTC)) < timedelta(minutes=1)
    assert SystemClock().now().utcoffset() == timedelta(0)
