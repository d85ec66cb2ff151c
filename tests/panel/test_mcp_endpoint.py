"""MCP over HTTP: the SDK's own client against the running panel."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.mcp.connection import called
from tests.panel.conftest import API_TOKEN
from tests.panel.views.test_memories import teach

pytestmark = pytest.mark.promise("serve")

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.testclient import TestClient

    from holloway.panel.panel import Panel


def run_client(address: str, use: Callable[[Client], Awaitable[Any]]) -> Any:
    """Connect to the panel at an address, as an agent's host does, and use the connection."""

    async def connect() -> Any:
        url = f"{address.partition('/enter')[0]}/mcp"
        headers = {"Authorization": f"Bearer {API_TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http_client,
            Client(streamable_http_client(url, http_client=http_client)) as client,
        ):
            return await use(client)

    return asyncio.run(connect())


def test_an_agent_searches_over_http(address: str, panel: Panel) -> None:
    teach(panel, "Money is integer cents")

    async def search(client: Client) -> Any:
        return await called(client, "search_memory", query="how is money stored")

    assert run_client(address, search)["memories"][0]["text"] == "Money is integer cents"


def test_what_one_agent_was_shown_is_not_called_seen_by_another(address: str, panel: Panel) -> None:
    teach(panel, "Money is integer cents")

    async def search_twice(client: Client) -> Any:
        first = await called(client, "search_memory", query="money")
        second = await called(client, "search_memory", query="money")
        return [bool(answer["memories"][0].get("seen")) for answer in (first, second)]

    assert run_client(address, search_twice)[0] is False
    assert run_client(address, search_twice)[0] is False


def test_what_an_agent_recorded_is_learned_from_when_the_panel_ends(panel: Panel) -> None:
    from docs.screenshots import serve_panel

    async def record(client: Client) -> Any:
        return await called(client, "record_memory", text="Invoices are rounded once, at the end, because of VAT")

    with serve_panel(panel) as address:
        assert run_client(address, record)["recorded"]
    with panel.open_memory(settle=False) as memory:
        assert [waiting.content for waiting in memory.to_review()] == [
            "Invoices are rounded once, at the end, because of VAT"
        ]


def test_the_token_is_needed(visitor: TestClient) -> None:
    assert visitor.post("/mcp", json={}).status_code == 401
    headers = {"Authorization": f"Bearer {API_TOKEN}", "Origin": "http://evil.example"}
    assert visitor.post("/mcp", json={}, headers=headers).status_code == 403


def test_a_missing_package_is_named(visitor: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "holloway.mcp.server", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    answer = visitor.post("/mcp", json={}, headers={"Authorization": f"Bearer {API_TOKEN}"})
    assert answer.status_code == 503
    assert "holloway[mcp]" in answer.json()["hint"]
