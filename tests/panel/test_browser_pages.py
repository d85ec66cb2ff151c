"""A person in a real browser: opens the map, reviews by keys, reads what an agent was told, asks."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

from holloway.store import told_log
from tests.panel.views.test_memories import teach
from tests.panel.views.test_share import Colleague
from tests.service.test_module_map import grow
from tests.service.test_session_pages import tell
from tests.service.test_session_report import solve

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Page

    from holloway.panel.panel import Panel
    from tests.conftest import Repository


def sign_in(browser: BrowserContext, address: str) -> tuple[Page, str]:
    """Return a signed-in page and the address of the panel."""
    page = browser.new_page()
    page.goto(address)
    return page, re.sub(r"(?<=\d)/.*", "", page.url)


def test_the_map_is_used_with_the_keyboard_and_edits_stick(
    browser: BrowserContext, address: str, panel: Panel, repository: Repository
) -> None:
    grow(repository)
    with panel.open_memory(settle=True) as memory:
        memory.map.update()
    page, base = sign_in(browser, address)
    page.goto(f"{base}/modules")
    node = page.get_by_role("link", name="auth, 4 files, shallow")
    page.locator("#main").focus()
    for _ in range(10):
        page.keyboard.press("Tab")
        if node.evaluate("node => node === document.activeElement"):
            break
    page.keyboard.press("Enter")
    page.get_by_role("link", name="src/auth/model.py", exact=True).wait_for()
    page.get_by_text("Edit", exact=True).click()
    page.get_by_label("Name").fill("login")
    page.get_by_label("Purpose, for people and agents").fill("Who you are")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="login, 4 files, shallow").or_(page.locator("h2", has_text="login")).first.wait_for()
    with panel.open_memory(settle=False) as memory:
        assert memory.map.module("login").purpose == "Who you are"
    page.get_by_text("Edit", exact=True).click()
    page.get_by_role("button", name="Merge...").click()
    page.get_by_text("Merge login into billing?").wait_for()
    page.get_by_role("button", name="Merge", exact=True).click()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Your edits are removed").wait_for()
    with panel.open_memory(settle=False) as memory:
        assert len(memory.map.modules()) == 2


def test_the_end_of_a_session_is_reviewed_with_keys(browser: BrowserContext, address: str, panel: Panel) -> None:
    with panel.open_memory(settle=False) as memory:
        memory.trust.choose("standard")
        stored = solve(memory, "s1")
    page, base = sign_in(browser, address)
    page.goto(f"{base}/review")
    page.keyboard.press("e")
    text = page.get_by_label("Text")
    text.wait_for()
    assert text.evaluate("field => field === document.activeElement")
    text.fill("Set REDIS_URL before the tests")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved.").wait_for()
    page.goto(f"{base}/review?session=s1")
    with panel.open_memory(settle=False) as memory:
        assert memory.get(stored).content == "Set REDIS_URL before the tests"


def test_what_waits_is_confirmed_and_dropped_with_keys(
    browser: BrowserContext, address: str, panel: Panel, repository: Repository
) -> None:
    repository.commit("CLAUDE.md", "# Rules\n\n- Money is integer cents.\n- Run `make check` before a commit.\n")
    with panel.open_memory(settle=True) as memory:
        memory.import_rules()
        first, second = (waiting.id for waiting in memory.to_review())
    page, base = sign_in(browser, address)
    page.goto(f"{base}/review/queue")
    page.keyboard.press("a")
    page.get_by_text("Confirmed.").wait_for()
    page.keyboard.press("x")
    page.get_by_text("All done").wait_for()
    with panel.open_memory(settle=False) as memory:
        assert memory.get(first).state == "confirmed"
        assert not memory.get(second).is_alive
    page.get_by_role("button", name="Undo").click()
    page.wait_for_load_state()
    with panel.open_memory(settle=False) as memory:
        assert memory.get(second).is_alive


def test_a_person_finds_out_what_the_agent_was_told(browser: BrowserContext, address: str, panel: Panel) -> None:
    memory_id = teach(panel, "Money is integer cents")[0]
    with panel.open_memory(settle=False) as memory:
        solve(memory, "s1")
        tell(memory, "s1", memory_id)
        told_log.append_told(
            str(memory.project.folder),
            at="2026-01-05T10:00:00.000Z",
            session="s1",
            point="prompt",
            text=f"- Money is integer cents [hw:{memory_id}]",
        )
    page, base = sign_in(browser, address)
    page.goto(base)
    page.get_by_role("link", name="Sessions", exact=True).click()
    page.locator(".sessions a").first.click()
    page.get_by_text("- Money is integer cents [hw:").wait_for()
    page.locator(".timeline").get_by_role("link", name="Money is integer cents").click()
    page.wait_for_url(f"{base}/memories/{memory_id}")


def test_a_question_is_answered_with_evidence_that_opens(browser: BrowserContext, address: str, panel: Panel) -> None:
    memory_id = teach(panel, "Money is stored as integer cents")[0]
    with panel.open_memory(settle=True) as memory:
        memory.map.update()
    page, base = sign_in(browser, address)
    page.goto(f"{base}/ask")
    page.keyboard.press("/")
    page.keyboard.type("how is")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("money stored?")
    page.keyboard.press("Enter")
    page.get_by_text("Here is the evidence, best first.").wait_for()
    page.locator(".answer").get_by_role("link", name="Money is stored as integer cents").click()
    page.wait_for_url(f"{base}/memories/{memory_id}")


def test_a_person_shares_accepts_a_colleague_and_decides_a_conflict(
    browser: BrowserContext, address: str, panel: Panel, tmp_path: Path
) -> None:
    hub = tmp_path / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", str(hub)], check=True)
    subprocess.run(["git", "-C", str(panel.project.root), "remote", "add", "origin", str(hub)], check=True)
    bob = Colleague(tmp_path, hub)
    teach(panel, "Tests need Redis")
    page, base = sign_in(browser, address)
    page.goto(f"{base}/sharing")
    page.get_by_role("link", name="See what would leave").click()
    page.get_by_label("Your name for others").fill("Ada")
    page.get_by_label("Taught by you, personal until you say otherwise").check()
    page.get_by_role("button", name="Show exactly what would be sent").click()
    page.get_by_role("heading", name="1 memory would be sent; nothing was").wait_for()
    page.get_by_role("button", name="Share", exact=True).click()
    page.get_by_text("3 lines that are left").wait_for()
    for label in ("Everyone who can read", "Prompts, sessions and evidence", "I can leave"):
        page.get_by_label(label).check()
    page.get_by_role("button", name="Share", exact=True).click()
    page.get_by_text("1 memory is shared.").wait_for()
    bob.share("Bob knows this")
    page.get_by_role("button", name="Exchange now").click()
    page.get_by_role("button", name="Accept Bob, mac").click()
    page.get_by_role("heading", name="Read these first").wait_for()
    page.get_by_role("button", name="I have read them").click()
    with panel.open_memory(settle=False) as memory:
        card = next(card for card in memory.memories() if card.content == "Tests need Redis")
        memory.edit(card.id, content="Tests need Redis 7")
        bob.share(edits={"Tests need Redis": "Tests need Redis 6"})
    page.get_by_role("button", name="Exchange now").click()
    page.get_by_role("link", name="1 memory was changed by two people at once").click()
    page.get_by_role("button", name="Keep B").click()
    page.get_by_role("heading", name="No conflicts").wait_for()
    with panel.open_memory(settle=False) as memory:
        assert memory.get(card.id).content == "Tests need Redis 6"
