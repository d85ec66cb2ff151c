"""The card of one memory, and the actions on it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.panel.views.test_memories import teach

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.panel.panel import Panel


def undo_last(client: TestClient, page: str) -> None:
    """Press the undo button of a page."""
    form = re.search(r'action="(/undo/\w+)"', page)
    assert form
    client.post(form[1])


def test_the_card_shows_where_a_memory_comes_from(client: TestClient, panel: Panel) -> None:
    memory_id = teach(panel, "Tokens rotate on use", files=["src/shop/auth/tokens.py"], tags=["auth"])[0]
    page = client.get(f"/memories/{memory_id}").text
    for part in ("Tokens rotate on use", "src/shop/auth/tokens.py", "taught by you", "main", "created", "never shown"):
        assert part in page


def test_a_file_that_is_gone_is_marked(client: TestClient, panel: Panel) -> None:
    memory_id = teach(panel, "Tokens rotate on use", files=["src/shop/auth/tokens.py"])[0]
    (panel.project.root / "src/shop/auth/tokens.py").unlink()
    assert 'badge gone">gone' in client.get(f"/memories/{memory_id}").text


@pytest.mark.parametrize(
    ("action", "sign"),
    [
        ("pin", "No longer pinned"),
        ("mute", "not told it unasked"),
        ("forget", "Forgotten"),
        ("confirm", "Confirmed"),
        ("later", "tomorrow"),
    ],
)
def test_an_action_is_done_and_undone(client: TestClient, panel: Panel, action: str, sign: str) -> None:
    memory_id = teach(panel, "Tokens rotate on use", pin=action == "pin")[0]
    path = f"/memories/{memory_id}"
    with panel.open_memory(settle=False) as memory:
        before = memory.get(memory_id)
    page = client.get(client.post(f"{path}/{'unpin' if action == 'pin' else action}").headers["location"]).text
    assert sign in page
    undo_last(client, page)
    with panel.open_memory(settle=False) as memory:
        after = memory.get(memory_id)
    assert replace(after, updated_at="", last_used_at="") == replace(before, updated_at="", last_used_at="")


def test_a_muted_memory_says_so_until_agents_are_told_again(client: TestClient, panel: Panel) -> None:
    memory_id = teach(panel, "Tokens rotate on use")[0]
    client.post(f"/memories/{memory_id}/mute")
    assert "Agents are never told it unasked." in client.get(f"/memories/{memory_id}").text
    assert "Tokens rotate on use" in client.get("/memories?muted=1").text
    client.post(f"/memories/{memory_id}/unmute")
    assert "Agents are never told it unasked." not in client.get(f"/memories/{memory_id}").text
    assert "Tokens rotate on use" not in client.get("/memories?muted=1").text


def test_an_edit_keeps_the_text_before_it_and_can_be_undone(client: TestClient, panel: Panel) -> None:
    memory_id = teach(panel, "Tokens rotate on use")[0]
    client.post(f"/memories/{memory_id}/edit", data={"content": "Tokens rotate on each use"})
    page = client.get(f"/memories/{memory_id}").text
    assert "<ins>" in page
    assert 'name="content" value="Tokens rotate on use"' in page


def test_forgetting_for_good_asks_for_the_id(client: TestClient, panel: Panel) -> None:
    memory_id = teach(panel, "Tokens rotate on use")[0]
    assert client.post(f"/memories/{memory_id}/erase", data={"typed": "yes"}).status_code == 422
    assert client.get(f"/memories/{memory_id}").status_code == 200
    assert client.post(f"/memories/{memory_id}/erase", data={"typed": memory_id}).status_code == 303
    assert client.get(f"/memories/{memory_id}").status_code == 404


@pytest.mark.parametrize("memory_id", ["zzzzzz", "..%2f..%2fetc", "%00", "a" * 300, "' OR 1=1 --"])
def test_an_id_that_does_not_exist_is_not_an_error_of_the_server(client: TestClient, memory_id: str) -> None:
    assert client.get(f"/memories/{memory_id}").status_code in (400, 404)


def test_an_unknown_action_changes_nothing(client: TestClient, panel: Panel) -> None:
    memory_id = teach(panel, "Tokens rotate on use")[0]
    assert client.post(f"/memories/{memory_id}/explode").status_code == 400


def test_only_another_visibility_counts_as_chosen_and_undo_takes_the_choice_back(
    client: TestClient, panel: Panel
) -> None:
    memory_id = teach(panel, "Tokens rotate on use")[0]

    def read_choice() -> tuple[str, bool]:
        with panel.open_memory(settle=False) as memory:
            return str(memory.get(memory_id).visibility), memory.get(memory_id).chosen

    client.post(f"/memories/{memory_id}/edit", data={"content": "Tokens rotate", "visibility": "personal"})
    assert read_choice() == ("personal", False)
    client.get("/")
    client.post(f"/memories/{memory_id}/edit", data={"content": "Tokens rotate", "visibility": "team"})
    assert read_choice() == ("team", True)
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', client.get("/").text))
    assert fields["chosen"] == "0"
    client.post(f"/memories/{memory_id}/edit", data=fields)
    assert read_choice() == ("personal", False)
