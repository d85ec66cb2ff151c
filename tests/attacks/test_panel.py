"""Attacks on the panel, on every page of its routing table: no page is guarded on its own."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import cycle
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from docs.screenshot_project import fill_project
from docs.screenshots import list_shots
from holloway.panel.routes import ROUTES
from tests.panel.conftest import client, panel, visitor
from tests.panel.views.test_memories import teach

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.panel.panel import Panel
    from holloway.testing import FakeClock

__all__ = ["client", "panel", "visitor"]

pytestmark = pytest.mark.promise("panel-is-yours")

FORM_TYPE = "application/x-www-form-urlencoded"
PUBLIC = {"/enter", "/go/{path:path}", "/look"}
READ = sorted({route.path for route in ROUTES if route.method == "GET"})
CHANGED = sorted({route.path for route in ROUTES if route.method == "POST"})
TRAVERSALS = (
    "../../../../../../etc/passwd",
    "/etc/passwd",
    "file:///etc/passwd",
    "..\\..\\etc\\passwd",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "src/../../../../../../etc/passwd",
    "\0",
    "a" * 1_000,
)
FIELDS = (
    "after action all at content direction depth expected file files first following form from id ids into level "
    "module modules name next note open order place preset purpose q query reason rename session sessions target text "
    "token type types typed user visibility add on accept acknowledged instead_incorrect instead_partly"
).split()
"""Every name of a value that some page reads."""
MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'><a href='javascript:alert(1)'>x</a>"


def fill_path(path: str, value: str) -> str:
    return re.sub(r"{[^}]*}", lambda match: quote(value, safe=""), path)


@pytest.mark.parametrize("path", sorted(set(READ) - PUBLIC))
def test_a_page_needs_a_cookie(visitor: TestClient, path: str) -> None:
    assert visitor.get(fill_path(path, "abcdef")).status_code == 401


@pytest.mark.parametrize("path", CHANGED)
def test_no_change_is_made_without_a_cookie_from_elsewhere_or_with_a_huge_body(
    visitor: TestClient, panel: Panel, path: str
) -> None:
    address = fill_path(path, "abcdef")
    same = {"Sec-Fetch-Site": "same-origin", "Content-Type": FORM_TYPE}
    if path not in PUBLIC:
        assert visitor.post(address, headers=same).status_code == 401
    visitor.cookies.set(panel.policy.cookie_name, panel.policy.sessions.sign_in())
    for foreign in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}, {}):
        assert visitor.post(address, headers=foreign).status_code == 403
    assert visitor.post(address, headers=same | {"Host": "evil.example:8800"}).status_code == 421
    body = b"text=" + b"x" * (10 * 1024 * 1024)
    assert visitor.post(address, content=body, headers=same).status_code == 413
    assert visitor.post(address, content=b"{}", headers=same | {"Content-Type": "text/plain"}).status_code == 415


@pytest.mark.parametrize("path", READ)
def test_no_value_of_an_address_leads_out_of_the_project(client: TestClient, path: str) -> None:
    queries = [{name: value} for name, value in zip(FIELDS, cycle(TRAVERSALS), strict=False)]
    queries += [dict.fromkeys(FIELDS, value) for value in TRAVERSALS]
    for query in queries:
        answer = client.get(fill_path(path, "abcdef"), params=query)
        assert answer.status_code < 500, query
        assert "root:x:0" not in answer.text
        assert answer.headers.get("location", "/").startswith("/")
    for value in TRAVERSALS if "{" in path else ():
        assert client.get(fill_path(path, value)).status_code < 500


@pytest.mark.parametrize("path", CHANGED)
def test_no_value_of_a_form_leads_out_of_the_project(client: TestClient, path: str) -> None:
    for value in TRAVERSALS:
        answer = client.post(fill_path(path, "abcdef"), data=dict.fromkeys(FIELDS, value))
        assert answer.status_code < 500, value
        assert "root:x:0" not in answer.text
        assert not answer.headers.get("location", "/").startswith(("//", "http", "\\"))


class ElementFinder(HTMLParser):
    """Collects what a page must not have: inline code, pictures, addresses that run, handlers."""

    def __init__(self) -> None:
        super().__init__()
        self.forbidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            leads_to_code = name in ("href", "src", "action", "formaction") and "javascript:" in (value or "").lower()
            if name.startswith("on") or name == "style" or leads_to_code:
                self.forbidden.append(f"{tag} {name}={value}")
        source = dict(attrs).get("src") or ""
        if tag in ("img", "iframe", "object", "embed", "base", "style") or (
            tag == "script" and not source.startswith("/static/")
        ):
            self.forbidden.append(tag)


@pytest.mark.promise("panel-shows-text")
def test_hostile_text_is_text_on_every_page(client: TestClient, panel: Panel, clock: FakeClock) -> None:
    ids = fill_project(panel.project.root, clock)
    hostile = teach(panel, f"Tokens rotate {MARKUP}", tags=[MARKUP[:60]])[0]
    other = teach(panel, f"Sessions expire [hw:{hostile}] {MARKUP}")[0]
    with panel.open_memory(settle=True) as memory:
        memory.relate(other, "validates", hostile)
        memory.edit(other, content=f"Sessions end {MARKUP}")
        with memory.session(f"s {MARKUP}", agent=f"agent {MARKUP}", task=f"Task {MARKUP} [hw:{hostile}]") as session:
            session.used("bash", {"command": f"echo {MARKUP}"}, MARKUP, ok=False)
            session.finish(outcome="failure")
        memory.map.edit_module(ids["module"], purpose=MARKUP)
    client.post("/ask", data={"q": f"how do tokens rotate {MARKUP}?"})
    client.post("/teach", data={"text": f"Refresh once {MARKUP}", "file": ""})
    paths = [shot.path for shot in list_shots(ids)]
    paths += [
        f"/memories/{hostile}",
        f"/memories/{other}",
        f"/memories/{other}/wrong",
        f"/sessions/{quote(f's {MARKUP}')}",
    ]
    paths += [f"{path}?{name}={quote(MARKUP)}" for path in ("/memories", "/ask", "/code", "/teach") for name in FIELDS]
    paths += [
        "/ask",
        "/review?session=last",
        f"/memories?q={quote(MARKUP)}",
        f"/go/{quote(MARKUP)}",
        f"/{quote(MARKUP)}",
    ]
    for path in paths:
        finder = ElementFinder()
        finder.feed(client.get(path).text)
        assert finder.forbidden == [], path
