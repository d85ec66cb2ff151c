import pytest

from holloway.domain.event import ToolKind
from holloway.text import tools


def test_the_kinds_of_tools_are_those_of_the_domain() -> None:
    named = {*tools.KINDS.values(), *(kind for kinds in tools.ARGUMENTS.values() for kind in kinds)}
    assert named <= set(ToolKind)
    assert {tools.kind_of(name) for name in (*tools.KINDS, "mcp__db__query", "telepathy")} == set(ToolKind)


def test_hosts_separate_the_words_of_a_name_in_their_own_way() -> None:
    for name in ("ReadFile", "read_file", "read-file", "read.file", "Read File"):
        assert tools.kind_of(name) == tools.READ


@pytest.mark.parametrize("name", ["mcp__github__get_issue", "mcp_github_get_issue", "github__get_issue"])
def test_a_tool_of_a_server_is_known_by_its_name_however_the_host_joins_it(name: str) -> None:
    assert tools.kind_of(name) == tools.MCP
    assert tools.kind_of("_read_file_") == tools.READ


def test_a_patch_is_found_in_the_argument_that_holds_it() -> None:
    patch = f"{tools.PATCH}\n*** Add File: a.py\n+x\n*** End Patch"
    assert tools.patch_in({"input": patch}) == patch
    assert tools.patch_in({"command": f"apply_patch <<'EOF'\n{patch}\nEOF"}).endswith("EOF")
    assert tools.patch_in({"command": "git apply", "patch": 7}) == ""
    assert tools.patch_in({"command": "x" * tools.PATCH_WITHIN_CHARS + patch}) == ""


def test_a_command_is_what_would_be_typed() -> None:
    assert tools.typed_command("ls -l") == "ls -l"
    assert tools.typed_command(["bash", "-lc", "ls && pwd"]) == "ls && pwd"
    assert tools.typed_command(["git", "commit", "-m", "two words"]) == "git commit -m 'two words'"
    assert tools.typed_command({"cmd": "ls"}) == ""
