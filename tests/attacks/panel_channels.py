"""The channels of a running panel by which programs and agents read our words: the HTTP API, and MCP over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.testclient import TestClient

import holloway
from docs.screenshots import serve_panel
from holloway.cli.http_api import build_operations
from holloway.panel.api import API_PATH
from holloway.panel.app import create_app
from holloway.panel.panel import Panel
from holloway.panel.security import Policy
from holloway.service.project_finder import known_project

if TYPE_CHECKING:
    from mcp_types import CallToolResult

    from tests.attacks.channels import Questions, Said

PORT = 8800
TOKEN = "token-of-the-api"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


def make_panel(memory: holloway.Holloway) -> Panel:
    """A panel of the project, which is not served yet."""
    return Panel(known_project(str(memory.project.root)), memory.home, Policy(PORT, TOKEN))


def call_api(memory: holloway.Holloway, asked: Questions) -> Iterator[Said]:
    """All answers of the HTTP API about a repository and its memories, `review` aside: there people decide."""
    app = create_app(make_panel(memory), build_operations(memory.project.root))
    with TestClient(app, base_url=f"http://127.0.0.1:{PORT}{API_PATH}", headers=HEADERS) as client:
        for name, values in _list_requests(memory, asked):
            yield f"GET {name} {values}", client.get(name, params=values).raise_for_status().text
        yield "GET openapi.json", client.get("openapi.json").raise_for_status().text
        for task in asked.tasks:
            yield f"POST ask {task}", client.post("ask", json={"words": [task]}).raise_for_status().text


def _list_requests(memory: holloway.Holloway, asked: Questions) -> Iterator[tuple[str, dict[str, str]]]:
    for name in ("brief", "doctor", "status", "list", "modules", "sessions", "told", "config", "trust"):
        yield name, {}
    yield "sessions", {"mirror": "true"}
    yield "explain", {"session": "last"}
    yield "explain", {"session": "last", "timeline": "true"}
    for task in asked.tasks:
        yield "locate", {"words": task}
        yield "recall", {"words": task}
    for path in asked.files:
        yield "impact", {"target": path}
    for module in memory.map.modules():
        yield "module", {"name": module.name}
    for stored in memory.memories(holloway.Filter(quarantined=False)):
        yield "show", {"memory_id": stored.id}
        yield "why", {"memory_id": stored.id}


def call_mcp_over_http(memory: holloway.Holloway, asked: Questions) -> list[Said]:
    """All answers of the MCP tools that a running panel serves."""
    calls: list[tuple[str, dict[str, Any]]] = [("session_context", {})]
    for task in asked.tasks:
        calls += [("locate", {"task": task}), ("search_memory", {"query": task, "limit": 20})]
        calls += [("get_workflow_recipe", {"task": task})]
    calls += [("analyze_impact", {"target": path}) for path in asked.files]
    calls += [("update_module", {"name": module.name}) for module in memory.map.modules()]
    with serve_panel(make_panel(memory)) as address:
        return asyncio.run(_call_tools(f"{address.partition('/enter')[0]}/mcp", calls))


async def _call_tools(url: str, calls: list[tuple[str, dict[str, Any]]]) -> list[Said]:
    async with (
        httpx2.AsyncClient(headers=HEADERS, timeout=60) as http_client,
        Client(streamable_http_client(url, http_client=http_client)) as client,
    ):
        listed = await client.list_tools()
        answers = [
            (f"{name} {arguments}", _read_text(await client.call_tool(name, arguments))) for name, arguments in calls
        ]
        return [("tools", listed.model_dump_json()), *answers]


def _read_text(result: CallToolResult) -> str:
    return result.model_dump_json()
