"""Names that hosts give to the tools of holloway's MCP server. Light: the hook loads this."""

from __future__ import annotations

SEARCHES = ("search_memory", "locate")


def is_record(tool: str) -> bool:
    """Whether a tool is the one by which an agent asks for something to be remembered."""
    return _is_ours(tool, "record_memory")


def is_locate(tool: str) -> bool:
    """Whether a tool is the one by which an agent asks for the files of a task."""
    return _is_ours(tool, "locate")


def is_search(tool: str) -> bool:
    """Whether a tool is one by which an agent asks what is known, or where."""
    return any(_is_ours(tool, name) for name in SEARCHES)


def _is_ours(tool: str, name: str) -> bool:
    """Hosts write `mcp__holloway__locate`, and from a plugin `mcp__plugin_holloway-mcp_holloway__locate`."""
    return tool.startswith("mcp_") and "holloway" in tool and tool.endswith(f"_{name}")
