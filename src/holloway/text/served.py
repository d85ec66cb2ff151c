"""How hosts name the tools of holloway's own MCP server. Light: the hook loads this."""

from __future__ import annotations


def is_record(tool: str) -> bool:
    """Whether a tool is the one by which an agent asks for something to be remembered.

    Hosts write `mcp__holloway__record_memory`, and from a plugin `mcp__plugin_holloway_holloway__record_memory`.
    """
    return tool.startswith("mcp_") and "holloway" in tool and tool.endswith("_record_memory")
