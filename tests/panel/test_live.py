"""Live updates: what an open page is told, and what ends with it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import anyio
import pytest

from holloway.panel import live
from holloway.panel.live import LiveFeed
from tests.panel.views.test_memories import teach

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.panel.panel import Panel

NUMBERS = itertools.count()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "POLL_S", 0.01)


def collect(panel: Panel, count: int) -> list[str]:
    """Return the first events that a page gets when a memory is taught while it is open."""
    events: list[str] = []

    async def watch() -> None:
        feed = LiveFeed(panel)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(feed.run)
            stream = feed.stream()
            events.append(await anext(stream))
            await anyio.to_thread.run_sync(teach, panel, f"case {next(NUMBERS)} needs a seeded database")
            with anyio.fail_after(10):
                while len(events) < count:
                    events.append(await anext(stream))
            await stream.aclose()  # type: ignore[attr-defined]
            assert not feed._pages
            tasks.cancel_scope.cancel()

    anyio.run(watch)
    return events


def test_a_page_is_told_of_a_change_that_another_program_made(panel: Panel) -> None:
    assert collect(panel, 2)[1].startswith("event: memories\n")


def test_a_quiet_connection_is_kept_alive(panel: Panel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "HEARTBEAT_S", 0.01)

    assert ": still here\n\n" in collect(panel, 30)


def test_only_so_many_pages_are_connected(panel: Panel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "PAGES_MAX", 1)

    async def watch() -> list[str]:
        feed = LiveFeed(panel)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(feed.run)
            first, second = feed.stream(), feed.stream()
            await anext(first)
            events = [event async for event in second]
            await first.aclose()  # type: ignore[attr-defined]
            tasks.cancel_scope.cancel()
        return events

    assert anyio.run(watch) == []


def test_a_page_learns_what_changed_before_it_was_connected(panel: Panel) -> None:
    numbers = [collect(panel, 1)[0] for _ in range(2)]
    assert all(event.startswith("event: connected\n") for event in numbers)
    assert numbers[0] != numbers[1]


def test_an_open_page_that_refreshes_itself_leaves_the_message_to_the_page_that_follows(
    client: TestClient, panel: Panel
) -> None:
    memory_id = teach(panel, "Money is integer cents")[0]
    location = client.post(f"/memories/{memory_id}/confirm").headers["location"]
    assert "Confirmed." not in client.get("/memories", headers={"HX-Request": "true"}).text
    assert "Confirmed." in client.get(location).text
