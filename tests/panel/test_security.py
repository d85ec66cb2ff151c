"""The guard: who may reach a page, and what every response forbids."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from holloway.panel import security
from holloway.panel.app import create_app
from holloway.panel.security import BODY_BYTES_MAX, CONTENT_POLICY
from tests.panel.conftest import API_TOKEN, ORIGIN

pytestmark = pytest.mark.promise("panel-is-yours")

if TYPE_CHECKING:
    from holloway.panel.panel import Panel


@pytest.mark.parametrize(
    "host", ["evil.example:8800", "127.0.0.1", "127.0.0.1:8801", "127.0.0.1.evil.example:8800", ""]
)
def test_a_rebound_host_name_is_refused(client: TestClient, host: str) -> None:
    assert client.get("/memories", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1:8800", "localhost:8800", "[::1]:8800", "LOCALHOST:8800"])
def test_the_names_of_this_machine_are_accepted(client: TestClient, host: str) -> None:
    assert client.get("/memories", headers={"Host": host}).status_code == 200


def test_a_host_header_for_a_container_is_accepted(panel: Panel) -> None:
    policy = replace(panel.policy, host_headers=("box.internal:9000",))
    with TestClient(create_app(replace(panel, policy=policy)), base_url="http://box.internal:9000") as client:
        assert client.get("/memories").status_code == 401


def test_a_page_without_a_cookie_names_the_command_for_a_new_address(visitor: TestClient) -> None:
    answer = visitor.get("/memories")
    assert answer.status_code == 401
    assert "panel --link" in answer.text


def test_a_cookie_of_another_panel_opens_nothing(visitor: TestClient, panel: Panel) -> None:
    visitor.cookies.set(panel.policy.cookie_name, "x" * 43)
    assert visitor.get("/memories").status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:8801"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": ORIGIN, "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_a_change_from_another_site_is_refused(client: TestClient, headers: dict[str, str]) -> None:
    del client.headers["Sec-Fetch-Site"]
    assert client.post("/look", data={"theme": "dark"}, headers=headers).status_code == 403


def test_a_change_that_does_not_say_where_it_comes_from_is_refused(client: TestClient) -> None:
    del client.headers["Sec-Fetch-Site"]
    assert client.post("/look", data={"theme": "dark"}).status_code == 403
    assert client.post("/look", data={"theme": "dark"}, headers={"Origin": ORIGIN}).status_code == 303


def test_a_form_of_a_page_without_referrer_is_ours_if_the_browser_says_so(client: TestClient) -> None:
    assert client.post("/look", data={"theme": "dark"}, headers={"Origin": "null"}).status_code == 303


def test_a_read_only_panel_shows_and_changes_nothing(panel: Panel) -> None:
    policy = replace(panel.policy, read_only=True)
    with TestClient(create_app(replace(panel, policy=policy)), base_url=ORIGIN) as client:
        client.cookies.set(policy.cookie_name, policy.sessions.sign_in())
        assert client.get("/memories").status_code == 200
        assert client.post("/look", headers={"Origin": ORIGIN}).status_code == 423


def test_a_body_of_ten_megabytes_is_refused(client: TestClient) -> None:
    body = b"text=" + b"x" * (10 * 1024 * 1024)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    assert client.post("/look", content=body, headers=headers).status_code == 413


@pytest.mark.parametrize("path", ["/enter", "/go/memories", "/memories", "/api/v1/openapi.json"])
def test_the_body_of_a_request_that_changes_nothing_has_the_same_limit(client: TestClient, path: str) -> None:
    headers = {"Authorization": f"Bearer {API_TOKEN}"}
    assert client.request("GET", path, content=b"x" * (BODY_BYTES_MAX + 1), headers=headers).status_code == 413


def test_a_body_at_the_limit_reaches_its_view(client: TestClient) -> None:
    body = b"theme=dark&pad=".ljust(BODY_BYTES_MAX, b"x")
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    assert client.post("/look", content=body, headers=headers).status_code == 303


def test_a_body_that_never_ends_is_given_up(panel: Panel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "BODY_DEADLINE_S", 0.01)
    cookie = f"{panel.policy.cookie_name}={panel.policy.sessions.sign_in()}"
    headers = {"host": ORIGIN[7:], "origin": ORIGIN, "cookie": cookie}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/look",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    statuses: list[int] = []

    async def receive() -> dict[str, object]:
        await asyncio.Event().wait()
        return {}

    async def send(message: dict[str, object]) -> None:
        statuses.extend([int(str(message["status"]))] if "status" in message else [])

    asyncio.run(create_app(panel)(scope, receive, send))  # type: ignore[arg-type]
    assert statuses == [408]


@pytest.mark.parametrize("path", ["/", "/memories", "/nothing", "/enter", "/static/panel.css", "/api/v1/x"])
def test_every_response_forbids_framing_foreign_code_and_referrers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["Content-Security-Policy"] == CONTENT_POLICY
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_pages_are_not_cached_and_static_files_are(client: TestClient) -> None:
    assert client.get("/memories").headers["Cache-Control"] == "no-store"
    assert "max-age" in client.get("/static/panel.css").headers["Cache-Control"]


@pytest.mark.parametrize(
    "path", ["/static/../page.py", "/static/%2e%2e/page.py", "/static/..%5cpage.py", "/static//etc/passwd", "/..%2f"]
)
def test_a_path_that_leaves_its_folder_is_not_found(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_programs_need_the_token_and_a_cookie_does_not_replace_it(client: TestClient) -> None:
    assert client.get("/api/v1/anything").status_code == 401
    assert client.get("/api/v1/anything", headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert client.get("/api/v1/anything", headers={"Authorization": f"Bearer {API_TOKEN}"}).status_code == 404
    headers = {"Authorization": f"Bearer {API_TOKEN}", "Origin": "http://evil.example"}
    assert client.get("/api/v1/anything", headers=headers).status_code == 403


def test_no_template_has_code_or_style_of_its_own() -> None:
    for template in Path("src/holloway/panel/templates").rglob("*.html"):
        text = template.read_text("utf-8")
        assert "<style" not in text, template
        assert " style=" not in text, template
        assert "javascript:" not in text, template
        assert "|safe" not in text, template
        assert not [line for line in text.splitlines() if "<script" in line and "src=" not in line], template
