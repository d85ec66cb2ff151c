"""Health: the first page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.panel.views.test_memories import teach

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.panel.panel import Panel


def test_an_empty_project_begins_with_its_first_steps(client: TestClient) -> None:
    assert client.get("/").headers["location"] == "/welcome"


def test_the_figures_and_the_feed_are_shown(client: TestClient, panel: Panel) -> None:
    teach(panel, "Money is integer cents", "Login needs REDIS_URL")
    page = client.get("/").text
    assert "<strong>2</strong> <span>memories</span>" in page
    assert "You taught" in page
    assert "No health score yet" in page
    assert "The code is not mapped yet" in page


def test_a_mapped_project_has_a_score_and_its_coverage(client: TestClient, panel: Panel) -> None:
    teach(panel, "Money is integer cents")
    with panel.open_memory(settle=False) as memory:
        memory.map.update(workers=0)
    page = client.get("/").text
    assert "No health score yet" in page  # no module can be known before three sessions
    assert "shallow" in page
    assert "6 files" in page


def test_the_audit_of_stale_memories_is_put_off_for_a_week(client: TestClient, panel: Panel) -> None:
    from holloway.domain.memory import State

    ids = teach(panel, *(f"case {number} needs {number * 7919} rows" for number in range(12)))
    with panel.open_memory(settle=False) as memory:
        for memory_id in ids:
            memory.store.memories.update_memory(memory.get(memory_id), "stale", state=State.STALE)
    assert "Stale memories pile up" in client.get("/").text
    client.post("/audit/later")
    assert "Stale memories pile up" not in client.get("/").text
