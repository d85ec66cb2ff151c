"""A panel on the small shop, a client that is signed in, and a real browser on a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

import holloway
from docs.screenshots import find_chromium, serve_panel
from holloway.panel.app import create_app
from holloway.panel.panel import Panel
from holloway.panel.security import Policy
from holloway.service.project_finder import known_project
from holloway.testing import CountedIds, FakeClock

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

    from tests.conftest import Repository

PORT = 8800
ORIGIN = f"http://127.0.0.1:{PORT}"
API_TOKEN = "token-of-the-api"
AXE = Path("build/browser/node_modules/axe-core/axe.min.js")


@pytest.fixture
def panel(repository: Repository, home: Path, clock: FakeClock) -> Panel:
    """A panel on the memory of the small shop."""
    holloway.open(repository.root, clock=clock, ids=CountedIds()).close()
    return Panel(known_project(str(repository.root)), home, Policy(PORT, API_TOKEN), clock)


@pytest.fixture
def visitor(panel: Panel) -> Iterator[TestClient]:
    """A client that is not signed in."""
    with TestClient(create_app(panel), base_url=ORIGIN, follow_redirects=False) as client:
        yield client


@pytest.fixture
def client(panel: Panel, visitor: TestClient) -> TestClient:
    """A client that is signed in and sends the headers of a browser on our own pages."""
    visitor.cookies.set(panel.policy.cookie_name, panel.policy.sessions.sign_in())
    visitor.headers["Sec-Fetch-Site"] = "same-origin"
    return visitor


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium without a window; the tests are skipped where it is not installed.

    While playwright runs, its event loop counts as running in this thread, so it ends with the module: no other test
    could use asyncio.
    """
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: `make browser`")
    program = find_chromium()
    if not program:
        pytest.skip("Chromium is not installed: `make browser` installs it where apt can")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def address(panel: Panel) -> Iterator[str]:
    """The address of a real server of the panel, on a free port of this machine."""
    with serve_panel(panel) as link:
        yield link


@pytest.fixture
def browser(chromium: Browser) -> Iterator[BrowserContext]:
    """A browser with no cookies, of the size of a small notebook."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, locale="en")
    yield context
    context.close()
