"""A person with the panel open: a real session of an agent ends, and its review card appears on the open page."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest

from docs.screenshots import serve_panel
from holloway.panel.panel import Panel
from holloway.panel.security import Policy
from holloway.service.project_finder import known_project
from tests.conftest import make_repository
from tests.journeys import agents
from tests.journeys.agents import steps
from tests.journeys.claude_code import needs_claude_code
from tests.journeys.test_story import FILES, FIXED_TEST, INVOICE, TEST
from tests.panel.conftest import browser, chromium

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext

__all__ = ["browser", "chromium"]

pytestmark = needs_claude_code

CARD_S = 30
"""Time after the end of a session in which its card is there."""
TASK = "The invoice total is one cent too high. Please correct total and make its test pass."


@pytest.mark.promise("panel-live")
def test_the_card_of_a_session_appears_within_half_a_minute_of_its_end(
    browser: BrowserContext, tmp_path: Path, home: Path
) -> None:
    desk = agents.connected(agents.ClaudeCode(), make_repository(tmp_path / "shop", FILES), tmp_path / "person", home)
    panel = Panel(known_project(str(desk.repository.root)), home, Policy(0, "token"))
    with serve_panel(panel) as address:
        page = browser.new_page()
        page.goto(address)
        page.goto(re.sub(r"(?<=\d)/.*", "/review", page.url))
        page.get_by_text("Nothing to review").or_(page.get_by_text("No session waits")).wait_for()
        work(desk)
        ended_at = time.monotonic()
        page.get_by_role("heading", name=TASK[:30]).wait_for(timeout=CARD_S * 1000)
        waited_s = time.monotonic() - ended_at
        assert waited_s < CARD_S
        page.locator("article.review", has_text="SHOP_LEDGER").wait_for()
        page.get_by_text("A session ended.").wait_for()


def work(desk: agents.Desk) -> None:
    """Have the agent meet an error, fix it and commit."""
    agent, path = desk.agent, desk.file(INVOICE)
    desk.session(
        TASK,
        *steps(
            agent.read(path),
            agent.edit(path, "    return book(sum(cents)) + 1", "    return book(sum(cents))"),
            agent.shell(TEST),
            agent.shell(FIXED_TEST),
            agent.shell("git commit -qam 'The total is the sum'"),
        ),
    )
