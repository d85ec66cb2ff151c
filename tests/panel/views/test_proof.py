"""Proof: consent, groups, comparisons and harm on the page."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from holloway.service.experiment import describe_experiment

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.panel.panel import Panel

pytestmark = pytest.mark.promise("ab")


def add_sessions(panel: Panel, number: int, agents: tuple[str, str] = ("a", "a"), **changes: object) -> None:
    """Store sessions of both groups in turn, of which those without memory call a third more tools."""
    with panel.open_memory(settle=False) as memory, memory.store.database.write_transaction():
        for place in range(number):
            group = "control" if place % 2 else "full"
            calls = place % 7 + (40 if group == "control" else 30)
            record = {
                "group": group,
                "randomised": True,
                "agent": agents[place % 2],
                "tool_calls": calls,
                "qa_first_pass": place % 4 < 2,
            } | changes
            memory.store.database.execute(
                "INSERT INTO sessions (id, agent, started_at, last_event_at, ended_at, outcome, record) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    f"s{place:05}",
                    "claude-code",
                    f"2026-01-01T{place:08}",
                    "2026-01-02",
                    "2026-01-02",
                    "success",
                    json.dumps(record),
                ),
            )


def is_on(panel: Panel) -> bool:
    with panel.open_memory(settle=False) as memory:
        return bool(describe_experiment(memory.settings)["on"])


def test_nothing_is_measured_without_consent(client: TestClient, panel: Panel) -> None:
    answer = client.post("/proof/on", data={"control": "5", "passive": "10"})
    assert answer.status_code == 422
    assert "Tick that you agree to measure." in answer.text
    assert not is_on(panel)


def test_measuring_is_turned_on_and_off(client: TestClient, panel: Panel) -> None:
    client.post("/proof/on", data={"control": "20", "passive": "0", "consent": "1"})
    assert is_on(panel)
    assert "20 % of the sessions are told nothing unasked" in client.get("/proof").text
    client.post("/proof/off")
    assert not is_on(panel)
    assert "Start measuring" in client.get("/proof").text


@pytest.mark.parametrize("control", ["", "-1", "51", "five", "0", "٣"])
def test_a_share_that_is_none_is_refused(client: TestClient, panel: Panel, control: str) -> None:
    answer = client.post("/proof/on", data={"control": control, "passive": "0", "consent": "1"})
    assert answer.status_code == 422
    assert not is_on(panel)


def test_a_project_without_measured_sessions_has_no_table(client: TestClient) -> None:
    page = client.get("/proof").text
    assert "<table" not in page
    assert "In no session was a memory that was told flagged" in page


@pytest.mark.parametrize(("number", "verdict"), [(30, "not enough yet"), (300, "better")])
def test_a_verdict_needs_a_hundred_sessions_of_each_group(
    client: TestClient, panel: Panel, number: int, verdict: str
) -> None:
    add_sessions(panel, number)
    page = client.get("/proof").text
    row = re.search(r"<tr>(?:(?!</tr>).)*tool calls.*?</tr>", page, re.DOTALL)
    assert row
    assert verdict in row[0]
    assert f"{number // 2} of 100 sessions" in row[0] or number > 200
    assert "<td>33</td><td>43</td>" in row[0]
    assert '<polyline class="full"' in page
    assert '<polyline class="control"' in page


def test_groups_that_differ_in_something_else_are_named(client: TestClient, panel: Panel) -> None:
    add_sessions(panel, 60, ("claude-code", "codex"))
    assert "The groups also differ in the agent (p &lt; 0.001)" in client.get("/proof").text


def test_another_figure_is_drawn_on_request_and_an_unknown_one_is_not(client: TestClient, panel: Panel) -> None:
    add_sessions(panel, 30)
    assert "Over time: first check passed" in client.get("/proof?metric=qa_first_pass").text
    assert "Over time: tool calls" in client.get("/proof?metric=../../x").text


def test_harm_is_listed_with_its_session_and_memories(client: TestClient, panel: Panel) -> None:
    add_sessions(panel, 1, outcome="failure", shown=[["abc123", "prompt"]])
    page = client.get("/proof").text
    assert 'href="/sessions/s00000"' in page
    assert "the session failed" in page
    assert 'href="/memories/abc123"' in page


def test_the_figures_are_downloaded_without_content(client: TestClient, panel: Panel) -> None:
    add_sessions(panel, 2)
    answer = client.get("/proof/figures.csv")
    assert answer.headers["content-type"].startswith("text/csv")
    assert len(answer.text.splitlines()) == 3
    assert "s00000" not in answer.text
