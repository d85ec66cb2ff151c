"""Bulk actions on marked memories or on a filter, with undo."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.panel.views.test_memories import teach

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.panel.panel import Panel


def list_texts(panel: Panel) -> list[str]:
    with panel.open_memory(settle=False) as memory:
        return sorted(listed.content for listed in memory.memories())


def test_the_marked_memories_are_forgotten_and_come_back_with_undo(client: TestClient, panel: Panel) -> None:
    first, second, _ = teach(panel, "Money is cents", "Login needs REDIS_URL", "Prefer uv")
    client.post("/memories/bulk", data={"id": [first, second], "action": "forget"})
    assert list_texts(panel) == ["Prefer uv"]
    page = client.get("/memories").text
    assert "2 memories forgotten." in page
    undo = re.search(r'action="(/undo/\w+)"', page)
    assert undo
    client.post(undo[1])
    assert len(list_texts(panel)) == 3
    assert "2 memories are as before." in client.get("/memories").text


def test_all_memories_of_a_filter_are_changed_and_no_others(client: TestClient, panel: Panel) -> None:
    teach(panel, "Money is cents", type="decision")
    teach(panel, "Login needs REDIS_URL", "Tests need node 22", type="gotcha")
    data = {"all": "1", "query": "types=gotcha", "expected": "2", "action": "forget"}
    client.post("/memories/bulk", data=data)
    assert list_texts(panel) == ["Money is cents"]


def test_nothing_is_changed_if_other_memories_match_now(client: TestClient, panel: Panel) -> None:
    teach(panel, "Money is cents", "Login needs REDIS_URL")
    data = {"all": "1", "query": "", "expected": "1", "action": "forget"}
    assert client.post("/memories/bulk", data=data).status_code == 400
    assert len(list_texts(panel)) == 2


def test_an_action_without_a_marked_memory_is_refused(client: TestClient, panel: Panel) -> None:
    teach(panel, "Money is cents")
    assert client.post("/memories/bulk", data={"action": "forget"}).status_code == 400
    assert client.post("/memories/bulk", data={"action": "explode", "all": "1"}).status_code == 400
    assert len(list_texts(panel)) == 1


def test_the_memories_of_all_projects_are_changed_and_restored_in_their_own_store(
    client: TestClient, panel: Panel
) -> None:
    client.post("/teach", data={"text": "Prefer uv over pip", "scope": "user"})
    client.post("/memories/bulk", data={"all": "1", "query": "user=1", "expected": "1", "action": "forget"})
    page = client.get("/memories?user=1").text
    undo = re.search(r'action="(/undo/\w+)"', page)
    assert undo
    assert 'name="user" value="1"' in page
    client.post(undo[1], data={"user": "1"})
    assert "Prefer uv over pip" in client.get("/memories?user=1").text
