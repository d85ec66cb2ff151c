"""Screenshots of every page of the panel, in both themes and languages, wide and narrow: `make screenshots`.

The pages show a project that is made for the purpose, with the real service behind them.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import holloway
from benchmarks.generated.growing import Growing
from docs.screenshot_project import TOKENS, fill_project
from holloway.panel import server
from holloway.panel.app import create_app
from holloway.panel.panel import Panel
from holloway.panel.security import Policy
from holloway.service.project_finder import known_project
from holloway.testing import FakeClock
from tests.conftest import make_repository

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


FOLDER = Path("build/screenshots")
IMAGES = Path("docs/images")
BEST = ("health-en-light-1280", "memory-en-dark-1280", "wrong-en-light-1280", "memories-fr-light-390")
"""The screenshots that the docs show."""
SIZES = ((1280, 860), (390, 844))


class Shot(NamedTuple):
    """A page to look at: a name, its path, the key that opens a dialog on it, and the question that is asked on it."""

    name: str
    path: str
    key: str = ""
    question: str = ""


def list_shots(ids: dict[str, str]) -> list[Shot]:
    """Return every page of the panel; a new page is added here, and is then looked at and checked by axe."""
    return [
        Shot("health", "/"),
        Shot("welcome", "/welcome"),
        Shot("memories", "/memories"),
        Shot("memories-search", "/memories?q=how+do+tokens+expire"),
        Shot("memories-filtered", "/memories?types=decision&preset=unused"),
        Shot("memories-none", "/memories?types=dead_end"),
        Shot("memory", f"/memories/{ids['memory']}"),
        Shot("wrong", f"/memories/{ids['memory']}", key="w"),
        Shot("wrong-page", f"/memories/{ids['memory']}/wrong"),
        Shot("review", "/review"),
        Shot("review-session", "/review?session=claude-0"),
        Shot("review-card", "/review/queue"),
        Shot("sessions", "/sessions"),
        Shot("session", f"/sessions/{ids['session']}"),
        Shot("session-gone", "/sessions/claude-1"),
        Shot("modules", "/modules"),
        Shot("module", f"/modules?open={ids['module']}"),
        Shot("code", "/code"),
        Shot("code-task", "/code?q=make+token+refresh+survive+a+retry"),
        Shot("code-impact", f"/code?place={TOKENS}"),
        Shot("code-missing", "/code?place=src/nowhere.py"),
        Shot("ask", "/ask"),
        Shot("ask-answered", "/ask", question="How is money stored, and why?"),
        Shot("teach", f"/teach?file={TOKENS}"),
        Shot("proof", "/proof"),
        Shot("sharing", "/sharing"),
        Shot("sharing-offer", "/sharing/offer?preview=1"),
        Shot("sharing-conflicts", "/sharing/conflicts"),
        Shot("memories-shared", "/memories?authors=Ben"),
        Shot("trust", "/trust"),
        Shot("agents", "/trust/agents"),
        Shot("keys", "/memories", key="?"),
        Shot("missing", "/nothing"),
    ]


EMPTY_SHOTS = [
    Shot(f"empty-{path.strip('/') or 'welcome'}", path)
    for path in ("/", "/memories", "/review", "/sessions", "/modules", "/code", "/ask", "/sharing")
]
"""The pages of a project about which nothing is known yet."""
MANY_SHOTS = [
    Shot("many-health", "/"),
    Shot("many-memories", "/memories"),
    Shot("many-filtered", "/memories?types=decision"),
]
"""The pages of a project with ten thousand memories."""
MANY = 10_000


@contextmanager
def serve_panel(panel: Panel) -> Iterator[str]:
    """Serve a panel on a free port of this machine; yields a one-time address."""
    with server.bind(0) as listener:
        port = listener.getsockname()[1]
        served = Panel(panel.project, panel.home, Policy(port, panel.policy.api_token), panel.clock)
        link = served.folder.make_link(served.folder.publish(port))
        running = server.make_server(create_app(served))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield link
        finally:
            running.should_exit = True
            thread.join()


def open_shot(page: Page, base: str, shot: Shot) -> None:
    """Go to a page, and open its dialog if it has one."""
    page.goto(base + shot.path)
    if shot.question:
        page.locator("#question").fill(shot.question)
        page.locator("form.ask button").click()
        page.locator("#last .answer").wait_for()
    if shot.key:
        page.keyboard.press(shot.key)
        page.locator("dialog[open]").wait_for()


def find_chromium() -> str:
    """Return the path of Chromium; empty if it is not installed."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium") or ""


def _take(browser: Browser, link: str, shots: list[Shot]) -> None:
    entrance = browser.new_context()
    first = entrance.new_page()
    first.goto(link)
    base, state = "{0.scheme}://{0.netloc}".format(urlsplit(first.url)), entrance.storage_state()
    for language in ("en", "fr"):
        for theme in ("light", "dark"):
            for width, height in SIZES:
                context = browser.new_context(
                    storage_state=state,
                    viewport={"width": width, "height": height},
                    locale=language,
                    color_scheme="dark" if theme == "dark" else "light",
                    reduced_motion="reduce",
                )
                page = context.new_page()
                for shot in shots:
                    open_shot(page, base, shot)
                    name = f"{shot.name}-{language}-{theme}-{width}.png"
                    page.screenshot(path=FOLDER / name, full_page=not shot.key)
                context.close()


def _take_project(browser: Browser, root: Path, clock: FakeClock, shots: list[Shot]) -> None:
    panel = Panel(known_project(str(root)), Path(os.environ["HOLLOWAY_HOME"]), Policy(0, "token"), clock)
    with serve_panel(panel) as link:
        _take(browser, link, shots)


def _take_all(browser: Browser, folder: Path) -> None:
    full, empty, many = (folder / name for name in ("full", "empty", "many"))
    make_repository(full / "shop")
    make_repository(empty / "shop", {"README.md": "# A shop that begins\n", "src/shop/cart.py": "ITEMS = []\n"})
    clock = FakeClock()
    _take_project(browser, full / "shop", clock, list_shots(fill_project(full / "shop", clock)))
    holloway.open(empty / "shop").close()
    _take_project(browser, empty / "shop", FakeClock(), EMPTY_SHOTS)
    (many / "shop").mkdir(parents=True)
    growing = Growing(many / "shop", Path(os.environ["HOLLOWAY_HOME"]))
    growing.grow(MANY)
    growing.memory.close()
    _take_project(browser, many / "shop", growing.clock, MANY_SHOTS)


def main() -> None:
    """Take all screenshots, and copy the best ones to the docs."""
    from playwright.sync_api import sync_playwright  # only for screenshots

    if not find_chromium():
        sys.exit("Chromium is not installed: `make browser` installs it where apt can.")
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        os.environ |= {"HOLLOWAY_HOME": f"{name}/data", "HOME": f"{name}/person"}
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        _take_all(browser, Path(name))
        browser.close()
    IMAGES.mkdir(exist_ok=True)
    for name in BEST:
        shutil.copy(FOLDER / f"{name}.png", IMAGES / f"panel-{name}.png")
    print(f"{len(list(FOLDER.iterdir()))} screenshots in {FOLDER}")


if __name__ == "__main__":
    main()
