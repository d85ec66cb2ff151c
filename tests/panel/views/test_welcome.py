"""The first steps in a project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.install.agents import CLAUDE_CODE_DIALECT
from holloway.install.install_plan import apply_plan, plan_setup

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from starlette.testclient import TestClient

    from holloway.panel.panel import Panel


def test_a_new_project_is_offered_its_map(client: TestClient, panel: Panel, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr("holloway.service.code_map.background_worker.start", lambda *place: started.extend(place))
    assert "Map it" in client.get("/welcome").text
    client.post("/welcome/map")
    assert started == [str(panel.project.folder), str(panel.project.root)]


def test_rules_are_shown_before_they_are_imported_for_review(client: TestClient, panel: Panel) -> None:
    (panel.project.root / "CLAUDE.md").write_text("# Rules\n- Money is integer cents\n- Never force-push to main\n")
    page = client.get("/welcome").text
    assert "Found 2 rules in CLAUDE.md." in page
    assert "Never force-push to main" in page
    client.post("/welcome/rules")
    page = client.get("/welcome").text
    assert "2 rules wait for you." in page
    assert "Review 2 memories" in page


def test_a_known_project_with_a_connected_agent_has_no_step_left(client: TestClient, panel: Panel, home: Path) -> None:
    with panel.open_memory(settle=False) as memory:
        memory.map.update(workers=0)
    page = client.get("/welcome").text
    assert page.count('class="now"') == 1
    assert "<code>holloway setup</code>" in page
    apply_plan(plan_setup(CLAUDE_CODE_DIALECT, "project", panel.project.root, home), home)
    page = client.get("/welcome").text
    assert 'class="now"' not in page
    assert "Claude Code" in page
    assert "6 files" in page
