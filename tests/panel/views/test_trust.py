"""Trust and settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holloway.service import background_worker

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.panel.panel import Panel


def read_level(panel: Panel) -> int:
    with panel.open_memory(settle=False) as memory:
        return memory.trust.level


def test_a_level_is_chosen_and_marked(client: TestClient, panel: Panel) -> None:
    client.post("/trust/level", data={"level": "2"})
    assert read_level(panel) == 2
    assert "2 Standard <span" in client.get("/trust").text


def test_the_highest_level_needs_an_acknowledgement(client: TestClient, panel: Panel) -> None:
    assert client.post("/trust/level", data={"level": "4"}).status_code == 422
    assert read_level(panel) == 1
    client.post("/trust/level", data={"level": "4", "acknowledged": "1"})
    assert read_level(panel) == 4


def test_agents_are_paused_and_resumed(client: TestClient, panel: Panel) -> None:
    client.post("/trust/pause", data={"target": "injection"})
    assert "Paused here: injection." in client.get("/trust").text
    client.post("/trust/pause", data={"target": "capture"})
    assert "Paused here: capture." in client.get("/trust").text
    client.post("/trust/pause", data={"target": ""})
    assert "Paused here" not in client.get("/trust").text


def test_settings_are_stored_for_this_project_and_checked_together(client: TestClient, panel: Panel) -> None:
    client.post("/trust/settings", data={"exclude.paths": "*.pem", "llm.monthly_tokens": "1000"})
    with panel.open_memory(settle=False) as memory:
        assert memory.settings.resolve_value("exclude.paths") == ("*.pem", "project")
    answer = client.post("/trust/settings", data={"exclude.paths": "x", "llm.monthly_tokens": "many"})
    assert answer.status_code == 422
    with panel.open_memory(settle=False) as memory:
        assert memory.settings.get_value("exclude.paths") == "*.pem"


def test_a_reader_needs_consent(client: TestClient, panel: Panel) -> None:
    assert client.post("/trust/settings", data={"reader.provider": "openai"}).status_code == 422
    client.post("/trust/settings", data={"reader.provider": "openai", "consent": "1"})
    with panel.open_memory(settle=False) as memory:
        assert memory.settings.get_value("reader.provider") == "openai"


def test_a_key_is_never_shown_only_the_name_of_its_variable(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_LLM_KEY", "sk-canary-value")
    client.post("/trust/settings", data={"llm.key_env": "MY_LLM_KEY"})
    page = client.get("/trust").text
    assert "MY_LLM_KEY" in page
    assert "sk-canary-value" not in page


@pytest.mark.parametrize("form", ["json", "markdown", "claude", "archive"])
def test_memories_are_exported_as_a_file(client: TestClient, panel: Panel, form: str) -> None:
    client.post("/teach", data={"text": "Money is integer cents"})
    answer = client.get(f"/export/{form}")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert b"Money is integer cents" in answer.content or form == "archive"


def test_an_unknown_export_is_refused(client: TestClient) -> None:
    assert client.get("/export/..%2f..%2fetc").status_code in (400, 404)
    assert client.get("/export/xml").status_code == 400


def test_the_checks_of_the_doctor_are_shown(client: TestClient) -> None:
    assert "text search" in client.get("/trust/agents").text


def test_everything_is_deleted_after_the_name_was_typed(client: TestClient, panel: Panel) -> None:
    client.post("/teach", data={"text": "Money is integer cents"})
    refused = client.post("/trust/delete", data={"typed": "something"})
    assert (refused.status_code, "Nothing was deleted" in refused.text) == (422, True)
    with panel.open_memory(settle=False) as memory:
        assert len(memory.memories()) == 1
    answer = client.post("/trust/delete", data={"typed": panel.project.name})
    assert answer.headers["location"] == "/welcome"
    assert "Everything about this project was deleted." in client.get("/welcome").text
    with panel.open_memory(settle=False) as memory:
        assert memory.memories() == []


def test_a_switch_of_the_embedder_shows_how_far_it_is_and_is_stopped(
    client: TestClient, panel: Panel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_worker, "start", lambda folder, root: None)
    client.post("/trust/settings", data={"embedding.provider": "off"})
    client.post("/teach", data={"text": "Money is integer cents"})
    assert "search goes by words only" in client.get("/trust").text
    client.post("/trust/settings", data={"embedding.provider": "builtin"})
    page = client.get("/trust").text
    assert "0 of 1 memories embedded." in page
    assert "Stop and go back to off" in page
    client.post("/trust/embedder/stop")
    with panel.open_memory(settle=False) as memory:
        assert memory.settings.get_value("embedding.provider") == "off"
    assert client.post("/trust/embedder/stop").status_code == 400


def test_an_embedder_that_does_not_answer_is_not_chosen(client: TestClient, panel: Panel) -> None:
    address = {"embedding.provider": "ollama", "embedding.base_url": "http://127.0.0.1:9"}
    assert client.post("/trust/settings", data=address).status_code == 422
    with panel.open_memory(settle=False) as memory:
        assert memory.settings.get_value("embedding.provider") == "builtin"


def test_the_condition_of_the_next_level_is_named(client: TestClient) -> None:
    assert "standard comes by itself after" in client.get("/trust").text
