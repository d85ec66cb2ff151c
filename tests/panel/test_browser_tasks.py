"""What a person comes for, from the first page, by visible words only: five tasks of a few clicks each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from docs.screenshot_project import fill_project

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

    from holloway.panel.panel import Panel
    from holloway.testing import FakeClock

pytestmark = pytest.mark.promise("panel")


@pytest.fixture
def page(browser: BrowserContext, address: str, panel: Panel, clock: FakeClock) -> Page:
    """The first page of a project that has been used for some days."""
    fill_project(panel.project.root, clock)
    opened = browser.new_page()
    opened.goto(address)
    return opened


def go(page: Page, name: str) -> None:
    """Follow a link of the navigation."""
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=re.compile(f"^{name}")).click()


def test_a_memory_is_found_by_what_it_is_about(page: Page) -> None:
    go(page, "Memories")
    page.get_by_placeholder("Search by words and meaning").fill("why do the tests hang?")
    page.get_by_text("found, best first").wait_for()
    page.get_by_role("link", name="tests/auth hangs without REDIS_URL and a running broker").click()
    page.get_by_role("heading", name="tests/auth hangs without REDIS_URL").wait_for()


def test_a_wrong_memory_is_corrected(page: Page) -> None:
    go(page, "Memories")
    line = page.locator("li.memory", has_text="Money is integer cents")
    line.get_by_role("link", name="Wrong").click()
    dialog = page.locator("dialog[open]")
    dialog.get_by_label("Partly wrong").check()
    dialog.get_by_label("Corrected text").fill("Money is integer tenths of a cent")
    dialog.get_by_role("button", name="Flag wrong").click()
    page.get_by_text("Agents stop seeing the old text").wait_for()
    page.get_by_role("link", name="Money is integer tenths of a cent").wait_for()


def test_it_is_seen_what_an_agent_was_told(page: Page) -> None:
    page.get_by_role("link", name="Add taxes at checkout").click()
    page.get_by_text("holloway told the agent").first.wait_for()
    page.get_by_text("holloway: Prices of the catalog are net; taxes are added at checkout only.").wait_for()


def test_a_session_is_reviewed(page: Page) -> None:
    go(page, "Review")
    page.get_by_role("heading", name="SHOP_TAX_URL").wait_for()
    page.get_by_role("button", name="Save all confirmed (1)").click()
    page.get_by_text("1 memory confirmed.").wait_for()


def test_a_memory_is_taught(page: Page) -> None:
    go(page, "Teach")
    page.get_by_label("Text", exact=True).fill("Refunds go through the ledger, never through payments.")
    page.get_by_role("button", name="Teach", exact=True).click()
    page.get_by_text("Agents know it from their next session on.").wait_for()
    page.get_by_role("heading", name="Refunds go through the ledger").wait_for()
