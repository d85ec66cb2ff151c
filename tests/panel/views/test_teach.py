"""Teach: the form, what prefills it, and what it stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.panel.panel import Panel


def test_the_address_fills_the_form(client: TestClient) -> None:
    page = client.get("/teach?file=src/shop/auth/tokens.py&text=Tokens+%3Crotate%3E&type=gotcha").text
    assert "Tokens &lt;rotate&gt;</textarea>" in page
    assert 'value="src/shop/auth/tokens.py"' in page
    assert '<option value="gotcha" selected>' in page


def test_a_taught_memory_is_stored_with_its_file_and_can_be_undone(client: TestClient, panel: Panel) -> None:
    data = {"text": "Tokens rotate on use", "file": "src/shop/auth/tokens.py", "type": "gotcha"}
    card = client.post("/teach", data=data).headers["location"]
    page = client.get(card).text
    assert "Agents know it from their next session on." in page
    with panel.open_memory(settle=False) as memory:
        taught = memory.memories()[0]
        assert taught.files == ("src/shop/auth/tokens.py",)
    client.post(f"{card}/forget")
    with panel.open_memory(settle=False) as memory:
        assert memory.memories() == []


def test_a_memory_for_all_projects_goes_to_the_users_own(client: TestClient, panel: Panel) -> None:
    client.post("/teach", data={"text": "Prefer uv over pip", "scope": "user"})
    with panel.open_memory(settle=False) as memory:
        assert memory.count_user() == 1
        assert memory.memories() == []
    assert "Prefer uv over pip" in client.get("/memories?user=1").text


def test_what_the_service_refuses_is_shown_with_the_text_kept(client: TestClient, panel: Panel) -> None:
    answer = client.post("/teach", data={"text": "Tokens rotate", "file": "src/gone.py"})
    assert answer.status_code == 422
    assert "Tokens rotate</textarea>" in answer.text
    assert "src/gone.py" in answer.text
    assert client.post("/teach", data={"text": "x", "file": "../../etc/passwd"}).status_code == 422
    with panel.open_memory(settle=False) as memory:
        assert memory.memories() == []


def test_a_text_that_was_called_wrong_can_be_taught_again_by_a_person(client: TestClient, panel: Panel) -> None:
    card = client.post("/teach", data={"text": "Tokens rotate on use"}).headers["location"]
    client.post(f"{card}/wrong", data={"reason": "incorrect", "unknown": "1"})
    assert client.post("/teach", data={"text": "Tokens rotate on use"}).status_code == 303


def test_a_secret_is_removed_and_its_removal_is_said(client: TestClient) -> None:
    text = "Deploy with AKIA" + "QYLPMN5HHHFPZAM2 in the environment"
    card = client.post("/teach", data={"text": text}).headers["location"]
    page = client.get(card).text
    assert "Removed before storing" in page
    assert "QYLPMN5HHHFPZAM2" not in page


def test_the_field_of_a_file_is_completed_from_the_map(client: TestClient, panel: Panel) -> None:
    assert client.get("/teach/paths?file=auth").text.strip() == ""
    with panel.open_memory(settle=False) as memory:
        memory.map.update(workers=0)
    options = client.get("/teach/paths?file=AUTH").text
    assert options.index("session.py") < options.index("test_tokens.py")
    assert "invoice" not in options


def test_a_taught_memory_is_personal_until_another_visibility_is_chosen(client: TestClient, panel: Panel) -> None:
    assert '<option value="personal" selected>' in client.get("/teach").text
    client.post("/teach", data={"text": "said to myself", "visibility": "personal"})
    client.post("/teach", data={"text": "for the team", "visibility": "team"})
    with panel.open_memory(settle=False) as memory:
        choices = {card.content: (str(card.visibility), card.chosen) for card in memory.memories()}
    assert choices == {"said to myself": ("personal", False), "for the team": ("team", True)}
