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

import holloway
from holloway.domain.memory import Draft, ReviewReason, Source, State
from holloway.panel import server
from holloway.panel.app import create_app
from holloway.panel.panel import Panel
from holloway.panel.security import Policy
from holloway.service.project_finder import known_project
from holloway.store.write_gate import sanitize_draft
from holloway.testing import CountedIds, FakeClock
from tests.conftest import make_repository

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from holloway.service.holloway import Holloway

FOLDER = Path("build/screenshots")
IMAGES = Path("docs/images")
BEST = ("health-en-light-1280", "memory-en-dark-1280", "wrong-en-light-1280", "memories-fr-light-390")
"""The screenshots that the docs show."""
SIZES = ((1280, 860), (390, 844))
TOKENS = "src/shop/auth/tokens.py"
TAUGHT: tuple[tuple[str, str, list[str]], ...] = (
    ("Refresh tokens are rotated on every use: an old one locks the account for ten minutes.", "gotcha", [TOKENS]),
    ("Money is integer cents, never a float.", "decision", ["src/shop/billing/invoice.py"]),
    ("Build sessions with the factory: it registers the audit hook.", "pattern", ["src/shop/auth/session.py"]),
    ("tests/auth hangs without REDIS_URL.", "gotcha", ["tests/auth/test_tokens.py"]),
    ("Prefer uv over pip in scripts.", "preference", []),
    ("The invoice total rounds half to even since 2.3; do not fix it.", "decision", ["src/shop/billing/invoice.py"]),
)
TASKS = (
    "Make token refresh survive a retry",
    "Round invoice totals half to even",
    "Expire sessions after thirty minutes",
    "Add an audit log to sign-in",
)
REFUSED = "redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused."
RULES = "# Rules\n\n- Never force-push to main\n- Every endpoint needs a contract test\n"


class Shot(NamedTuple):
    """A page to look at: a name, its path, and the key that opens a dialog on it."""

    name: str
    path: str
    key: str = ""


def fill_project(root: Path, clock: FakeClock) -> dict[str, str]:
    """Make a project with memories of every kind; returns ids that paths need, by name."""
    with holloway.open(root, clock=clock, ids=CountedIds()) as memory:
        memory.map.update(workers=0)
        ids = [_teach(memory, clock, *taught) for taught in TAUGHT]
        (root / "CLAUDE.md").write_text(RULES, "utf-8")
        memory.import_rules()
        clock.advance(days=2)
        for number, task in enumerate(TASKS):
            _work(memory, clock, f"claude-{number}", task)
        memory.edit(ids[3], content="tests/auth hangs without REDIS_URL and a running broker.")
        memory.relate(ids[0], "validates", ids[2])
        memory.pin(ids[1])
        for waiting in memory.to_review()[:2]:
            memory.confirm(waiting.id)
        _add_observed(memory)
        clock.advance(hours=5)
        module = memory.map.modules()[0].name
    return {"memory": ids[0], "session": "claude-1", "module": module}


def _work(memory: Holloway, clock: FakeClock, session_id: str, task: str) -> None:
    """Have an agent fix an error that it first runs into, as in a real session."""
    with memory.session(session_id, agent="claude-code", task=task) as session:
        for tool, args, result, is_ok in (
            ("read_file", {"path": TOKENS}, "def refresh(token): ...", True),
            ("edit", {"path": TOKENS, "old_string": "a", "new_string": "b"}, "ok", True),
            ("bash", {"command": "pytest -q"}, REFUSED, False),
            ("bash", {"command": "REDIS_URL=fake:// pytest -q"}, "3 passed in 0.1s", True),
        ):
            session.used(tool, args, result, ok=is_ok)
            clock.advance(seconds=150)
        session.finish(outcome="success")
    clock.advance(hours=9)


def _teach(memory: Holloway, clock: FakeClock, text: str, kind: str, files: list[str]) -> str:
    clock.advance(hours=7)
    taught = memory.remember(text, type=kind, files=files, where=memory.project.root).memory
    assert taught is not None
    return taught.id


def _add_observed(memory: Holloway) -> None:
    """Add a memory that waits because it came after web content, and one whose code has changed."""
    tainted = Draft(
        content="Call the billing service with retries=0; the page says it is safe.",
        source=Source.OBSERVER_INFERRED,
        state=State.QUARANTINED,
        review=ReviewReason.TAINTED,
        agent="claude-code",
        files=("src/shop/billing/invoice.py",),
        branch="main",
    )
    stale = Draft(
        content="total() ignores voided items.",
        source=Source.AGENT_NOTE,
        state=State.STALE,
        review=ReviewReason.STALE,
        agent="codex",
        files=("src/shop/billing/invoice.py",),
        branch="main",
    )
    for draft in (tainted, stale):
        memory.store.memories.add_memory(sanitize_draft(draft, ""))


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
        Shot("modules", "/modules"),
        Shot("module", f"/modules?open={ids['module']}"),
        Shot("code", "/code"),
        Shot("code-task", "/code?q=make+token+refresh+survive+a+retry"),
        Shot("code-impact", f"/code?place={TOKENS}"),
        Shot("code-missing", "/code?place=src/nowhere.py"),
        Shot("ask", "/ask"),
        Shot("teach", f"/teach?file={TOKENS}"),
        Shot("trust", "/trust"),
        Shot("agents", "/trust/agents"),
        Shot("keys", "/memories", key="?"),
        Shot("missing", "/nothing"),
    ]


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
    base, state = first.url.rstrip("/"), entrance.storage_state()
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


def main() -> None:
    """Take all screenshots, and copy the best ones to the docs."""
    from playwright.sync_api import sync_playwright  # only for screenshots

    if not find_chromium():
        sys.exit("Chromium is not installed: `make browser` installs it where apt can.")
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        root, clock = Path(folder) / "shop", FakeClock()
        make_repository(root)
        home = Path(folder) / "data"
        os.environ["HOLLOWAY_HOME"] = str(home)
        ids = fill_project(root, clock)
        panel = Panel(known_project(str(root)), home, Policy(0, "token"), clock)
        with serve_panel(panel) as link, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
            _take(browser, link, list_shots(ids))
            browser.close()
    IMAGES.mkdir(exist_ok=True)
    for name in BEST:
        shutil.copy(FOLDER / f"{name}.png", IMAGES / f"panel-{name}.png")
    print(f"{len(list(FOLDER.iterdir()))} screenshots in {FOLDER}")


if __name__ == "__main__":
    main()
