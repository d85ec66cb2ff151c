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
from holloway.observer.statements import WEAK, Judge
from holloway.observer.untrusted_texts import Foreign
from holloway.safety.prompt_injection import find_imperative, find_injection
from holloway.text.commands import understand
from holloway.text.file_roles import is_third_party
from holloway.text.urls import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holloway.observer.scratchpad import Action
    from holloway.text.commands import Step

NEAR_STEPS = 1
"""Number of tool calls after an untrusted text within which the agent's statements are assumed to be about it.

Measured on 192 real sessions: 0 taints 6.2 % of the prose, 1 taints 7.0 %, 2 taints 7.9 %; tainting everything after
the first untrusted text would taint more than half.
"""
FILES_MAX = 10_000
LINES_MAX = 100_000
SOURCE_CHARS_MAX = 120
ISSUES = "issues"
"""Trusted source name for projects where only the team itself writes issues and reviews."""
HOSTS_TOOLS = frozenset({"ide", "holloway"})
"""MCP servers that are always trusted: the editor's and holloway's own."""

_HOSTED = ("gh ", "glab ", "hub ", "tea ", "jira ", "linear ")
_NO_PROSE = frozenset(
    "create edit comment close reopen merge checkout ready review lock unlock pin delete develop rerun cancel enable "
    "disable set clone fork sync checks run workflow auth status --stat --name-only".split()
)
_PROSE = frozenset("title body comments reviews description commits latestreviews messageheadline".split())
_FIELD = re.compile(r"(?:-f|-F|--field|--raw-field|--input)(?:=|$)")
_CLONES = frozenset({"git clone", "gh repo clone"})
_ADDRESS = re.compile(r"://|@")
_HOST = re.compile(r"://|^localhost|\w\.\w.*/")
_SAVES = re.compile(r"-[a-zA-Z]*[oO]|--output|--output-document")
_LEADS = re.compile(r"https?://(?!localhost|127\.)")


class Made(NamedTuple):
    """A file that this session created or changed: its taint source when created, and the numbers of its edits."""

    taint: str | None
    changes: list[int]


class Taint:
    """Tracks the untrusted texts of one session. Feed it the session in order.

    `trusted` names MCP servers, hosts and folders that the user trusts; `root` is the project folder, which classifies
    absolute paths in shell commands; the last argument tells whether a name is the project's or a dictionary word.
    Without it only names of an unusual form are recognised, and unknown names in program output are ignored.
    """

    def __init__(
        self,
        trusted: frozenset[str] = frozenset(),
        root: str = "",
        known: Callable[[str], bool] | None = None,
    ) -> None:
        self._trusted = trusted
        self._folders = tuple(folder.rstrip("/") + "/" for folder in trusted if "/" in folder)
        self._root = root.rstrip("/")
        self._arrivals: list[tuple[int, str]] = []
        self._foreign = Foreign(known)
        self._sayings = self._foreign.sayings
        self._files: dict[str, Made] = {}
        self._lines: dict[str, int] = {}
        """Lines that this session wrote to files, each with the number of the first text that contains it."""

    def observe(self, action: Action) -> str:
        """Record a tool call with its result; returns the source of an untrusted result, else an empty string."""
        source, listed = self._source(action)
        source = source[:SOURCE_CHARS_MAX]
        if action.kind in (ToolKind.EDIT, ToolKind.WRITE) and action.path:
            self._follow(action)
        if source:
            self._foreign.remember(action.text, source)
        else:
            self._know(action)
        if source and not listed and not source.startswith(WEAK):
            self._arrivals.append((action.step, source))
        return source

    def hear(self, text: str, step: int, *, by_user: bool = False) -> int:
        """Record a statement of the agent or the user after a step; returns its number for a later taint lookup."""
        judge = partial(self._judge, text, step, by_user=by_user)
        return self._take_in(self._sayings.said, text, judge)

    def heard(self, number: int) -> str:
        """Return the untrusted source that taints a recorded statement, or an empty string."""
        return self._sayings.source(number)

    def said(self, text: str, step: int, *, by_user: bool = False) -> str:
        """Record a statement and return the untrusted source that taints it, or an empty string."""
        return self.heard(self.hear(text, step, by_user=by_user))

    def of(self, text: str, step: int) -> str:
        """Return the untrusted source that would taint a text after a step, without recording the text."""
        return self._judge(text, step, len(self._sayings), by_user=False)

    def _judge(self, text: str, step: int, moment: int, *, by_user: bool) -> str:
        if quoted := self._foreign.quotes(text, moment):
            return quoted
        if by_user:
            return ""
        return self._foreign.names(text, moment) or self._foreign.resembles(text, moment) or self.near(step)

    def strongly(self, text: str) -> str:
        """Return the untrusted source that a text quotes or takes a name from, ignoring weak sources.

        An imperative in the output of the project's own programs is mostly a linter's advice.
        """
        sources = (self.quotes(text), self.names(text))
        return next((source for source in sources if source and not source.startswith(WEAK)), "")

    def names(self, text: str) -> str:
        """Return the source of a name in the text that is known from nowhere else, or an empty string."""
        return self._foreign.names(text, len(self._sayings))

    def quotes(self, text: str) -> str:
        """Return the untrusted source that a text quotes, or an empty string."""
        return self._foreign.quotes(text, len(self._sayings))

    def near(self, step: int) -> str:
        """Return the untrusted source that was read within `NEAR_STEPS` steps before this one, or an empty string."""
        source = self.after(step)
        return source if source and step - self._latest(step)[0] <= NEAR_STEPS else ""

    def after(self, step: int) -> str:
        """Return the last untrusted source that arrived up to a step, or an empty string."""
        return self._latest(step)[1]

    def _latest(self, step: int) -> tuple[int, str]:
        return next((arrival for arrival in reversed(self._arrivals) if arrival[0] <= step), (0, ""))

    def _source(self, action: Action) -> tuple[str, bool]:
        """Classify a tool result; returns its untrusted source, or an empty string, and whether it only lists names."""
        if action.kind is ToolKind.WEB:
            return self._from_host("web", action.url), False
        if action.kind is ToolKind.MCP:
            server = _server(action.tool)
            return "" if server in HOSTS_TOOLS or server in self._trusted else f"mcp:{server}", False
        if action.kind is ToolKind.SUBAGENT:
            return "subagent", False
        if action.kind is ToolKind.SHELL:
            return self._from_shell(action)
        if action.kind in (ToolKind.READ, ToolKind.SEARCH, ToolKind.LIST):
            source = self._from_file(action.path, outside=action.outside, untracked=bool(action.untracked))
            return (source, action.kind is ToolKind.LIST) if source else (_instructing(action), False)
        return "", False

    def _from_shell(self, action: Action) -> tuple[str, bool]:
        command_source, listed = "", False
        for step in understand(action.command):
            source = self._from_step(step, command_source)
            if source and (not command_source or listed or command_source.startswith(WEAK)):
                command_source, listed = source, step.kind == "list"
        if not command_source or listed or command_source.startswith(WEAK):
            path_source = self._from_file(action.path, outside=action.outside, untracked=bool(action.untracked))
            if stronger := path_source or _instructing(action):
                return stronger, False
        return command_source, listed

    def _from_host(self, what: str, url: str) -> str:
        host = host_of(url if "//" in url else f"//{url}")
        if host in self._trusted or host in ("localhost", "127.0.0.1", "::1", "0.0.0.0"):  # noqa: S104  (a name here)
            return ""
        return f"{what}:{host or 'search'}"

    def _from_file(self, path: str, *, outside: bool = False, untracked: bool = False) -> str:
        parts = path.split("/")
        prefixes = ("/".join(parts[:size]) for size in range(len(parts), 0, -1))
        written_taint = next((taint for taint in map(self._made, prefixes) if taint is not None), None)
        if written_taint is not None:
            return written_taint
        if any(f"{path}/".startswith(folder) for folder in self._folders):
            return ""
        kind = "outside" if outside else "vendored" if is_third_party(path) else "untracked" if untracked else ""
        return f"{kind}:{path}" if kind else ""

    def _from_step(self, step: Step, before: str) -> str:
        """Return the untrusted source of a shell step's output; records the files that it writes.

        A written file gets the source of the step that writes it, else that of the steps before it.
        """
        paths = list(_paths(step))
        source = ""
        if step.kind == "fetch":
            source = self._fetched(step)
        elif step.kind == "install" or step.program in _CLONES:
            source = f"shell:{' '.join((step.program, *step.args[:2]))}"
        elif step.kind in ("read", "search", "list") or step.program in ("cp", "mv"):
            source = next(filter(None, map(self._from_shell_path, paths)), "")
        elif step.program == "git log":
            source = "history: git log"
        for path in _written(step, paths):
            self._wrote(self._inside(path) or path, source or before)
        return source

    def _fetched(self, step: Step) -> str:
        if step.program.startswith(_HOSTED):
            is_trusted = ISSUES in self._trusted or _without_prose(step)
            return "" if is_trusted else f"issue text: {' '.join((step.program, *step.args[:2]))}"
        if step.program == "git clone" and not _ADDRESS.search(step.url):
            return self._from_shell_path(step.url)
        if _HOST.search(step.url):
            return self._from_host(f"shell:{step.program}", step.url)
        return f"shell:{step.program} {step.url}".rstrip()

    def _from_shell_path(self, path: str) -> str:
        inside = self._inside(path)
        return self._from_file(inside or path, outside=not inside)

    def _inside(self, path: str) -> str:
        """Return the path relative to the project, or an empty string if it is outside."""
        normalised = posixpath.normpath(path)
        if self._root and normalised.startswith(self._root + "/"):
            return normalised[len(self._root) + 1 :]
        is_outside = normalised.startswith(("../", "~")) or (
            normalised.startswith("/") and (self._root or normalised.startswith(_FAR))
        )
        return "" if is_outside else normalised

    def _follow(self, action: Action) -> None:
        """Track an edit: the lines and the file that this session wrote, with a check for untrusted text in them."""
        lines = [line for line in action.added if not _DIGEST.fullmatch(line)]
        added = "\n".join(lines)
        near = "" if added else self.near(action.step)

        def judge(moment: int) -> str:
            return near or self._foreign.quotes(added, moment) or self._foreign.names(added, moment)

        number = self._take_in(self._sayings.saw, "\n".join((*action.added, *action.removed)), judge)
        for line in lines[: LINES_MAX - len(self._lines)]:
            self._lines.setdefault(line.strip(), number)
        if action.kind is ToolKind.WRITE:
            self._wrote(action.path, "")
        if len(self._files) < FILES_MAX:
            self._files.setdefault(action.path, Made(None, [])).changes.append(number)

    def _take_in(self, take: Callable[[str, Judge | None], int], text: str, judge: Judge) -> int:
        """Add a text; it needs no taint check while no untrusted text has arrived."""
        return take(text, judge if self._foreign.came_before(len(self._sayings)) else None)

    def _wrote(self, path: str, taint: str) -> None:
        if len(self._files) < FILES_MAX:
            self._files[path] = Made(taint, [])

    def _made(self, path: str) -> str | None:
        """Return the taint source of a file that this session wrote; None if it wrote no such file.

        None as well if the file was only edited, and only with clean text.
        """
        written = self._files.get(path)
        return (
            (next(filter(None, map(self.heard, reversed(written.changes))), "") or written.taint) if written else None
        )

    def _is_own(self, line: str) -> bool:
        """Whether a printed line was written by this session itself, in a clean text."""
        number = self._lines.get(line.strip())
        return number is not None and not self.heard(number)

    def _know(self, action: Action) -> None:
        """Record a clean tool result.

        The output of a program is only partly trusted: imperatives, external links and unknown names in it count as
        the program's, except for lines that the session wrote itself.
        """
        self._sayings.said("\n".join((action.path, action.command, action.pattern, action.url)))
        if action.kind is ToolKind.SHELL and any(step.kind in _PRINTS for step in understand(action.command)):
            leads = bool(_LEADS.search(action.text)) or bool(find_imperative(action.text))
            lines = action.text.splitlines() if leads else ()
            orders = [
                line for line in lines if (_LEADS.search(line) or find_imperative(line)) and not self._is_own(line)
            ]
            source = f"output: {action.command}"[:SOURCE_CHARS_MAX]
            self._foreign.remember("\n".join(orders), source)
            self._foreign.remember_names(action.text, source)
        else:
            self._sayings.saw(action.text)


_DIGEST = re.compile(r"[0-9a-f]{8}")
"""An edited line as the journal stores it: a digest, not text."""
_PRINTS = frozenset(("test", "check", "run", "other"))
_FAR = ("/tmp/", "/var/", "/private/", "/usr/", "/etc/", "/opt/")  # noqa: S108  (names, nothing is opened)


def _instructing(action: Action) -> str:
    reason = find_injection(host_reminders.without(action.text)) if action.text else ""
    return f"instructing text ({reason}): {action.command or action.path or action.tool}" if reason else ""


def _server(tool: str) -> str:
    parts = tool.split("__")
    return parts[1] if len(parts) > 2 else tool


def _without_prose(step: Step) -> bool:
    """Whether a command of a code host's client only posts something, or returns fields without prose."""
    if step.program.startswith("gh api"):
        return "graphql" not in step.args and any(map(_FIELD.match, step.args))
    fields = next((step.args[at + 1] for at, word in enumerate(step.args[:-1]) if word == "--json"), "")
    if fields:
        return not _PROSE & set(fields.lower().split(","))
    return bool(_NO_PROSE & {*step.program.split()[1:], *step.args[:6]})


def _paths(step: Step) -> Iterator[str]:
    return (_from_where(step, path) for path in step.paths)


def _from_where(step: Step, path: str) -> str:
    """Return a step's path relative to the project: a step names paths relative to its working directory."""
    return path if path.startswith(("/", "~")) or not step.directory else f"{step.directory}/{path}"


def _written(step: Step, paths: list[str]) -> list[str]:
    """Return the files and folders that a step writes: by redirecting, copying, downloading, cloning or mkdir."""
    return paths if step.kind == "edit" else [_from_where(step, name) for name in _made_by(step) if name]


def _made_by(step: Step) -> list[str]:
    operands = [word for word in step.args if not word.startswith("-")]
    if step.program in ("mkdir", "git init"):
        return operands
    if step.program in _CLONES:
        return _cloned(step, step.url or next(iter(operands), ""))
    if step.kind == "fetch":
        named = [step.args[at + 1] for at, word in enumerate(step.args[:-1]) if _SAVES.fullmatch(word)]
        return [*named, posixpath.basename(step.url)]
    return []


def _cloned(step: Step, address: str) -> list[str]:
    """Return the possible folders of a git clone: the one given after the address, else the repository's name.

    A word that follows an option may be that option's value; then both are returned.
    """
    tail = step.args[step.args.index(address) :] if address in step.args else ()
    words_after = [(before, word) for before, word in pairwise(tail) if not word.startswith("-")]
    repository_name = posixpath.basename(address.rstrip("/")).removesuffix(".git")
    is_sure = any(not before.startswith("-") for before, _ in words_after)
    return [word for _, word in words_after] + ([] if is_sure else [repository_name])
