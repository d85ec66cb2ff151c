"""Our server in a TOML file: it is there and comes out again, or the file is refused; whatever else the file says."""

import pytest
from hypothesis import given

from holloway.install.file_content import UnsupportedConfig
from holloway.install.launch_command import launch_by_path
from holloway.install.mcp_servers import McpToml, parse_toml
from tests.outside_input import bounded_time, text_of

CONFIG = McpToml("config.toml", launch_by_path())
TOML = text_of(
    *(
        "[mcp_servers]\n",
        "[mcp_servers.holloway]\n",
        '[mcp_servers."holloway".env]\n',
        "[[a]]\n",
        "[a.b]\n",
        "a = 1\n",
        "b = [\n",
    ),
    *("]\n", "'''", '"""', "# x\n", 'command = "holloway"\n', 'args = ["mcp"]\n', "mcp_servers = {}\n", "=", "{", "}"),
)


@given(TOML)
def test_any_text_takes_our_server_and_gives_it_back_or_is_refused(text: str) -> None:
    try:
        with bounded_time():
            added = CONFIG.add_entries(text)
            removed = CONFIG.remove_entries(added)
    except UnsupportedConfig:
        return
    assert CONFIG.has_entries(added) or CONFIG.describe_problem(added)
    assert CONFIG.add_entries(added) == added
    without = dict(parse_toml(text))
    if "mcp_servers" not in without:
        assert parse_toml(removed) == without


@pytest.mark.parametrize("text", ["a = ", "[a", "\x00", "a = 1\na = 2\n"])
def test_what_is_no_toml_is_refused(text: str) -> None:
    with pytest.raises(UnsupportedConfig):
        CONFIG.add_entries(text)
