"""What hosts call their tools and their tools' arguments, and what each tool does: the one table. Light: hooks load it.

The kinds are those of the domain, as plain words: a hook cannot afford to load the domain.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME_CHARS_MAX = 100
WORDS_MAX = 1_000
EDIT_CHARS_MAX = 200_000
"""Of a patch, a command or an edit so much is looked at."""

FILES_MAX = 50
"""Of the files that one use of a tool is given, so many are looked at."""

READ, EDIT, WRITE, SEARCH, LIST = "read", "edit", "write", "search", "list"
SHELL, WEB, SUBAGENT, MCP, OTHER = "shell", "web", "subagent", "mcp", "other"
ON_FILES = (READ, EDIT, WRITE)
LOOKING = (SEARCH, LIST)

KINDS: dict[str, str] = {
    name: kind
    for kind, names in {
        READ: "read readfile readmanyfiles notebookread view viewimage viewfile openfile cat",
        EDIT: "edit multiedit notebookedit applypatch replace editfile searchreplace strreplace patch "
        "strreplaceeditor strreplacebasededittool replacefilecontent insertedit",
        WRITE: "write writefile create createfile writetofile",
        SEARCH: "grep grepsearch searchfilecontent codebasesearch searchfiles ripgrep",
        LIST: "glob ls list listdirectory listdir globfilesearch filesearch findfiles listfiles",
        SHELL: "bash shell exec execcommand localshell runshellcommand shellcommand runterminalcmd runcommand "
        "powershell containerexec terminal executecommand",
        WEB: "webfetch websearch googlewebsearch fetchwebpage fetch urlfetch",
        SUBAGENT: "task agent spawnagent invokeagent subagent sendinput runsubagent",
    }.items()
    for name in names.split()
}
"""By the tool's name in lower case, without what separates its words; any other name is of kind `other`."""

ARGUMENTS: dict[str, dict[str, str]] = {
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
    "patch": {EDIT: "input patch command"},
    "url": dict.fromkeys((WEB, MCP), "url uri"),
}
"""Which argument of a tool of a kind holds what; the first of these names that is there."""

OLD_TEXT = "old_string old_str oldString old_text"
NEW_TEXT = "new_string new_str newString new_source content contents file_text new_text insert_text"
"""Arguments that hold the text an edit removes, and the text it adds."""

PATCH = "*** Begin Patch"
"""How a patch begins in the form that `apply_patch` takes."""
PATCH_WITHIN_CHARS = 2_000
"""Within so many characters a patch begins; what stands further behind is quoted."""
_SUBCOMMANDS = {"view": READ, "create": WRITE}
"""What an editor that does several things is told to do."""
_RUNS_TEXT = ("-c", "-lc", "-ic")
_SEPARATORS = str.maketrans("", "", "_-. ")


def kind_of(tool: str) -> str:
    """What a tool does, by its name."""
    if tool.startswith("mcp_") or "__" in tool.strip("_"):
        return MCP
    return KINDS.get(tool[:NAME_CHARS_MAX].translate(_SEPARATORS).lower(), OTHER)


def used_as(kind: str, arguments: Mapping[str, object]) -> str:
    """What a tool of a kind does with these arguments: an editor may only show a file, or make one."""
    told = arguments.get("command") if kind == EDIT else ""
    return _SUBCOMMANDS.get(told, kind) if isinstance(told, str) else kind


def patch_in(arguments: Mapping[str, object]) -> str:
    """The patch among the arguments of a tool, be it in a command for a shell; nothing where there is none."""
    given = (arguments.get(name) for name in ARGUMENTS["patch"][EDIT].split())
    return next((each for each in given if isinstance(each, str) and PATCH in each[:PATCH_WITHIN_CHARS]), "")


def argument(arguments: Mapping[str, object], what: str, kind: str) -> object:
    """The argument of a tool of this kind that holds the path, pattern, command, patch or address; empty without."""
    return first(arguments, ARGUMENTS[what].get(kind, ""))


def named_files(arguments: Mapping[str, object], kind: str) -> list[str]:
    """The files that a tool of this kind is given by name: mostly one, and some tools take a list."""
    given = argument(arguments, "path", kind)
    listed = given[:FILES_MAX] if isinstance(given, list) else [given]
    return [path for path in listed if path and isinstance(path, str)]


def first(arguments: Mapping[str, object], names: str) -> object:
    """The first of these arguments that is there and says something."""
    return next((arguments[name] for name in names.split() if arguments.get(name)), "")


def typed(given: object) -> str:
    """A command as it would be typed: hosts give a text, a list of words, or a shell with a text for it."""
    if not isinstance(given, list):
        return given if isinstance(given, str) else ""
    words = [str(word) for word in given[:WORDS_MAX]]
    if len(words) == 3 and words[1] in _RUNS_TEXT:
        return words[2]
    import shlex  # few hosts give words

    return shlex.join(words)
