"""Names of hosts' tools and of their arguments, and the kind of each tool: the one table. Light: every hook loads it.

The kinds are those of the domain, as plain text: a hook cannot afford to load the domain. The table is Python, because
every hook needs it and a JSON file would be one more to open.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


TOOL_NAME_CHARS_MAX = 100
TOOL_WORDS_MAX = 1_000
EDIT_CHARS_MAX = 200_000
"""Maximum number of characters of a patch, a command or an edit that are read."""

TOOL_FILES_MAX = 50
"""Maximum number of files of one tool call that are read."""

READ, EDIT, WRITE, SEARCH, LIST = "read", "edit", "write", "search", "list"
SHELL, WEB, SUBAGENT, MCP, OTHER = "shell", "web", "subagent", "mcp", "other"
ON_FILES = (READ, EDIT, WRITE)
LOOKING = (SEARCH, LIST)

TOOL_KINDS: dict[str, str] = {
    name: kind
    for kind, names in {
        READ: "read readfile readfiles readmanyfiles notebookread view viewimage viewfile openfile cat",
        EDIT: "edit multiedit notebookedit applypatch replace editfile searchreplace strreplace patch "
        "strreplaceeditor strreplacebasededittool replacefilecontent insertedit editor",
        WRITE: "write writefile create createfile writetofile",
        SEARCH: "grep grepsearch searchfilecontent codebasesearch searchfiles ripgrep rg",
        LIST: "glob find ls list listdirectory listdir globfilesearch filesearch findfiles listfiles",
        SHELL: "bash shell exec execcommand localshell runshellcommand shellcommand runterminalcmd runcommand "
        "runcommands powershell containerexec terminal execute executecommand",
        WEB: "webfetch websearch googlewebsearch fetchwebpage fetch fetchurl urlfetch codesearch",
        SUBAGENT: "task agent spawnagent invokeagent subagent sendinput runsubagent",
    }.items()
    for name in names.split()
}
"""Kinds by the tool's name in lower case, without separators; any other name is of kind `other`."""

ARGUMENT_NAMES: dict[str, dict[str, str]] = {
    "path": {
        **dict.fromkeys(
            ON_FILES, "file_path notebook_path path filePath absolute_path target_file filename file paths"
        ),
        **dict.fromkeys(LOOKING, "path dir_path directory target_directory dir folder"),
    },
    "pattern": {
        SEARCH: "pattern query regex search_term glob include_pattern",
        LIST: "pattern glob glob_pattern query",
        WEB: "query search_query search_term",
    },
    "command": {SHELL: "command cmd script"},
    "patch": {EDIT: "input patch patchText command"},
    "url": dict.fromkeys((WEB, MCP), "url uri"),
}
"""Names of the argument that holds a value, by the kind of the tool; the first that is present counts."""

OLD_TEXT = "old_string old_str oldString oldText old_text"
NEW_TEXT = "new_string new_str newString newText new_source content contents file_text new_text insert_text"
"""Arguments that hold the text an edit removes, and the text it adds."""

PATCH = "*** Begin Patch"
"""First line of a patch in the form that `apply_patch` takes."""
PATCH_WITHIN_CHARS = 2_000
"""A patch begins within this many characters; further behind it is only quoted."""
_SUBCOMMANDS = {"view": READ, "create": WRITE}
"""Kinds of the subcommands of an editor that does several things."""
_RUNS_TEXT = ("-c", "-lc", "-ic")
_SEPARATORS = str.maketrans("", "", "_-. ")
SEARCHES = ("search_memory", "locate")


def kind_of(tool: str) -> str:
    """Return the kind of a tool, by its name."""
    if tool.startswith("mcp_") or "__" in tool.strip("_"):
        return MCP
    return TOOL_KINDS.get(tool[:TOOL_NAME_CHARS_MAX].translate(_SEPARATORS).lower(), OTHER)


def used_as(kind: str, arguments: Mapping[str, object]) -> str:
    """Return the kind of one call of a tool: an editor may only show a file, or create one."""
    subcommand = arguments.get("command") if kind == EDIT else ""
    return _SUBCOMMANDS.get(subcommand, kind) if isinstance(subcommand, str) else kind


def patch_in(arguments: Mapping[str, object]) -> str:
    """Find the patch among the arguments of a tool, also in a shell command; empty without a patch."""
    values = (arguments.get(name) for name in ARGUMENT_NAMES["patch"][EDIT].split())
    return next((value for value in values if isinstance(value, str) and PATCH in value[:PATCH_WITHIN_CHARS]), "")


def find_argument(arguments: Mapping[str, object], meaning: str, kind: str) -> object:
    """Find the argument that holds the path, pattern, command, patch or address; empty without one."""
    return first_argument(arguments, ARGUMENT_NAMES[meaning].get(kind, ""))


def named_files(arguments: Mapping[str, object], kind: str) -> list[str]:
    """List the files that a tool of this kind is given: mostly one, but some tools take a list."""
    value = find_argument(arguments, "path", kind)
    paths = value[:TOOL_FILES_MAX] if isinstance(value, list) else [value]
    return [path for path in paths if path and isinstance(path, str)]


def first_argument(arguments: Mapping[str, object], names: str) -> object:
    """Return the first of these arguments that is present and not empty."""
    return next((arguments[name] for name in names.split() if arguments.get(name)), "")


def typed_command(command: object) -> str:
    """Return a command as it would be typed: hosts give a text, a list of words, or a shell with a text for it."""
    if not isinstance(command, list):
        return command if isinstance(command, str) else ""
    words = [str(word) for word in command[:TOOL_WORDS_MAX]]
    if len(words) == 3 and words[1] in _RUNS_TEXT:
        return words[2]
    import shlex  # few hosts give words

    return shlex.join(words)


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
