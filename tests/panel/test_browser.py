"""A person in a real browser: signs in, finds, reads and corrects a memory; every page passes axe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from docs.screenshot_project import fill_project
from docs.screenshots import list_shots, open_shot
from tests.panel.conftest import AXE
from tests.panel.views.test_memories import teach

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

    from holloway.panel.panel import Panel
    from holloway.testing import FakeClock

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


def find_faults(page: Page) -> list[str]:
    """Return the faults that axe finds in a page, with the elements that have them."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: `make browser`")
    page.evaluate(AXE.read_text("utf-8"))
    result: dict[str, Any] = page.evaluate("tags => axe.run(document, {runOnly: tags})", RULES)
    return [f"{fault['id']}: {node['html']}" for fault in result["violations"] for node in fault["nodes"]]


@pytest.mark.promise("panel")
def test_a_person_finds_a_memory_and_ends_it_without_a_mouse(
    browser: BrowserContext, address: str, panel: Panel
) -> None:
    teach(panel, "Money is integer cents", "Login needs REDIS_URL")
    page = browser.new_page()
    page.goto(address)
    page.goto(page.url.partition("?")[0].rstrip("/") + "/memories")
    page.keyboard.press("/")
    page.keyboard.type("redis")
    page.keyboard.press("Enter")
    page.get_by_text("1 memory found").or_(page.get_by_text("2 memories found")).wait_for()
    page.locator("h1").click()
    page.keyboard.press("j")
    page.keyboard.press("w")
    page.locator("dialog[open]").get_by_text("What is wrong with this memory?").wait_for()
    page.keyboard.press("Tab")
    page.locator("dialog[open]").get_by_label("Outdated").press("Space")
    page.locator("dialog[open]").get_by_role("button", name="Flag wrong").press("Enter")
    page.get_by_role("button", name="Undo").wait_for()
    with panel.open_memory(settle=False) as memory:
        assert memory.last_forgotten()[0].content == "Login needs REDIS_URL"
    page.get_by_role("button", name="Undo").press("Enter")
    page.get_by_text("Restored.").wait_for()


@pytest.mark.promise("panel-shows-text")
def test_hostile_text_does_not_run_in_a_browser(browser: BrowserContext, address: str, panel: Panel) -> None:
    memory_id = teach(panel, HOSTILE)[0]
    page = browser.new_page()
    foreign: list[str] = []
    page.on("request", lambda request: foreign.append(request.url) if "127.0.0.1" not in request.url else None)
    page.goto(address)
    base = page.url.rstrip("/")
    for path in ("/memories", f"/memories/{memory_id}", f"/memories/{memory_id}/wrong", "/memories?q=script"):
        page.goto(base + path)
        assert "holloway" in page.title()
        assert "document.title" in page.locator("main").inner_text()
    assert foreign == []


@pytest.mark.promise("panel", "panel-shows-text")
@pytest.mark.parametrize(
    ("language", "scheme", "width"),
    [("en", "light", 1280), ("en", "dark", 390), ("fr", "dark", 1280), ("fr", "light", 390)],
)
def test_no_page_has_a_fault_of_accessibility_loads_from_elsewhere_or_scrolls_sideways(
    chromium: Browser, address: str, panel: Panel, clock: FakeClock, language: str, scheme: Any, width: int
) -> None:
    ids = fill_project(panel.project.root, clock)
    teach(panel, "Login needs " + "REDIS_URL_OF_A_LONG_NAME_" * 6)
    context = chromium.new_context(
        viewport={"width": width, "height": 800}, locale=language, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    elsewhere: list[str] = []
    page.on("request", lambda request: elsewhere.append(request.url) if "127.0.0.1" not in request.url else None)
    page.goto(address)
    base = page.url.rstrip("/")
    for shot in list_shots(ids):
        open_shot(page, base, shot)
        assert page.locator("html").get_attribute("lang") == language
        assert find_faults(page) == [], shot
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), shot
    assert elsewhere == []
    context.close()


@pytest.mark.promise("panel")
def test_pages_can_be_read_without_javascript(chromium: Browser, address: str, panel: Panel, clock: FakeClock) -> None:
    ids = fill_project(panel.project.root, clock)
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    base = page.url.rstrip("/")
    for shot in list_shots(ids):
        page.goto(base + shot.path)
        assert page.locator("main").inner_text().strip(), shot
    page.goto(f"{base}/memories/{ids['memory']}/wrong")
    page.get_by_label("Does not apply here").check()
    page.get_by_role("button", name="Flag wrong").click()
    page.get_by_role("button", name="Undo").wait_for()
    context.close()


@pytest.mark.promise("panel")
def test_an_open_page_shows_what_another_program_stores(browser: BrowserContext, address: str, panel: Panel) -> None:
    teach(panel, "Money is integer cents")
    page = browser.new_page()
    page.goto(address)
    page.goto(page.url.rstrip("/") + "/memories")
    with page.expect_response(lambda response: response.url.endswith("/live")):
        page.reload()
    teach(panel, "Login needs REDIS_URL")
    page.get_by_text("Login needs REDIS_URL").wait_for()
    page.get_by_text("2 memories").wait_for()
