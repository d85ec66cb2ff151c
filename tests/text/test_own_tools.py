"""How hosts name the tools of our own MCP server."""

import pytest

from holloway.text.own_tools import SEARCHES, is_locate, is_record, is_search


@pytest.mark.parametrize("prefix", ["mcp__holloway__", "mcp__plugin_holloway_holloway__"])
def test_our_tools_are_known_by_the_names_that_hosts_give_them(prefix: str) -> None:
    assert is_record(f"{prefix}record_memory")
    assert is_locate(f"{prefix}locate")
    assert all(is_search(f"{prefix}{name}") for name in SEARCHES)
    assert not is_search(f"{prefix}record_memory")


@pytest.mark.parametrize("tool", ["locate", "mcp__other__locate", "mcp__other__search_memory", ""])
def test_tools_of_others_are_not_ours(tool: str) -> None:
    assert not is_locate(tool)
    assert not is_search(tool)
