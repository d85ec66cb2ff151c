import pytest

from holloway.domain.event import ToolKind
from holloway.text import tools
from holloway.text.tools import SEARCHES, is_locate, is_record, is_search


def test_the_kinds_of_tools_are_those_of_the_domain() -> None:
    named = {*tools.TOOL_KINDS.values(), *(kind for kinds in tools.ARGUMENT_NAMES.values() for kind in kinds)}
    assert named <= set(ToolKind)
    assert {tools.kind_of(name) for name in (*tools.TOOL_KINDS, "mcp__db__query", "telepathy")} == set(ToolKind)


def test_hosts_separate_the_words_of_a_name_in_their_own_way() -> None:
    for name in ("ReadFile", "read_file", "read-file", "read.file", "Read File"):
        assert tools.kind_of(name) == tools.READ


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        ("Bash run_shell_command Execute bash run_commands", tools.SHELL),
        ("view read_file read_many_files Read read_files", tools.READ),
        ("edit replace Edit MultiEdit apply_patch editor", tools.EDIT),
        ("LS list_directory find Glob", tools.LIST),
        ("FetchUrl web_fetch webfetch", tools.WEB),
    ],
)
def test_the_tools_of_every_host_are_known(names: str, kind: str) -> None:
    assert {tools.kind_of(name) for name in names.split()} == {kind}


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


def test_an_editor_may_only_show_or_create_a_file() -> None:
    assert tools.used_as(tools.EDIT, {"command": "view"}) == tools.READ
    assert tools.used_as(tools.EDIT, {"command": "create"}) == tools.WRITE
    assert tools.used_as(tools.EDIT, {"command": "str_replace"}) == tools.EDIT
    assert tools.used_as(tools.EDIT, {"command": ["view"]}) == tools.EDIT
    assert tools.used_as(tools.SHELL, {"command": "view"}) == tools.SHELL


@pytest.mark.parametrize(
    ("arguments", "kind", "files"),
    [
        ({"file_path": "a.py"}, tools.READ, ["a.py"]),
        ({"paths": ["a.py", "", 7, "b.py"]}, tools.READ, ["a.py", "b.py"]),
        ({"paths": [f"{number}.py" for number in range(99)]}, tools.READ, [f"{number}.py" for number in range(50)]),
        ({"file_path": "", "path": "b.py"}, tools.WRITE, ["b.py"]),
        ({"path": "src"}, tools.SEARCH, ["src"]),
        ({"path": "src"}, tools.WEB, []),
        ({}, tools.READ, []),
    ],
)
def test_the_files_of_a_call_have_a_name_for_each_kind_of_tool(
    arguments: dict[str, object], kind: str, files: list[str]
) -> None:
    assert tools.named_files(arguments, kind) == files


def test_an_argument_is_found_under_the_first_of_its_names() -> None:
    assert tools.find_argument({"query": "b", "pattern": "a"}, "pattern", tools.SEARCH) == "a"
    assert tools.find_argument({"uri": "https://a.example"}, "url", tools.WEB) == "https://a.example"
    assert tools.find_argument({"uri": "https://a.example"}, "url", tools.READ) == ""
    assert tools.typed_command([*["echo", "a"], *["b"] * 2_000]).count("b") == tools.TOOL_WORDS_MAX - 2
    assert tools.typed_command(["bash", "-x", "ls && pwd"]) == "bash -x 'ls && pwd'"
