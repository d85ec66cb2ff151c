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
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from holloway.data import load_table
from holloway.domain.event import ToolKind
from holloway.observer import host_reminders
from holloway.observer.own_text import is_own_output, strip_own_text
from holloway.safety.prompt_injection import find_injection
from holloway.text import shell
from holloway.text.arguments import host_of
from holloway.text.commands import find_command_line, parse_command
from holloway.text.file_roles import is_third_party
from holloway.text.programs import CHECK, FETCH, TEST, is_runner, normalise_name
from holloway.text.tools import EDIT, SEARCH

if TYPE_CHECKING:
    from holloway.observer.scratchpad import Action
    from holloway.text.commands import Step


class Origin(StrEnum):
    """What a text is worth as evidence; a later member outranks an earlier one where several carriers meet."""

    NONE = "none"
    OWN = "own"
    WEAK = "weak"
    FOREIGN = "foreign"


_RANKS = {origin: rank for rank, origin in enumerate(Origin)}


class Carrier(NamedTuple):
    """The origin of a text, and the source that people are told."""

    origin: Origin
    source: str = ""


class Passage(NamedTuple):
    """A part of a tool result with one carrier."""

    carrier: Carrier
    text: str


@dataclass(frozen=True, slots=True)
class Trust:
    """Trust settings of a project, for provenance.

    `is_tracked` tells whether git tracks a file; without it every path inside the project counts as tracked.
    `is_known_name` tells whether a name is the project's or a dictionary word. `earlier_digests` are those of foreign
    text that earlier sessions read.
    """

    sources: frozenset[str] = frozenset()
    root: str = ""
    is_known_name: Callable[[str], bool] | None = None
    is_tracked: Callable[[str], bool] | None = None
    earlier_digests: Collection[int] = frozenset()


SOURCE_CHARS_MAX = 120
WRITTEN_FILES_MAX = 10_000
COMMAND_LINES_MAX = 32
"""Maximum number of command lines inside of one command that are classified."""
TRUSTED_ISSUES = "issues"
"""Trusted source name for projects where only the team itself writes issues and reviews."""
SOURCE_KINDS = ("mcp:", "web:", "outside:")
"""Prefixes with which the user's settings name a trusted server, site or folder."""

_NONE, _OWN = Carrier(Origin.NONE), Carrier(Origin.OWN)
_TABLE = load_table("carriers")
_PROGRAMS: dict[str, str] = _TABLE["programs"]
_GIT: dict[str, str] = _TABLE["git"]
_TOOLS: dict[str, str] = {name.lower(): origin for name, origin in _TABLE["tools"].items()}
_BACKGROUND_TOOLS = frozenset(map(str.lower, _TABLE["background_tools"]))
_DEFAULT_BRANCHES = frozenset(_TABLE["default_branches"])
_ENVIRONMENT_SCRIPTS = tuple(_TABLE["environment_scripts"])
_COPY_COMMANDS = tuple(_TABLE["copy_commands"])
_INLINE_OPTIONS = frozenset(_TABLE["inline_options"])

_CODE_HOST_CLIENTS = ("gh ", "glab ", "hub ", "tea ", "jira ", "linear ")
_COMMANDS_WITHOUT_PROSE = frozenset(
    "create edit comment close reopen merge ready review lock unlock pin delete develop rerun cancel enable "
    "disable set clone fork sync checks run workflow auth".split()
)
_OPTIONS_WITHOUT_PROSE = frozenset({"--stat", "--name-only"})
_READING_WORDS = frozenset({"view", "search", "list", "--log", "--log-failed"})
_PROSE_FIELDS = frozenset("title body comments reviews description commits latestreviews messageheadline".split())
_FIELD = re.compile(r"(?:-f|-F|--field|--raw-field|--input)(?:=|$)")
_CHECKOUTS_OF_OTHERS = ("gh pr checkout", "glab mr checkout", "hub pr checkout")
_CLONES = frozenset({"git clone", "gh repo clone"})
_ADDRESS = re.compile(r"://|@")
_HOST = re.compile(r"://|^localhost|\w\.\w.*/")
_LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})  # noqa: S104  (names, nothing is bound)
_OUTPUT_OPTION = re.compile(r"-[a-zA-Z]*[oO]|--output|--output-document")
_LITERAL = re.compile(r"\"(?:[^\"\\]|\\.)*\"|<<-?\s*(['\"])(\w+)\1.*?^\s*\2$|'[^']*'", re.DOTALL | re.MULTILINE)
"""Text in which a shell substitutes nothing: a here-document with a quoted tag, and single quotes."""
_SUBSTITUTION = re.compile(r"[$<>]\(((?:[^()]|\([^()]*\))*)\)|(?<!\\)`([^`\n]*)`")
_SYSTEM_FOLDERS = ("/tmp/", "/var/", "/private/", "/usr/", "/etc/", "/opt/")  # noqa: S108  (names, nothing is opened)
_HIT = re.compile(r"(?P<path>[^\s:][^:\n]{0,300}?)(?::(?P<line>\d+):|-\d+-)")
_REVISION_END = re.compile(r"[:^~]|@\{")
_COMMIT_HASH = re.compile(r"[0-9a-f]{7,64}")
_FILE_NAME = re.compile(r"(?:^|/)\.?[\w-]+\.\w{1,8}$|/$|\*")
_PULL_REFERENCE = re.compile(r"(?:^\+?|/)(?:pull|merge-requests|pr)/|FETCH_HEAD")
_OTHER_REFERENCES = ("--all", "--remotes", "--branches", "--glob", "--git-dir", "--work-tree")
_VALUE_OPTIONS = frozenset(
    "-n -S -G -L -m -C -U --author --committer --grep --since --until --after --before --format --pretty --max-count "
    "--skip --date --source -s --message".split()
)
_REMOTE_PROGRAMS = frozenset("docker podman nerdctl kubectl oc ssh lxc vagrant multipass wsl adb chroot".split())
_NO_FILE_NAME = re.compile(r"-[a-zA-Z]*h|-[a-zA-Z]*I|--no-filename")
_REDIRECTING_OPTIONS = ("-x", "--proxy", "--preproxy", "--socks", "--connect-to", "--resolve", "-K", "--config")
_SECOND_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:[:/]|\Z)|.*://")
_TEMPORARY_FOLDERS = ("/tmp/", "/private/tmp/", "/var/folders/")  # noqa: S108  (names, nothing is opened)


class Carriers:
    """Classifies the tool results of one session, in order; knows which files and branches the session brought in."""

    def __init__(self, trust: Trust, branch: str = "") -> None:
        self._trusted = frozenset(map(_strip_source_kind, trust.sources))
        self._folders = tuple(folder.rstrip("/") + "/" for folder in self._trusted if "/" in folder)
        self._root = trust.root.rstrip("/")
        self._is_tracked = trust.is_tracked
        self._written: dict[str, str] = {}
        self._own_branches = {"", "HEAD", "@", "ORIG_HEAD", "stash", branch}
        self._has_fetched = False
        self._has_edited = False
        self._forks: set[str] = set()
        self._foreign_checkout = ""
        self._worst_command = _NONE

    def classify_result(self, action: Action) -> list[Passage]:
        """Split a tool result into passages, each with its carrier."""
        carrier = self._classify_action(action)
        text = strip_own_text(action.text) if is_own_output(action.tool) else action.text
        if carrier.origin is Origin.FOREIGN or not text:
            return [Passage(_cut_source(carrier), text)]
        if reason := find_injection(host_reminders.strip_reminders(text)):
            subject = action.command or action.path or action.tool
            return [Passage(_cut_source(Carrier(Origin.FOREIGN, f"instructing text ({reason}): {subject}")), text)]
        if _prints_hits(action):
            return list(self._split_hits(text, action, carrier))
        return [Passage(carrier, text)]

    def record_edit(self, path: str, source: str) -> None:
        """Record that the session changed a file; clean text does not change what the file was before."""
        self._has_edited = True
        if source and len(self._written) < WRITTEN_FILES_MAX:
            self._written[path] = self._written.get(path, "") or source

    def record_new_file(self, path: str, source: str) -> None:
        """Record that the session replaced a whole file, whatever it contained before."""
        self._has_edited = True
        if len(self._written) < WRITTEN_FILES_MAX:
            self._written[path] = source

    def taint_writes(self, command: str, source: str) -> None:
        """Record that the files which a command writes get foreign text from the command itself."""
        for step in parse_command(command):
            for path in _list_written_paths(step, list(_resolve_paths(step))) if step.kind == EDIT else ():
                self.record_edit(self._resolve_in_project(path) or posixpath.normpath(path), source)

    def classify_path(self, path: str, *, outside: bool = False, untracked: bool = False) -> Carrier:
        """Classify the content of a file."""
        written = self._find_written(path)
        if written:
            return Carrier(Origin.FOREIGN, written)
        if any(f"{path}/".startswith(folder) for folder in self._folders):
            return _OWN
        if is_third_party(path) and written != "":
            return Carrier(Origin.FOREIGN, f"vendored:{path}")
        if self._foreign_checkout and not outside:
            return Carrier(Origin.FOREIGN, self._foreign_checkout)
        if written == "":
            return _NONE  # The session's own words do not prove themselves.
        if outside:
            return Carrier(Origin.FOREIGN, f"outside:{path}")
        is_untracked = untracked or (self._is_tracked is not None and not self._is_tracked(path))
        return Carrier(Origin.FOREIGN, f"untracked:{path}") if is_untracked else _OWN

    def _find_written(self, path: str) -> str | None:
        """Return the source of what the session wrote to a file or its folder; None if it wrote nothing there."""
        parts = path.split("/")
        prefixes = ("/".join(parts[:size]) for size in range(len(parts), 0, -1))
        return next((self._written[prefix] for prefix in prefixes if prefix in self._written), None)

    def _classify_action(self, action: Action) -> Carrier:
        match action.kind:
            case ToolKind.WEB:
                return self._classify_host("web", action.url)
            case ToolKind.MCP:
                server = _parse_server_name(action.tool)
                is_trusted = server in self._trusted or _is_own_answer(action)
                return _NONE if is_trusted else Carrier(Origin.FOREIGN, f"mcp:{server}")
            case ToolKind.SUBAGENT:
                return Carrier(Origin.FOREIGN, "subagent")
            case ToolKind.SHELL:
                carrier = self._classify_command(action)
                self._worst_command = _worse(self._worst_command, carrier)
                return carrier
            case ToolKind.READ:
                return self._classify_named_path(action)
            case ToolKind.SEARCH | ToolKind.LIST:
                return self._classify_named_path(action) if action.path else _OWN
            case ToolKind.EDIT | ToolKind.WRITE:
                return _NONE
        return self._classify_host_tool(action)

    def _classify_named_path(self, action: Action) -> Carrier:
        if action.kind is not ToolKind.READ and not action.outside and self._is_own_folder(action.path):
            return _OWN  # Each hit names its file, and is classified by it.
        return self.classify_path(action.path, outside=action.outside, untracked=bool(action.untracked))

    @staticmethod
    def _is_own_folder(path: str) -> bool:
        return not _FILE_NAME.search(path) and not is_third_party(f"{path}/x")

    def _classify_host_tool(self, action: Action) -> Carrier:
        name = action.tool.lower()
        if name in _BACKGROUND_TOOLS:
            return self._worst_command if self._worst_command.origin in (Origin.WEAK, Origin.FOREIGN) else _NONE
        origin = Origin(_TOOLS.get(name, Origin.FOREIGN))
        return Carrier(origin, f"tool:{action.tool}" if origin is Origin.FOREIGN else "")

    def _split_hits(self, text: str, action: Action, carrier: Carrier) -> Iterator[Passage]:
        """Split the lines of a search by the file that each names; a line without one belongs to the line before."""
        current = _classify_unnamed_hits(action, carrier)
        classified: list[tuple[Carrier, str]] = []
        for line in text.splitlines(keepends=True):
            if path := _find_hit_path(line):
                current = self._classify_shell_path(path)
            elif carrier.origin is Origin.WEAK:
                current = carrier
            classified.append((current, line))
        for line_carrier, lines in groupby(classified, key=lambda item: item[0]):
            yield Passage(_cut_source(line_carrier), "".join(line for _, line in lines))

    def _classify_command(self, action: Action) -> Carrier:
        """Classify the output of a command by its worst step, those inside of substitutions included."""
        if is_own_output(action.tool, action.command):
            return _NONE
        carrier = _NONE
        for command in _list_command_lines(action.command):
            for path in _list_input_files(command):
                carrier = _worse(carrier, self._classify_shell_path(path))
            elsewhere = _find_remote_program(command)
            for step in parse_command(command):
                step_carrier = self._classify_step(step)
                if elsewhere and step.kind not in (TEST, CHECK) and step_carrier.origin is not Origin.FOREIGN:
                    step_carrier = Carrier(Origin.FOREIGN, f"shell:{elsewhere}")
                if carrier.origin is Origin.FOREIGN and step.program in ("git apply", "git am", "patch"):
                    self._foreign_checkout = f"patch: {carrier.source}"
                carrier = _worse(carrier, step_carrier)
                self._record_written_files(step, carrier)
        if action.untracked or (action.outside and action.path):
            return _worse(carrier, self.classify_path(action.path, outside=action.outside, untracked=action.untracked))
        return carrier

    def _classify_step(self, step: Step) -> Carrier:
        program = step.program.split(" ", 1)[0]
        if step.directory and (elsewhere := self._classify_directory(step.directory)).origin is Origin.FOREIGN:
            return elsewhere
        words = " ".join((step.program, *step.args[:2]))
        if words.startswith(_CHECKOUTS_OF_OTHERS):
            self._foreign_checkout = f"branch of others: {' '.join(words.split()[:3])}"
            return _NONE
        if words.startswith(_CODE_HOST_CLIENTS) and step.program not in _CLONES:
            return self._classify_fetch(step)
        if program == "git" and step.program != "git clone":
            return self._classify_git(step)
        if program in ("source", "."):
            is_set_up = any(path.endswith(_ENVIRONMENT_SCRIPTS) for path in step.paths or step.args)
            return _NONE if is_set_up else self._classify_paths(step)
        if (named := _PROGRAMS.get(program)) is not None:
            return _label(Origin(named), step)
        match step.kind:
            case "read":
                return self._classify_paths(step) if step.paths else _label(Origin.FOREIGN, step)
            case "search":
                # Output of a program that `find` runs does not name its files.
                runs = not {"-exec", "-execdir", "-ok"}.isdisjoint(step.args)
                return _label(Origin.FOREIGN, step) if runs else self._classify_paths(step)
            case "list" | "edit":
                return _NONE
            case "test" | "check":
                return _label(Origin.WEAK, step)
            case "run":
                return _label(self._classify_run(step, program), step)
            case "fetch":
                return self._classify_fetch(step)
        return _label(Origin.FOREIGN, step)

    def _classify_directory(self, directory: str) -> Carrier:
        inside = self._resolve_in_project(directory)
        if inside:
            return Carrier(Origin.FOREIGN, f"vendored:{inside}") if is_third_party(inside) else _NONE
        written = self._find_written(posixpath.normpath(directory))
        return _NONE if written == "" else Carrier(Origin.FOREIGN, written or f"outside:{directory}")

    def _classify_paths(self, step: Step) -> Carrier:
        carriers = [
            # Each hit of a search in a folder names its file, and is classified by it.
            _OWN
            if step.kind == SEARCH and (inside := self._resolve_in_project(path)) and self._is_own_folder(inside)
            else self._classify_shell_path(path)
            for path in _resolve_paths(step)
        ]
        return max(carriers, key=lambda carrier: _RANKS[carrier.origin], default=_OWN)

    def _classify_shell_path(self, path: str) -> Carrier:
        inside = self._resolve_in_project(path)
        return self.classify_path(inside or path, outside=not inside)

    def _resolve_in_project(self, path: str) -> str:
        """Return the path relative to the project, or an empty string if it is outside."""
        normalised = posixpath.normpath(path)
        if self._root and (normalised == self._root or normalised.startswith(self._root + "/")):
            return normalised[len(self._root) + 1 :] or "."
        is_outside = normalised.startswith(("../", "~", "$")) or (
            normalised.startswith("/") and (self._root or normalised.startswith(_SYSTEM_FOLDERS))
        )
        return "" if is_outside else normalised

    def _classify_run(self, step: Step, program: str) -> Origin:
        """Classify a program by whether the project has it: a task of its runner, or a script that git tracks."""
        if is_runner(program):
            return Origin.WEAK
        words = [word for word in step.args if word]
        if step.program.startswith("python -m ") or (words[:1] and words[0] in ("-m", "--module")):
            module = step.program.removeprefix("python -m ") if step.program != program else "".join(words[1:2])
            names = (f"{module.replace('.', '/')}{ending}" for ending in (".py", "/__main__.py"))
            folders = ("", "src/")
            is_own = any(self._is_own_file(folder + name) for name in names for folder in folders)
            return Origin.WEAK if is_own else Origin.FOREIGN
        if not _INLINE_OPTIONS.isdisjoint(words) or "-" in words:
            return Origin.FOREIGN
        if step.program.startswith(("go run", "cargo run", "dotnet run", "swift run")):
            return Origin.FOREIGN if any("@" in word for word in words) else Origin.WEAK
        script = step.program_path or next((word for word in words if not word.startswith("-")), "")
        if script.endswith(("/python", "/python3", "/node", "/ruby", "/perl", "/php")):
            script = next((word for word in words if not word.startswith("-")), "")
        return Origin.WEAK if script and self._is_own_file(_resolve_path(step, script)) else Origin.FOREIGN

    def _is_own_file(self, path: str) -> bool:
        if self._is_tracked is None and self._find_written(path) is None:
            return not is_third_party(path) and bool(self._resolve_in_project(path))
        return self._classify_shell_path(path).origin is Origin.OWN

    def _classify_git(self, step: Step) -> Carrier:
        subcommand = step.program.partition(" ")[2]
        if subcommand == "grep":
            return self._classify_paths(step)
        if subcommand == "stash" and "show" in step.args:
            return Carrier(Origin.WEAK, "history: git stash show")
        foreign_names = [name for name in _list_revisions(step) if self._is_foreign_revision(name)]
        self._follow_branches(subcommand, step, foreign_names)
        origin = Origin(_GIT.get(subcommand, Origin.FOREIGN))
        if any(word.startswith(_OTHER_REFERENCES) for word in step.args) or (
            subcommand == "branch" and any(re.match(r"-[a-z]*v", word) for word in step.args)
        ):
            return Carrier(Origin.FOREIGN, f"branch of others: {step.program} {step.args[0]}")
        if origin is Origin.NONE:
            return _NONE
        if "--no-index" in step.args:
            return self._classify_paths(step) if step.paths else _label(Origin.FOREIGN, step)
        if foreign_names:
            return Carrier(Origin.FOREIGN, f"branch of others: {step.program} {foreign_names[0]}")
        if self._foreign_checkout:
            return Carrier(Origin.FOREIGN, self._foreign_checkout)
        return self._classify_own_revisions(step, subcommand, origin)

    def _classify_own_revisions(self, step: Step, subcommand: str, origin: Origin) -> Carrier:
        vendored = self._classify_git_paths(step)
        if vendored.origin is Origin.FOREIGN:
            return vendored
        if origin is Origin.WEAK or subcommand == "show":
            if self._has_fetched:
                return Carrier(Origin.FOREIGN, f"pulled history: {step.program}")
            return Carrier(origin, f"history: {step.program}")
        # A diff shows what the session wrote, and that does not prove itself.
        return _NONE if self._has_edited else _label(origin, step)

    def _classify_git_paths(self, step: Step) -> Carrier:
        vendored = next((path for path in _resolve_paths(step) if is_third_party(path)), "")
        return Carrier(Origin.FOREIGN, f"vendored:{vendored}") if vendored else _NONE

    def _follow_branches(self, subcommand: str, step: Step, foreign_names: list[str]) -> None:
        """Follow which branch is checked out, and which branches hold commits of forks and pull requests."""
        words = [word for word in step.args if not word.startswith("-")]
        forks = [name for name in words if self._is_fork(name)]
        if subcommand in ("fetch", "pull"):
            self._has_fetched = True
            if words[:1] and words[0] != "origin":
                self._forks.update({"FETCH_HEAD", words[0]})
            pulled = [word for word in words[1:] if _PULL_REFERENCE.search(word)]
            self._forks.update(word.rpartition(":")[2] for word in pulled if ":" in word)
            if subcommand == "pull" and (pulled or forks):
                self._foreign_checkout = f"branch of others: {(pulled or forks)[0]}"
        elif subcommand == "remote" and words[:1] == ["add"]:
            self._forks.update(words[1:2])
        elif subcommand in ("checkout", "switch", "restore"):
            self._follow_checkout(step, words, forks)
        elif subcommand in ("merge", "rebase", "cherry-pick", "am") and any(map(self._is_fork, foreign_names)):
            self._foreign_checkout = self._foreign_checkout or f"branch of others: {foreign_names[0]}"

    def _follow_checkout(self, step: Step, words: list[str], forks: list[str]) -> None:
        source = next((word.partition("=")[2] for word in step.args if word.startswith("--source=")), "")
        if source or "--" in step.args:
            if forks or self._is_fork(source):
                for path in words:
                    self.record_edit(self._resolve_in_project(path) or path, f"branch of others: {source or forks[0]}")
        elif forks:
            self._foreign_checkout = f"branch of others: {forks[0]}"
            self._forks.update(words)
        elif self._foreign_checkout:
            if words and (words[0] in self._own_branches or words[0] in _DEFAULT_BRANCHES):
                self._foreign_checkout = ""
        else:
            self._own_branches.update(words)

    def _is_fork(self, name: str) -> bool:
        return bool(_PULL_REFERENCE.search(name)) or name in self._forks or name.partition("/")[0] in self._forks

    def _is_foreign_revision(self, name: str) -> bool:
        """Whether a revision may hold somebody else's unmerged work."""
        if self._is_fork(name):
            return True
        branch = name.removeprefix("refs/remotes/").removeprefix("refs/heads/").removeprefix("origin/")
        if branch in self._own_branches or branch in _DEFAULT_BRANCHES or name == "origin":
            return False
        return bool(self._forks) if _COMMIT_HASH.fullmatch(name) else not self._is_path(name)

    def _is_path(self, word: str) -> bool:
        is_tracked = self._is_tracked is not None and self._is_tracked(posixpath.normpath(word))
        return is_tracked or bool(_FILE_NAME.search(word))

    def _classify_host(self, kind: str, url: str) -> Carrier:
        host = host_of(url if "//" in url else f"//{url}")
        if host in self._trusted:
            return _OWN
        origin = Origin.WEAK if host in _LOCAL_HOSTS else Origin.FOREIGN
        return Carrier(origin, f"{kind}:{host or 'search'}")

    def _classify_fetch(self, step: Step) -> Carrier:
        if step.program.startswith(_CODE_HOST_CLIENTS):
            is_trusted = TRUSTED_ISSUES in self._trusted or _is_without_prose(step)
            label = f"issue text: {' '.join((step.program, *step.args[:2]))}"
            return _NONE if is_trusted else Carrier(Origin.FOREIGN, label)
        if step.program == "git clone" and not _ADDRESS.search(step.url):
            return self._classify_shell_path(step.url)
        addresses = [
            word
            for option, word in zip(("", *step.args), step.args, strict=False)
            if _SECOND_HOST.match(word) and word != step.url and not option.startswith("-")
        ]
        is_plain = not addresses and _HOST.search(step.url) and "@" not in step.url and "$" not in step.url
        is_redirected = any(
            word.startswith(_REDIRECTING_OPTIONS) or re.match(r"-[a-zA-Z]+x\S", word) for word in step.args
        ) or any("PROXY" in name.upper() for name in step.env)
        if not is_plain or is_redirected:
            return Carrier(Origin.FOREIGN, f"shell:{step.program} {step.url}".rstrip())
        return self._classify_host(f"shell:{step.program}", step.url)

    def _record_written_files(self, step: Step, carrier: Carrier) -> None:
        """Record the files that a step writes, with the source of the text that may have gone into them."""
        source = carrier.source if carrier.origin is Origin.FOREIGN else ""
        paths = list(_resolve_paths(step))
        if step.program in ("cp", "mv", "ln"):
            read = [self._classify_shell_path(path) for path in paths[:-1]]
            source = next((copied.source for copied in read if copied.origin is Origin.FOREIGN), "")
            paths = paths[-1:]
        if step.args and " ".join((step.program, *step.args)).startswith(_COPY_COMMANDS):
            paths, source = [step.args[-1]], carrier.source
        elif step.kind == FETCH or step.program in _CLONES:
            paths = _list_written_paths(step, paths)
        elif step.program == "mkdir":
            paths = [word for word in step.args if word.startswith(_TEMPORARY_FOLDERS)]
        elif step.kind != EDIT:
            return
        is_new = step.program in (">", "cp", "mv", "tee", "mkdir") or bool(source)
        for path in map(self._locate_path, paths):
            if is_new:
                self.record_new_file(path, source)
        self._has_edited = self._has_edited or step.kind == EDIT

    def _locate_path(self, path: str) -> str:
        return self._resolve_in_project(path) or posixpath.normpath(path)


def _worse(first: Carrier, second: Carrier) -> Carrier:
    return second if _RANKS[second.origin] > _RANKS[first.origin] else first


def _label(origin: Origin, step: Step) -> Carrier:
    """Return a carrier with the command as its source."""
    prefix = "output" if origin is Origin.WEAK else "shell"
    return Carrier(origin, f"{prefix}:{' '.join((step.program, *step.args[:2]))}" if origin is not Origin.NONE else "")


def _cut_source(carrier: Carrier) -> Carrier:
    return carrier._replace(source=carrier.source[:SOURCE_CHARS_MAX])


def _prints_hits(action: Action) -> bool:
    """Whether each line of the output may name the file it is from."""
    if action.kind is ToolKind.SHELL:
        return any(step.kind == SEARCH or step.program == "git grep" for step in parse_command(action.command))
    return action.kind is ToolKind.SEARCH


def _classify_unnamed_hits(action: Action, carrier: Carrier) -> Carrier:
    """Classify the hits that name no file: those of a search in single files are theirs."""
    if action.kind is not ToolKind.SHELL:
        return carrier if action.path and _FILE_NAME.search(action.path) else _NONE
    searches = [step for step in parse_command(action.command) if step.kind == SEARCH]
    if any(_NO_FILE_NAME.fullmatch(word) for step in searches for word in step.args):
        return Carrier(Origin.FOREIGN, f"shell:{searches[0].program}")
    paths = [path for step in searches for path in step.paths]
    return carrier if (paths and all(map(_FILE_NAME.search, paths))) or carrier.origin is Origin.WEAK else _NONE


def _find_hit_path(line: str) -> str:
    """Return the file that a line of a search names, also one that is alone on its line; empty without one."""
    if (hit := _HIT.match(line)) and not hit["path"].isdigit():
        return hit["path"]
    name = line.partition(":")[0].strip()
    return name if _FILE_NAME.search(name) and " " not in name else ""


def _list_command_lines(command: str) -> list[str]:
    """List a command line and the ones inside of it: substitutions, and what a shell is given as text."""
    lines = [command]
    for line in lines:
        visible = _LITERAL.sub(lambda match: match[0] if match[0].startswith('"') else " ", line)
        inner = [match[1] or match[2] or "" for match in _SUBSTITUTION.finditer(visible)]
        inner += [find_command_line(simple.words) for simple in shell.split_commands(line) if simple.words]
        lines += [text for text in inner if text and text not in lines][: COMMAND_LINES_MAX - len(lines)]
    return lines


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


def _list_revisions(step: Step) -> Iterator[str]:
    """Yield the revisions that a git command names, without options and their values."""
    words = step.args[: step.args.index("--")] if "--" in step.args else step.args
    for option, word in zip(("", *words), words, strict=False):
        if not word.startswith("-") and "=" not in word and option not in _VALUE_OPTIONS:
            ends = re.split(r"\.{2,3}", word)
            yield from (name for end in ends if (name := _REVISION_END.split(end)[0]))


def _strip_source_kind(name: str) -> str:
    """Return a trusted source without the prefix that names its kind."""
    return next((name.removeprefix(kind) for kind in SOURCE_KINDS if name.startswith(kind)), name)


def _is_own_answer(action: Action) -> bool:
    """Whether holloway's own server answered: a server that only has its name answers with other text."""
    return is_own_output(action.tool) and not strip_own_text(action.text)


def _parse_server_name(tool: str) -> str:
    parts = tool.split("__")
    return parts[1] if len(parts) > 2 else tool


def _is_without_prose(step: Step) -> bool:
    """Whether a command of a code host's client only posts something, or returns fields without prose."""
    if step.program.startswith("gh api"):
        is_get = "GET" in step.args
        return not is_get and "graphql" not in step.args and any(map(_FIELD.match, step.args))
    fields = next((step.args[at + 1] for at, word in enumerate(step.args[:-1]) if word == "--json"), "")
    if fields:
        return not _PROSE_FIELDS & set(fields.lower().split(","))
    words = {*step.program.split()[1:], *step.args[:6]}
    if words & _READING_WORDS:
        return bool(words & _OPTIONS_WITHOUT_PROSE)
    return bool(words & (_COMMANDS_WITHOUT_PROSE | _OPTIONS_WITHOUT_PROSE))


def _resolve_paths(step: Step) -> Iterator[str]:
    return (_resolve_path(step, path) for path in step.paths)


def _resolve_path(step: Step, path: str) -> str:
    """Return a step's path relative to the project: a step names paths relative to its working directory."""
    return path if path.startswith(("/", "~")) or not step.directory else f"{step.directory}/{path}"


def _list_written_paths(step: Step, paths: list[str]) -> list[str]:
    """Return the files and folders that a step writes: by redirecting, copying, downloading, cloning or mkdir."""
    return paths if step.kind == EDIT else [_resolve_path(step, name) for name in _list_created_paths(step) if name]


def _list_created_paths(step: Step) -> list[str]:
    operands = [word for word in step.args if not word.startswith("-")]
    if step.program in _CLONES:
        return _list_clone_folders(step, step.url or next(iter(operands), ""))
    named = [step.args[at + 1] for at, word in enumerate(step.args[:-1]) if _OUTPUT_OPTION.fullmatch(word)]
    return [*named, posixpath.basename(step.url)]


def _list_clone_folders(step: Step, address: str) -> list[str]:
    """Return the possible folders of a git clone: the one given after the address, else the repository's name.

    A word that follows an option may be that option's value; then both are returned.
    """
    tail = step.args[step.args.index(address) :] if address in step.args else ()
    words_after = [(before, word) for before, word in pairwise(tail) if not word.startswith("-")]
    repository_name = posixpath.basename(address.rstrip("/")).removesuffix(".git")
    is_sure = any(not before.startswith("-") for before, _ in words_after)
    return [word for _, word in words_after] + ([] if is_sure else [repository_name])
