"""Entrance: one-time links and the look of the pages."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from holloway.panel.access import LINK_VALID_S

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.panel.panel import Panel


def make_path(panel: Panel, page: str = "/") -> str:
    """Return the path of a new one-time link."""
    link = panel.folder.make_link(panel.folder.publish(panel.policy.port), page)
    return link.partition(str(panel.policy.port))[2]


def test_a_link_signs_in_and_leaves_no_token_in_the_address(visitor: TestClient, panel: Panel) -> None:
    answer = visitor.get(make_path(panel, "/teach"))
    assert answer.headers["location"] == "/teach"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert visitor.get("/teach").status_code == 200


def test_a_link_works_once(visitor: TestClient, panel: Panel) -> None:
    path = make_path(panel)
    assert visitor.get(path).status_code == 303
    visitor.cookies.clear()
    assert visitor.get(path).status_code == 403
    assert visitor.get("/").status_code == 401


def test_a_link_expires(visitor: TestClient, panel: Panel) -> None:
    path = make_path(panel)
    old = time.time() - LINK_VALID_S - 1
    for file in (panel.project.folder / "panel" / "links").iterdir():
        os.utime(file, (old, old))
    assert visitor.get(path).status_code == 403


def test_a_token_that_is_a_path_opens_and_deletes_nothing(visitor: TestClient, panel: Panel) -> None:
    kept = panel.project.folder / "memory.db"
    for token in ("", "../../memory.db", str(kept), "%2e%2e/memory.db"):
        assert visitor.get("/enter", params={"token": token}).status_code == 403
    assert kept.exists()


def test_a_link_never_leads_to_another_site(visitor: TestClient, panel: Panel) -> None:
    for elsewhere in ("https://evil.example", "//evil.example", "/\\evil.example"):
        assert visitor.get(make_path(panel, elsewhere)).headers["location"] == "/"


def test_links_are_files_that_only_their_user_can_read(visitor: TestClient, panel: Panel) -> None:
    make_path(panel)
    panel.folder.load_api_token()
    folder = panel.project.folder / "panel"
    assert {path.stat().st_mode & 0o077 for path in [folder, *folder.rglob("*")]} == {0}


def test_the_chosen_language_and_theme_stay_with_the_browser(client: TestClient) -> None:
    client.post("/look", data={"language": "fr"})
    client.post("/look", data={"theme": "dark"})
    page = client.get("/memories").text
    assert '<html lang="fr" data-theme="dark">' in page
    client.post("/look", data={"language": "xx", "theme": "pink"})
    assert '<html lang="fr" data-theme="dark">' in client.get("/memories").text


def test_a_link_in_another_window_leads_to_its_page(client: TestClient) -> None:
    assert client.get("/go/memories?types=gotcha").headers["location"] == "/memories?types=gotcha"
    assert client.get("/go/").headers["location"] == "/"


def test_a_link_without_a_cookie_offers_the_page_and_a_new_address(visitor: TestClient) -> None:
    page = visitor.get("/go/review").text
    assert 'href="/review"' in page
    assert "panel --link" in page


def test_a_link_in_another_window_never_leads_elsewhere(visitor: TestClient) -> None:
    for elsewhere in ("/go//evil.example", "/go/%2Fevil.example", "/go/https://evil.example", "/go/%5Cevil.example"):
        page = visitor.get(elsewhere)
        assert page.status_code == 404 or 'href="/"' in page.text or 'href="/https://evil.example"' in page.text
