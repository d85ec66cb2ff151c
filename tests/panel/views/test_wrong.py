"""The dialog that flags a memory wrong: four reasons, four effects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.domain.memory import Memory
    from holloway.panel.panel import Panel

TEXT = "Login needs REDIS_URL"


def read(panel: Panel, memory_id: str) -> Memory:
    with panel.open_memory(settle=False) as memory:
        return memory.get(memory_id)


@pytest.fixture
def taught(panel: Panel) -> str:
    with panel.open_memory(settle=False) as memory:
        result = memory.remember(TEXT).memory
        assert result
        return result.id


def test_the_dialog_has_the_text_and_the_effect_of_each_reason(client: TestClient, taught: str) -> None:
    page = client.get(f"/memories/{taught}/wrong").text
    assert TEXT in page
    for effect in ("It was true once", "Change the text", "in this project", "It was never true"):
        assert effect in page


def test_outdated_sets_it_aside_and_can_be_undone(client: TestClient, panel: Panel, taught: str) -> None:
    answer = client.post(f"/memories/{taught}/wrong", data={"reason": "outdated"})
    assert answer.status_code == 303
    assert read(panel, taught).deleted_at
    page = client.get(answer.headers["location"]).text
    assert f'action="/memories/{taught}/restore"' in page
    client.post(f"/memories/{taught}/restore")
    assert read(panel, taught).is_alive


def test_outdated_with_a_text_replaces_it(client: TestClient, panel: Panel, taught: str) -> None:
    data = {"reason": "outdated", "instead_outdated": "Login needs VALKEY_URL"}
    location = client.post(f"/memories/{taught}/wrong", data=data).headers["location"]
    assert read(panel, taught).superseded_by == location.rpartition("/")[2]
    assert "VALKEY_URL" in client.get(location).text


def test_partly_edits_in_place_and_the_history_shows_the_difference(
    client: TestClient, panel: Panel, taught: str
) -> None:
    data = {"reason": "partly", "instead_partly": "Login needs REDIS_URL in tests"}
    client.post(f"/memories/{taught}/wrong", data=data)
    assert read(panel, taught).content == "Login needs REDIS_URL in tests"
    assert "<ins>" in client.get(f"/memories/{taught}").text


def test_not_here_ends_it_in_this_project(client: TestClient, panel: Panel, taught: str) -> None:
    client.post(f"/memories/{taught}/wrong", data={"reason": "not_here"})
    assert not read(panel, taught).is_alive


def test_incorrect_asks_for_the_right_text_or_an_explicit_unknown(
    client: TestClient, panel: Panel, taught: str
) -> None:
    answer = client.post(f"/memories/{taught}/wrong", data={"reason": "incorrect", "note": "from a typo"})
    assert answer.status_code == 422
    assert "Say what is right" in answer.text
    assert "from a typo" in answer.text
    assert read(panel, taught).is_alive
    client.post(f"/memories/{taught}/wrong", data={"reason": "incorrect", "unknown": "1"})
    assert not read(panel, taught).is_alive


def test_a_reason_that_does_not_exist_changes_nothing(client: TestClient, panel: Panel, taught: str) -> None:
    assert client.post(f"/memories/{taught}/wrong", data={"reason": "because"}).status_code == 400
    assert read(panel, taught).is_alive


def test_it_returns_to_the_page_it_was_opened_from_and_to_no_other_site(client: TestClient, taught: str) -> None:
    for elsewhere in ("//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)"):
        data = {"reason": "partly", "instead_partly": f"Now {elsewhere}", "next": elsewhere}
        assert client.post(f"/memories/{taught}/wrong", data=data).headers["location"] == "/"
    data = {"reason": "outdated", "next": "/memories?types=gotcha"}
    assert client.post(f"/memories/{taught}/wrong", data=data).headers["location"] == "/memories?types=gotcha"
