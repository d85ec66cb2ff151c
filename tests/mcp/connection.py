"""A connection to the real server: a process of its own, spoken to over stdin and stdout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import TextContent

COMMAND = [sys.executable, "-m", "holloway", "mcp"]
DEADLINE_S = 60


@asynccontextmanager
async def connected(place: Path, *arguments: str) -> AsyncIterator[Client]:
    """The SDK's own client, with a server that stands in a folder."""
    server = StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], *arguments], env=dict(os.environ), cwd=str(place)
    )
    async with Client(stdio_client(server)) as client:
        yield client


async def called(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers, as data; the same stands in its text."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert isinstance(result.content[0], TextContent)
    told: dict[str, Any] = json.loads(result.content[0].text)
    assert told == result.structured_content
    return told


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """What a tool says to arguments that it does not take."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


class Raw:
    """The same by hand, for a host that ends its server in other ways than the SDK's."""

    def __init__(self, place: Path) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(COMMAND, cwd=place, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
        client = {"name": "a host", "version": "1"}
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.asked("initialize", about)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def asked(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """One request, and its answer."""
        self._send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        assert self.process.stdout
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    def record(self, text: str) -> None:
        """Have something remembered."""
        answer = self.asked("tools/call", {"name": "record_memory", "arguments": {"text": text}})
        assert answer["result"]["structuredContent"]["recorded"] is True

    def ended(self) -> tuple[int, bytes]:
        """The exit code and what was said on stderr, once the process is gone."""
        self.process.stdin = None if self.process.stdin and self.process.stdin.closed else self.process.stdin
        _, errors = self.process.communicate(timeout=DEADLINE_S)
        return self.process.returncode, errors
