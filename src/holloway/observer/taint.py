"""Taint tracking: finds the untrusted texts that a session read, and the later statements that may come from them.

Untrusted are the results of web tools, of commands that fetch or install, of MCP servers, of issues and pull requests,
and of files that are outside the project, not tracked, or vendored; so is any result that contains a prompt injection.

Counts, order and file names are derived and stay clean. Prose can carry untrusted text, so a prompt, a thought, a
statement or a record of the agent is tainted if it

- quotes an untrusted text: two runs of five words, or all of a shorter text, at any later time;
- names something that neither the session nor the project knows from elsewhere: a host, a package, an identifier;
- has a sentence that is similar to an untrusted one;
- is the agent's own, within `NEAR_STEPS` tool calls after an untrusted text: a paraphrase shares no words.

A prompt is trusted unless it quotes. A tainted text counts as untrusted from then on, so a text that restates it is
tainted too, and so is a file that it is written to.
"""

from __future__ import annotations

import posixpath
import re
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from holloway.domain.event import ToolKind
from holloway.observer import host_reminders
from holloway.observer.own_text import is_own_output, strip_own_text
from holloway.observer.statements import WEAK_SOURCES, TaintCheck
from holloway.observer.untrusted_texts import UntrustedTexts
from holloway.safety.prompt_injection import find_imperative, find_injection
from holloway.text.arguments import host_of
from holloway.text.commands import parse_command
from holloway.text.file_roles import is_third_party

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holloway.observer.scratchpad import Action
    from holloway.text.commands import Step

NEAR_STEPS = 1
"""Number of tool calls after an untrusted text within which the agent's statements are assumed to be about it.

Measured on 192 real sessions: 0 taints 6.2 % of the prose, 1 taints 7.0 %, 2 taints 7.9 %; tainting everything after
the first untrusted text would taint more than half.
"""
TRACKED_FILES_MAX = 10_000
TRACKED_LINES_MAX = 100_000
SOURCE_CHARS_MAX = 120
TRUSTED_ISSUES = "issues"
"""Trusted source name for projects where only the team itself writes issues and reviews."""
SOURCE_KINDS = ("mcp:", "web:", "outside:")
"""Prefixes with which the user's settings name a trusted server, site or folder."""

_CODE_HOST_CLIENTS = ("gh ", "glab ", "hub ", "tea ", "jira ", "linear ")
_COMMANDS_WITHOUT_PROSE = frozenset(
    "create edit comment close reopen merge checkout ready review lock unlock pin delete develop rerun cancel enable "
    "disable set clone fork sync checks run workflow auth status --stat --name-only".split()
)
_PROSE_FIELDS = frozenset("title body comments reviews description commits latestreviews messageheadline".split())
_FIELD = re.compile(r"(?:-f|-F|--field|--raw-field|--input)(?:=|$)")
_CLONES = frozenset({"git clone", "gh repo clone"})
_ADDRESS = re.compile(r"://|@")
_HOST = re.compile(r"://|^localhost|\w\.\w.*/")
_OUTPUT_OPTION = re.compile(r"-[a-zA-Z]*[oO]|--output|--output-document")
_EXTERNAL_URL = re.compile(r"https?://(?!localhost|127\.)")


class WrittenFile(NamedTuple):
    """A file that this session created or changed: its taint source when created, and the numbers of its edits."""

    taint: str | None
    changes: list[int]


class TaintTracker:
    """Tracks the untrusted texts of one session. Feed it the session in order.

    `trusted` names MCP servers, hosts and folders that the user trusts; `root` is the project folder, which classifies
    absolute paths in shell commands; the last argument tells whether a name is the project's or a dictionary word.
    Without it only names of an unusual form are recognised, and unknown names in program output are ignored.
    """

    def __init__(
        self,
        trusted: frozenset[str] = frozenset(),
        root: str = "",
        is_known_name: Callable[[str], bool] | None = None,
    ) -> None:
        self._trusted = frozenset(map(_strip_source_kind, trusted))
        self._folders = tuple(folder.rstrip("/") + "/" for folder in self._trusted if "/" in folder)
        self._root = root.rstrip("/")
        self._arrivals: list[tuple[int, str]] = []
        self._untrusted = UntrustedTexts(is_known_name)
        self._statements = self._untrusted.statements
        self._files: dict[str, WrittenFile] = {}
        self._lines: dict[str, int] = {}
        """Lines that this session wrote to files, each with the number of the first text that contains it."""

    def observe_action(self, action: Action) -> str:
        """Record a tool call with its result; returns the source of an untrusted result, else an empty string."""
        source, listed = self._classify_result(action)
        source = source[:SOURCE_CHARS_MAX]
        if action.kind in (ToolKind.EDIT, ToolKind.WRITE) and action.path:
            self._track_edit(action)
        is_from_own_server = is_own_output(action.tool)
        if source:
            self._untrusted.add_text(strip_own_text(action.text) if is_from_own_server else action.text, source)
        else:
            self._add_clean_result(action)
        if source and not listed and not is_from_own_server and not source.startswith(WEAK_SOURCES):
            self._arrivals.append((action.step, source))
        return source

    def add_statement(self, text: str, step: int, *, by_user: bool = False) -> int:
        """Record a statement of the agent or the user after a step; returns its number for a later taint lookup."""
        judge = partial(self._evaluate_text, text, step, by_user=by_user)
        return self._add_text(self._statements.add_statement, text, judge)

    def get_statement_source(self, number: int) -> str:
        """Return the untrusted source that taints a recorded statement, or an empty string."""
        return self._statements.find_taint_source(number)

    def check_statement(self, text: str, step: int, *, by_user: bool = False) -> str:
        """Record a statement and return the untrusted source that taints it, or an empty string."""
        return self.get_statement_source(self.add_statement(text, step, by_user=by_user))

    def find_source(self, text: str, step: int) -> str:
        """Return the untrusted source that would taint a text after a step, without recording the text."""
        return self._evaluate_text(text, step, len(self._statements), by_user=False)

    def _evaluate_text(self, text: str, step: int, moment: int, *, by_user: bool) -> str:
        if quoted := self._untrusted.find_quoted_source(text, moment):
            return quoted
        if by_user:
            return ""
        return (
            self._untrusted.find_named_source(text, moment)
            or self._untrusted.find_similar_source(text, moment)
            or self.find_near_source(step)
        )

    def find_strong_source(self, text: str) -> str:
        """Return the untrusted source that a text quotes or takes a name from, ignoring weak sources.

        An imperative in the output of the project's own programs is mostly a linter's advice.
        """
        sources = (self.find_quoted_source(text), self.find_named_source(text))
        return next((source for source in sources if source and not source.startswith(WEAK_SOURCES)), "")

    def find_named_source(self, text: str) -> str:
        """Return the source of a name in the text that is known from nowhere else, or an empty string."""
        return self._untrusted.find_named_source(text, len(self._statements))

    def find_quoted_source(self, text: str) -> str:
        """Return the untrusted source that a text quotes, or an empty string."""
        return self._untrusted.find_quoted_source(text, len(self._statements))

    def find_near_source(self, step: int) -> str:
        """Return the untrusted source that was read within `NEAR_STEPS` steps before this one, or an empty string."""
        source = self.find_latest_source(step)
        return source if source and step - self._find_latest_arrival(step)[0] <= NEAR_STEPS else ""

    def find_latest_source(self, step: int) -> str:
        """Return the last untrusted source that arrived up to a step, or an empty string."""
        return self._find_latest_arrival(step)[1]

    def _find_latest_arrival(self, step: int) -> tuple[int, str]:
        return next((arrival for arrival in reversed(self._arrivals) if arrival[0] <= step), (0, ""))

    def _classify_result(self, action: Action) -> tuple[str, bool]:
        """Classify a tool result; returns its untrusted source, or an empty string, and whether it only lists names."""
        if action.kind is ToolKind.WEB:
            return self._classify_host("web", action.url), False
        if action.kind is ToolKind.MCP:
            server = _parse_server_name(action.tool)
            is_trusted = server in self._trusted or _is_own_answer(action)
            return "" if is_trusted else f"mcp:{server}", False
        if action.kind is ToolKind.SUBAGENT:
            return "subagent", False
        if action.kind is ToolKind.SHELL:
            return self._classify_shell(action)
        if action.kind in (ToolKind.READ, ToolKind.SEARCH, ToolKind.LIST):
            source = self._classify_file(action.path, outside=action.outside, untracked=bool(action.untracked))
            return (source, action.kind is ToolKind.LIST) if source else (_detect_injection(action), False)
        return "", False

    def _classify_shell(self, action: Action) -> tuple[str, bool]:
        command_source, listed = "", False
        for step in parse_command(action.command):
            source = self._classify_step(step, command_source)
            if source and (not command_source or listed or command_source.startswith(WEAK_SOURCES)):
                command_source, listed = source, step.kind == "list"
        if not command_source or listed or command_source.startswith(WEAK_SOURCES):
            path_source = self._classify_file(action.path, outside=action.outside, untracked=bool(action.untracked))
            if stronger := path_source or _detect_injection(action):
                return stronger, False
        return command_source, listed

    def _classify_host(self, kind: str, url: str) -> str:
        host = host_of(url if "//" in url else f"//{url}")
        if host in self._trusted or host in ("localhost", "127.0.0.1", "::1", "0.0.0.0"):  # noqa: S104  (a name here)
            return ""
        return f"{kind}:{host or 'search'}"

    def _classify_file(self, path: str, *, outside: bool = False, untracked: bool = False) -> str:
        parts = path.split("/")
        prefixes = ("/".join(parts[:size]) for size in range(len(parts), 0, -1))
        written_taint = next((taint for taint in map(self._find_file_taint, prefixes) if taint is not None), None)
        if written_taint is not None:
            return written_taint
        if any(f"{path}/".startswith(folder) for folder in self._folders):
            return ""
        kind = "outside" if outside else "vendored" if is_third_party(path) else "untracked" if untracked else ""
        return f"{kind}:{path}" if kind else ""

    def _classify_step(self, step: Step, earlier_source: str) -> str:
        """Return the untrusted source of a shell step's output; records the files that it writes.

        A written file gets the source of the step that writes it, else that of the steps before it.
        """
        paths = list(_resolve_paths(step))
        source = ""
        if step.kind == "fetch":
            source = self._classify_fetch(step)
        elif step.kind == "install" or step.program in _CLONES:
            source = f"shell:{' '.join((step.program, *step.args[:2]))}"
        elif step.kind in ("read", "search", "list") or step.program in ("cp", "mv"):
            source = next(filter(None, map(self._classify_shell_path, paths)), "")
        elif step.program == "git log":
            source = "history: git log"
        for path in _list_written_paths(step, paths):
            self._record_write(self._resolve_in_project(path) or path, source or earlier_source)
        return source

    def _classify_fetch(self, step: Step) -> str:
        if step.program.startswith(_CODE_HOST_CLIENTS):
            is_trusted = TRUSTED_ISSUES in self._trusted or _is_without_prose(step)
            return "" if is_trusted else f"issue text: {' '.join((step.program, *step.args[:2]))}"
        if step.program == "git clone" and not _ADDRESS.search(step.url):
            return self._classify_shell_path(step.url)
        if _HOST.search(step.url):
            return self._classify_host(f"shell:{step.program}", step.url)
        return f"shell:{step.program} {step.url}".rstrip()

    def _classify_shell_path(self, path: str) -> str:
        inside = self._resolve_in_project(path)
        return self._classify_file(inside or path, outside=not inside)

    def _resolve_in_project(self, path: str) -> str:
        """Return the path relative to the project, or an empty string if it is outside."""
        normalised = posixpath.normpath(path)
        if self._root and normalised.startswith(self._root + "/"):
            return normalised[len(self._root) + 1 :]
        is_outside = normalised.startswith(("../", "~")) or (
            normalised.startswith("/") and (self._root or normalised.startswith(_SYSTEM_FOLDERS))
        )
        return "" if is_outside else normalised

    def _track_edit(self, action: Action) -> None:
        """Track an edit: the lines and the file that this session wrote, with a check for untrusted text in them."""
        lines = [line for line in action.added if not _DIGEST.fullmatch(line)]
        added = "\n".join(lines)
        near = "" if added else self.find_near_source(action.step)

        def evaluate_edit(moment: int) -> str:
            return (
                near
                or self._untrusted.find_quoted_source(added, moment)
                or self._untrusted.find_named_source(added, moment)
            )

        number = self._add_text(
            self._statements.add_seen_text, "\n".join((*action.added, *action.removed)), evaluate_edit
        )
        for line in lines[: TRACKED_LINES_MAX - len(self._lines)]:
            self._lines.setdefault(line.strip(), number)
        if action.kind is ToolKind.WRITE:
            self._record_write(action.path, "")
        if len(self._files) < TRACKED_FILES_MAX:
            self._files.setdefault(action.path, WrittenFile(None, [])).changes.append(number)

    def _add_text(self, add: Callable[[str, TaintCheck | None], int], text: str, taint_check: TaintCheck) -> int:
        """Add a text; it needs no taint check while no untrusted text has arrived."""
        return add(text, taint_check if self._untrusted.has_any_before(len(self._statements)) else None)

    def _record_write(self, path: str, taint: str) -> None:
        if len(self._files) < TRACKED_FILES_MAX:
            self._files[path] = WrittenFile(taint, [])

    def _find_file_taint(self, path: str) -> str | None:
        """Return the taint source of a file that this session wrote; None if it wrote no such file.

        None as well if the file was only edited, and only with clean text.
        """
        written = self._files.get(path)
        return (
            (next(filter(None, map(self.get_statement_source, reversed(written.changes))), "") or written.taint)
            if written
            else None
        )

    def _is_own_line(self, line: str) -> bool:
        """Whether a printed line was written by this session itself, in a clean text."""
        number = self._lines.get(line.strip())
        return number is not None and not self.get_statement_source(number)

    def _add_clean_result(self, action: Action) -> None:
        """Record a clean tool result.

        The output of a program is only partly trusted: imperatives, external links and unknown names in it count as
        the program's, except for lines that the session wrote itself.
        """
        self._statements.add_statement("\n".join((action.path, action.command, action.pattern, action.url)))
        if action.kind is ToolKind.SHELL and any(
            step.kind in _PRINTING_KINDS for step in parse_command(action.command)
        ):
            leads = bool(_EXTERNAL_URL.search(action.text)) or bool(find_imperative(action.text))
            lines = action.text.splitlines() if leads else ()
            orders = [
                line
                for line in lines
                if (_EXTERNAL_URL.search(line) or find_imperative(line)) and not self._is_own_line(line)
            ]
            source = f"output: {action.command}"[:SOURCE_CHARS_MAX]
            self._untrusted.add_text("\n".join(orders), source)
            self._untrusted.add_names(action.text, source)
        else:
            self._statements.add_seen_text(action.text)


_DIGEST = re.compile(r"[0-9a-f]{8}")
"""An edited line as the journal stores it: a digest, not text."""
_PRINTING_KINDS = frozenset(("test", "check", "run", "other"))
_SYSTEM_FOLDERS = ("/tmp/", "/var/", "/private/", "/usr/", "/etc/", "/opt/")  # noqa: S108  (names, nothing is opened)


def _detect_injection(action: Action) -> str:
    reason = find_injection(host_reminders.strip_reminders(action.text)) if action.text else ""
    return f"instructing text ({reason}): {action.command or action.path or action.tool}" if reason else ""


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
        return "graphql" not in step.args and any(map(_FIELD.match, step.args))
    fields = next((step.args[at + 1] for at, word in enumerate(step.args[:-1]) if word == "--json"), "")
    if fields:
        return not _PROSE_FIELDS & set(fields.lower().split(","))
    return bool(_COMMANDS_WITHOUT_PROSE & {*step.program.split()[1:], *step.args[:6]})


def _resolve_paths(step: Step) -> Iterator[str]:
    return (_resolve_path(step, path) for path in step.paths)


def _resolve_path(step: Step, path: str) -> str:
    """Return a step's path relative to the project: a step names paths relative to its working directory."""
    return path if path.startswith(("/", "~")) or not step.directory else f"{step.directory}/{path}"


def _list_written_paths(step: Step, paths: list[str]) -> list[str]:
    """Return the files and folders that a step writes: by redirecting, copying, downloading, cloning or mkdir."""
    return paths if step.kind == "edit" else [_resolve_path(step, name) for name in _list_created_paths(step) if name]


def _list_created_paths(step: Step) -> list[str]:
    operands = [word for word in step.args if not word.startswith("-")]
    if step.program in ("mkdir", "git init"):
        return operands
    if step.program in _CLONES:
        return _list_clone_folders(step, step.url or next(iter(operands), ""))
    if step.kind == "fetch":
        named = [step.args[at + 1] for at, word in enumerate(step.args[:-1]) if _OUTPUT_OPTION.fullmatch(word)]
        return [*named, posixpath.basename(step.url)]
    return []


def _list_clone_folders(step: Step, address: str) -> list[str]:
    """Return the possible folders of a git clone: the one given after the address, else the repository's name.

    A word that follows an option may be that option's value; then both are returned.
    """
    tail = step.args[step.args.index(address) :] if address in step.args else ()
    words_after = [(before, word) for before, word in pairwise(tail) if not word.startswith("-")]
    repository_name = posixpath.basename(address.rstrip("/")).removesuffix(".git")
    is_sure = any(not before.startswith("-") for before, _ in words_after)
    return [word for _, word in words_after] + ([] if is_sure else [repository_name])
