"""Carriers: how text reached a session, and whether that makes it own, weak evidence or foreign (untrusted).

Own is proved, foreign is the default. In order of precedence, the first match decides:

1. what the session wrote itself has the origin of what was written;
2. a vendored path, or one outside of the project, is foreign, also if git tracks it;
3. a file that git tracks and that the tool names is own, unless somebody else's branch is checked out;
4. the output of the project's tests, checks, tasks and tracked scripts is weak;
5. status output without prose has no origin (`data/carriers.toml`);
6. everything else is foreign: pages, servers, packages, archives, databases, containers, other machines, and every
   program that this module does not know.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.data import load_table
from holloway.domain.event import ToolKind
from holloway.observer import host_reminders
from holloway.observer.fetches import ADDRESS, CODE_HOST_CLIENTS, classify_fetch, classify_host
from holloway.observer.origins import (
    NO_ORIGIN,
    OWN_TEXT,
    Carrier,
    Origin,
    Passage,
    cut_source,
    find_worst_carrier,
    label_step,
)
from holloway.observer.own_text import is_own_output, strip_own_text
from holloway.observer.search_hits import prints_hits, split_hits
from holloway.observer.session_branches import SessionBranches, list_operands
from holloway.observer.written_files import (
    CLONES,
    COPY_PROGRAMS,
    WrittenFiles,
    extracts_archive,
    list_extracted_files,
    list_written_paths,
    names_files,
    resolve_path,
    resolve_paths,
    split_copied_paths,
)
from holloway.safety.prompt_injection import find_injection
from holloway.text import shell
from holloway.text.commands import parse_command
from holloway.text.file_roles import is_third_party
from holloway.text.nested_commands import list_command_lines
from holloway.text.programs import CHECK, TEST, is_runner, normalise_name
from holloway.text.tools import EDIT, SEARCH

if TYPE_CHECKING:
    from holloway.observer.scratchpad import Action
    from holloway.text.commands import Step


@dataclass(frozen=True, slots=True)
class Trust:
    """Trust settings of a project, for provenance.

    `is_tracked` tells whether git tracks a file; without it every path inside the project counts as tracked.
    `is_committed` tells whether git has all lines of a text in a file at the session's commit, and `find_committed`
    finds the texts of the project's files with some words there.
    `is_known_name` tells whether a name is the project's or a dictionary word. `earlier_digests` are those of foreign
    text that earlier sessions read.
    """

    sources: frozenset[str] = frozenset()
    root: str = ""
    is_known_name: Callable[[str], bool] | None = None
    is_tracked: Callable[[str], bool] | None = None
    is_committed: Callable[[str, str], bool] | None = None
    find_committed: Callable[[tuple[str, ...]], Iterable[str]] | None = None
    earlier_digests: Collection[int] = frozenset()


SOURCE_KINDS = ("mcp:", "web:", "outside:")
"""Prefixes with which the user's settings name a trusted server, site or folder."""

_TABLE = load_table("carriers")
_PROGRAMS: dict[str, str] = _TABLE["programs"]
_GIT: dict[str, str] = _TABLE["git"]
_TOOLS: dict[str, str] = {name.lower(): origin for name, origin in _TABLE["tools"].items()}
_BACKGROUND_TOOLS = frozenset(map(str.lower, _TABLE["background_tools"]))
_SET_UP_COMMANDS = tuple(_TABLE["set_up_commands"])
_ENVIRONMENT_SCRIPTS = tuple(_TABLE["environment_scripts"])
_INLINE_OPTIONS = frozenset(_TABLE["inline_options"])
_LOCK_FILES = frozenset(_TABLE["lock_files"])
_FD_OPTIONS = frozenset(_TABLE["fd_options"])
_RUNNING_OPTIONS = {"find": frozenset(_TABLE["find_options"]), "fd": _FD_OPTIONS, "fdfind": _FD_OPTIONS}
"""Options with which a program that lists files runs another one on them."""

_CHECKOUTS_OF_OTHERS = ("gh pr checkout", "glab mr checkout", "hub pr checkout")
_SYSTEM_FOLDERS = ("/tmp/", "/var/", "/private/", "/usr/", "/etc/", "/opt/")  # noqa: S108  (names, nothing is opened)
_OTHER_REFERENCES = ("--all", "--remotes", "--branches", "--glob", "--git-dir", "--work-tree", "--submodule")
_HOOK_SUBCOMMANDS = frozenset({"commit", "merge", "rebase", "cherry-pick", "am"})
"""Subcommands of git that run hooks, whose output comes with theirs."""
_SKILL_FOLDER = re.compile(r"Base directory for this skill: (?:file://)?([^\n]{1,1000})\n")
_MESSAGE_OPTIONS = ("-n", "--format")
"""Options with which git prints the messages of tags."""
_OPERATORS = frozenset("|;&>'\")`")
"""Signs after which other output follows or nothing is printed, or with which another shell ends."""
_REPLACING_PROGRAMS = frozenset({">", "cp", "mv", "install", "tee", "sponge", "mkdir"})
"""Programs after which a file has only what they wrote."""
_REMOTE_PROGRAMS = frozenset("docker podman nerdctl kubectl oc ssh lxc vagrant multipass wsl adb chroot".split())


class Carriers:
    """Classifies the tool results of one session, in order; knows which files and branches the session brought in."""

    def __init__(self, trust: Trust, branch: str = "") -> None:
        self._trusted = frozenset(map(_strip_source_kind, trust.sources))
        self._folders = tuple(folder.rstrip("/") + "/" for folder in self._trusted if "/" in folder)
        self._root = trust.root.rstrip("/")
        self._is_tracked = trust.is_tracked
        self._is_committed = trust.is_committed
        self._written = WrittenFiles()
        self._archive = self._unlisted = ""
        """The sources of an archive that was extracted into the project, and of one whose files are not known."""
        self._branches = SessionBranches(branch, trust.is_tracked)
        self._worst_command = NO_ORIGIN

    def classify_result(self, action: Action) -> list[Passage]:
        """Split a tool result into passages, each with its carrier."""
        carrier = self._classify_action(action)
        text = strip_own_text(action.text) if is_own_output(action.tool) else action.text
        if carrier.origin is Origin.FOREIGN or not text:
            return [Passage(cut_source(carrier), text)]
        if reason := find_injection(host_reminders.strip_reminders(text)):
            subject = action.command or action.path or action.tool
            return [Passage(cut_source(Carrier(Origin.FOREIGN, f"instructing text ({reason}): {subject}")), text)]
        if prints_hits(action):
            return list(split_hits(text, action, carrier, self._classify_shell_path))
        return [Passage(carrier, text)]

    def record_edit(self, path: str, source: str) -> None:
        """Record that the session changed a file; clean text does not change what the file was before."""
        self._written.record_edit(path, source)

    def record_new_file(self, path: str, source: str) -> None:
        """Record that the session replaced a whole file, whatever it contained before."""
        self._written.record_new_file(path, source)

    def taint_writes(self, command: str, source: str) -> None:
        """Record that the files which a command writes get foreign text from the command itself."""
        for step in parse_command(command):
            for path in map(self._locate_path, resolve_paths(step)) if step.kind == EDIT else ():
                self.record_edit(path, source)

    def classify_path(self, path: str, *, outside: bool = False, untracked: bool = False) -> Carrier:
        """Classify the content of a file."""
        written = self._written.find_source(path)
        if written:
            return Carrier(Origin.FOREIGN, written)
        if any(f"{path}/".startswith(folder) for folder in self._folders):
            return OWN_TEXT
        if is_third_party(path) and written != "":
            return Carrier(Origin.FOREIGN, f"vendored:{path}")
        if posixpath.basename(path) in _LOCK_FILES and written != "":
            return Carrier(Origin.FOREIGN, f"package metadata:{path}")
        if self._branches.foreign_checkout and not outside:
            return Carrier(Origin.FOREIGN, self._branches.foreign_checkout)
        if self._unlisted and not outside:
            return Carrier(Origin.FOREIGN, self._unlisted)
        if written == "":
            return NO_ORIGIN  # The session's own words do not prove themselves.
        if outside:
            return Carrier(Origin.FOREIGN, f"outside:{path}")
        is_untracked = untracked or (self._is_tracked is not None and not self._is_tracked(path))
        return Carrier(Origin.FOREIGN, f"untracked:{path}") if is_untracked else OWN_TEXT

    def _classify_action(self, action: Action) -> Carrier:
        match action.kind:
            case ToolKind.WEB:
                return classify_host("web", action.url, self._trusted)
            case ToolKind.MCP:
                server = _parse_server_name(action.tool)
                is_trusted = server in self._trusted or _is_own_answer(action)
                return NO_ORIGIN if is_trusted else Carrier(Origin.FOREIGN, f"mcp:{server}")
            case ToolKind.SUBAGENT:
                return Carrier(Origin.FOREIGN, "subagent")
            case ToolKind.SHELL:
                carrier = self._classify_command(action)
                self._worst_command = find_worst_carrier((self._worst_command, carrier))
                return carrier
            case ToolKind.READ:
                return self._classify_named_path(action)
            case ToolKind.SEARCH | ToolKind.LIST:
                return self._classify_named_path(action) if action.path else OWN_TEXT
            case ToolKind.EDIT | ToolKind.WRITE:
                return NO_ORIGIN
        return self._classify_host_tool(action)

    def _classify_named_path(self, action: Action) -> Carrier:
        if action.kind is not ToolKind.READ and not action.outside and self._is_own_folder(action.path):
            return OWN_TEXT  # Each hit names its file, and is classified by it.
        carrier = self.classify_path(action.path, outside=action.outside, untracked=bool(action.untracked))
        if self._unlisted and carrier.source == self._unlisted and self._is_unchanged(action):
            return OWN_TEXT
        return carrier

    def _is_unchanged(self, action: Action) -> bool:
        """Whether git has what was read of a file, so that no archive wrote it."""
        return self._is_committed is not None and self._is_committed(action.path, action.whole or action.text)

    @staticmethod
    def _is_own_folder(path: str) -> bool:
        return not names_files(path) and not is_third_party(f"{path}/x")

    def _classify_host_tool(self, action: Action) -> Carrier:
        name = action.tool.lower()
        if name == "skill" and (folder := _SKILL_FOLDER.search(action.text)):
            return self._classify_shell_path(f"{folder[1].strip()}/SKILL.md")
        if name in _BACKGROUND_TOOLS:
            return self._worst_command if self._worst_command.origin in (Origin.WEAK, Origin.FOREIGN) else NO_ORIGIN
        origin = Origin(_TOOLS.get(name, Origin.FOREIGN))
        labels = {Origin.FOREIGN: f"tool:{action.tool}", Origin.WEAK: f"output:{action.tool}"}
        return Carrier(origin, labels.get(origin, ""))

    def _classify_command(self, action: Action) -> Carrier:
        """Classify the output of a command by its worst step, those inside of substitutions included."""
        if is_own_output(action.tool, action.command):
            return NO_ORIGIN
        carrier = NO_ORIGIN
        for command in list_command_lines(action.command):
            for path in _list_input_files(command):
                carrier = find_worst_carrier((carrier, self._classify_shell_path(path)))
            elsewhere = _find_remote_program(command)
            for step in parse_command(command):
                step_carrier = self._classify_step(step)
                if elsewhere and step.kind not in (TEST, CHECK) and step_carrier.origin is not Origin.FOREIGN:
                    step_carrier = Carrier(Origin.FOREIGN, f"shell:{elsewhere}")
                if carrier.origin is Origin.FOREIGN and step.program in ("git apply", "git am", "patch"):
                    self._branches.foreign_checkout = f"patch: {carrier.source}"
                carrier = find_worst_carrier((carrier, step_carrier))
                self._record_written_files(step, carrier)
                if extracts_archive(step) and self._is_in_root(step):
                    self._record_extracted_files(step, carrier, _get_own_output(action, step))
        if action.untracked or (action.outside and action.path):
            named = self.classify_path(action.path, outside=action.outside, untracked=action.untracked)
            return find_worst_carrier((carrier, named))
        return carrier

    def _classify_step(self, step: Step) -> Carrier:
        program = step.program.split(" ", 1)[0]
        if step.directory and (elsewhere := self._classify_directory(step.directory)).origin is Origin.FOREIGN:
            return elsewhere
        words = " ".join((step.program, *step.args))
        if words.startswith(_CHECKOUTS_OF_OTHERS):
            self._branches.foreign_checkout = f"branch of others: {' '.join(words.split()[:3])}"
            return NO_ORIGIN
        if words.startswith(CODE_HOST_CLIENTS) and step.program not in CLONES:
            return self._classify_fetch(step)
        if program == "git" and step.program != "git clone":
            return self._classify_git(step)
        if words.startswith(_SET_UP_COMMANDS):
            return NO_ORIGIN
        if program in ("source", "."):
            is_set_up = any(path.endswith(_ENVIRONMENT_SCRIPTS) for path in step.paths or step.args)
            return NO_ORIGIN if is_set_up else self._classify_paths(step)
        if (named := _PROGRAMS.get(program)) is not None:
            return label_step(Origin(named), step)
        match step.kind:
            case "read":
                return self._classify_paths(step) if step.paths else label_step(Origin.FOREIGN, step)
            case "search" | "list" if not _RUNNING_OPTIONS.get(program, frozenset()).isdisjoint(step.args):
                return label_step(Origin.FOREIGN, step)  # Output of a program that it runs names no file.
            case "search":
                return self._classify_paths(step)
            case "list" | "edit":
                return NO_ORIGIN
            case "test" | "check":
                return label_step(Origin.WEAK, step)
            case "run":
                return label_step(self._classify_run(step, program), step)
            case "fetch":
                return self._classify_fetch(step)
        return label_step(Origin.FOREIGN, step)

    def _classify_directory(self, directory: str) -> Carrier:
        inside = self._resolve_in_project(directory)
        if inside:
            return Carrier(Origin.FOREIGN, f"vendored:{inside}") if is_third_party(inside) else NO_ORIGIN
        written = self._written.find_source(posixpath.normpath(directory))
        return NO_ORIGIN if written == "" else Carrier(Origin.FOREIGN, written or f"outside:{directory}")

    def _classify_paths(self, step: Step) -> Carrier:
        carriers = [
            # Each hit of a search in a folder names its file, and is classified by it.
            OWN_TEXT
            if step.kind == SEARCH and (inside := self._resolve_in_project(path)) and self._is_own_folder(inside)
            else self._classify_shell_path(path)
            for path in resolve_paths(step)
        ]
        return find_worst_carrier(carriers, default=OWN_TEXT)

    def _classify_shell_path(self, path: str) -> Carrier:
        inside = self._resolve_in_project(path)
        return self.classify_path(inside or posixpath.normpath(path), outside=not inside)

    def _resolve_in_project(self, path: str) -> str:
        """Return the path relative to the project, or an empty string if it is outside."""
        if path.startswith(("~", "$")) or ("$" in path and ".." in path):
            return ""  # Only the shell knows where this is.
        normalised = posixpath.normpath(path)
        if self._root and (normalised == self._root or normalised.startswith(self._root + "/")):
            return normalised[len(self._root) + 1 :] or "."
        is_outside = (
            normalised == ".."
            or normalised.startswith("../")
            or (normalised.startswith("/") and (self._root or normalised.startswith(_SYSTEM_FOLDERS)))
        )
        return "" if is_outside else normalised

    def _classify_run(self, step: Step, program: str) -> Origin:
        """Classify a program by whether the project has it: a task of its runner, or a script that git tracks."""
        if is_runner(program):
            return Origin.WEAK
        if step.program.startswith("python -m "):
            module = step.program.removeprefix("python -m ")
            names = (f"{module.replace('.', '/')}{ending}" for ending in (".py", "/__main__.py"))
            folders = ("", "src/")
            is_own = any(self._is_own_file(folder + name) for name in names for folder in folders)
            return Origin.WEAK if is_own else Origin.FOREIGN
        words = [word for word in step.args if word]
        if not _INLINE_OPTIONS.isdisjoint(words) or "-" in words:
            return Origin.FOREIGN
        if step.program.startswith(("go run", "cargo run", "dotnet run", "swift run")):
            return Origin.FOREIGN if any("@" in word for word in words) else Origin.WEAK
        script = step.program_path or next((word for word in words if not word.startswith("-")), "")
        if script.endswith(("/python", "/python3", "/node", "/ruby", "/perl", "/php")):
            script = next((word for word in words if not word.startswith("-")), "")
        return Origin.WEAK if script and self._is_own_file(resolve_path(step, script)) else Origin.FOREIGN

    def _is_own_file(self, path: str) -> bool:
        if self._is_tracked is None and self._written.find_source(path) is None:
            return not is_third_party(path) and bool(self._resolve_in_project(path))
        return self._classify_shell_path(path).origin is Origin.OWN

    def _classify_git(self, step: Step) -> Carrier:
        subcommand = step.program.partition(" ")[2]
        if subcommand == "grep":
            return self._classify_paths(step)
        if subcommand == "stash" and "show" in step.args:
            return Carrier(Origin.WEAK, "history: git stash show")
        foreign_revision = self._branches.find_foreign_revision(step)
        self._follow_branches(step)
        origin = Origin(_GIT.get(subcommand, Origin.FOREIGN))
        if subcommand == "tag" and any(word.startswith(_MESSAGE_OPTIONS) for word in step.args):
            origin = Origin.WEAK
        if any(word.startswith(_OTHER_REFERENCES) for word in step.args) or (
            subcommand == "branch" and any(re.match(r"-[a-z]*v", word) for word in step.args)
        ):
            return Carrier(Origin.FOREIGN, f"branch of others: {step.program} {step.args[0]}")
        if origin is Origin.NONE:
            return label_step(Origin.WEAK, step) if subcommand in _HOOK_SUBCOMMANDS else NO_ORIGIN
        if subcommand == "cat-file" and any(word.startswith("--batch") for word in step.args):
            return label_step(Origin.FOREIGN, step)  # The revisions come on its standard input.
        if "--no-index" in step.args:
            return self._classify_paths(step) if step.paths else label_step(Origin.FOREIGN, step)
        if foreign_revision:
            return Carrier(Origin.FOREIGN, f"branch of others: {step.program} {foreign_revision}")
        if self._branches.foreign_checkout:
            return Carrier(Origin.FOREIGN, self._branches.foreign_checkout)
        return self._classify_own_revisions(step, subcommand, origin)

    def _is_other_repository(self, directory: str) -> bool:
        """Whether git runs in a folder of which it tracks no file: a submodule, or a clone inside of the project."""
        inside = self._resolve_in_project(directory) if directory else "."
        return inside not in ("", ".") and self._is_tracked is not None and not self._is_tracked(inside)

    def _classify_own_revisions(self, step: Step, subcommand: str, origin: Origin) -> Carrier:
        named = self._classify_git_paths(step)
        if named.origin is Origin.FOREIGN or (subcommand == "show" and self._written.has_foreign):
            return named  # A commit of this session may have what it wrote from foreign text.
        if self._is_other_repository(step.directory):
            return Carrier(Origin.FOREIGN, f"repository:{step.directory}")
        if origin is Origin.WEAK or subcommand == "show":
            if self._branches.has_fetched:
                return Carrier(Origin.FOREIGN, f"pulled history: {step.program}")
            return Carrier(origin, f"history: {step.program}")
        if self._archive and subcommand == "diff":
            return Carrier(Origin.FOREIGN, self._archive)
        # A diff shows what the session wrote, and that does not prove itself.
        return NO_ORIGIN if self._written.has_edits else label_step(origin, step)

    def _classify_git_paths(self, step: Step) -> Carrier:
        """Classify the files that a git command names, also those of a revision: `HEAD:src/a.py`."""
        objects = (path for word in list_operands(step) if (path := word.partition(":")[2]))
        paths = list(map(self._locate_path, (*resolve_paths(step), *objects)))
        if written := next(filter(None, map(self._written.find_source, paths)), ""):
            return Carrier(Origin.FOREIGN, written)
        vendored = next(filter(is_third_party, paths), "")
        return Carrier(Origin.FOREIGN, f"vendored:{vendored}") if vendored else NO_ORIGIN

    def _follow_branches(self, step: Step) -> None:
        if source := self._branches.find_restored_source(step):
            for path in list_operands(step):
                self.record_edit(self._locate_path(path), source)
        self._branches.follow_step(step)

    def _classify_fetch(self, step: Step) -> Carrier:
        if step.program == "git clone" and not ADDRESS.search(step.url):
            return self._classify_shell_path(step.url)
        return classify_fetch(step, self._trusted)

    def _record_written_files(self, step: Step, carrier: Carrier) -> None:
        """Record the files that a step writes, with the source of the text that may have gone into them."""
        source = self._find_written_source(step, carrier)
        if source or step.program in _REPLACING_PROGRAMS:
            paths = list(map(self._locate_path, list_written_paths(step)))
            for path in paths:
                self.record_new_file(path, source)
        if step.kind == EDIT:
            self._written.has_edits = True

    def _record_extracted_files(self, step: Step, carrier: Carrier, output: str) -> None:
        """Record the files of an archive that a step extracted into the root, by the names that it printed."""
        source = self._find_written_source(step, carrier)
        folders = list(map(self._locate_path, list_written_paths(step)))
        if not source or (folders and "." not in folders):
            return
        self._archive = f"archive: {source}"
        names = list_extracted_files(step, output)
        for path in map(self._locate_path, names or ()):
            self.record_new_file(path, self._archive)
        self._unlisted = self._unlisted if names else self._archive

    def _find_written_source(self, step: Step, carrier: Carrier) -> str:
        """Return the source of what a step writes: that of the files it copies, else that of the command so far."""
        if step.program in COPY_PROGRAMS:
            carrier = find_worst_carrier(map(self._classify_shell_path, split_copied_paths(step)[0]))
        return carrier.source if carrier.origin is Origin.FOREIGN else ""

    def _is_in_root(self, step: Step) -> bool:
        return not step.directory or self._resolve_in_project(step.directory) == "."

    def _locate_path(self, path: str) -> str:
        return self._resolve_in_project(path) or posixpath.normpath(path)


def _get_own_output(action: Action, step: Step) -> str:
    """Return the output of the last step of a command; empty if it was redirected or is not known to its end."""
    start = action.command.rfind(f"{step.program} ")
    is_whole = start >= 0 and not _OPERATORS.intersection(action.command[start:]) and not action.digests
    return (action.whole or action.text) if is_whole else ""


def _list_input_files(command: str) -> list[str]:
    """List the files that a command reads from by redirection."""
    return [
        target
        for simple in shell.split_commands(command)
        for sign, target in simple.redirects
        if sign.lstrip("0123456789") == "<" and not target.startswith("&")
    ]


def _find_remote_program(command: str) -> str:
    """Return the first words of a command that runs in a container or on another machine; empty if none does."""
    commands = (simple.words for simple in shell.split_commands(command) if simple.words)
    return next((" ".join(words[:3]) for words in commands if normalise_name(words[0]) in _REMOTE_PROGRAMS), "")


def _strip_source_kind(name: str) -> str:
    """Return a trusted source without the prefix that names its kind."""
    return next((name.removeprefix(kind) for kind in SOURCE_KINDS if name.startswith(kind)), name)


def _is_own_answer(action: Action) -> bool:
    """Whether holloway's own server answered: a server that only has its name answers with other text."""
    return is_own_output(action.tool) and not strip_own_text(action.text)


def _parse_server_name(tool: str) -> str:
    parts = tool.split("__")
    return parts[1] if len(parts) > 2 else tool
