"""What a session took in from outside, and which of its later words may come from there.

Foreign is what web tools, commands that fetch or install, MCP servers, issues and pull requests, and files that lie
outside the project, are not tracked, or are vendored have answered. So is any answer that tries to instruct an agent.

Counts, order and names of files are ours and stay clean. Prose can carry foreign words in, so a prompt, a thought, a
statement or a record of the agent is tainted where it

- quotes a foreign text: two runs of five words, or all of a shorter one; whenever it is said;
- names something that neither the session nor the project knows from elsewhere: a host, a package, an identifier;
- has a sentence that is made of the words of a foreign one;
- is the agent's own and said within `NEAR_STEPS` tool calls after a foreign text: a paraphrase shares no words.

A prompt is the user's own word unless it quotes. What is tainted is foreign itself from then on, so what restates it
is tainted too, and so is a file that it was written into.
"""

from __future__ import annotations

import posixpath
import re
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from holloway.domain.event import ToolKind
from holloway.observer import host_reminders
from holloway.observer.foreign_texts import Foreign
from holloway.observer.statements import WEAK, Judge
from holloway.safety.prompt_injection import imperative, instructs
from holloway.text.commands import understand
from holloway.text.file_roles import is_third_party
from holloway.text.urls import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holloway.observer.scratchpad import Action
    from holloway.text.commands import Step

NEAR_STEPS = 1
"""Tool calls after a foreign text within which the agent's words are taken to speak of it.

Of the prose in 192 real sessions 6.2 % is tainted with 0 here, 7.0 % with 1, 7.9 % with 2; everything after the first
foreign text would be more than half of it.
"""
FILES_MAX = 10_000
LINES_MAX = 100_000
SOURCE_CHARS_MAX = 120
ISSUES = "issues"
"""Trusted by this name where only the team itself writes issues and reviews."""
HOSTS_TOOLS = frozenset({"ide", "holloway"})
"""MCP servers that are the editor and ourselves."""

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
    """A file that this session made or changed: what it was made of, if it was, and by which texts it was changed."""

    taint: str | None
    changes: list[int]


class Taint:
    """The foreign texts of one session so far. Feed it the session in order.

    `trusted` names MCP servers, hosts and folders that the user trusts; `root` is the project's folder, by which a
    shell's absolute paths are told apart; `known` says whether a name is the project's or a word of the language.
    Without it only names of odd form are noticed, and strange names in what programs print are not.
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
        """Lines that this session wrote into files, each with the first text that has it."""

    def observe(self, action: Action) -> str:
        """Take in what a tool did and answered; its source where that is foreign, else nothing."""
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
        """Take in words of the agent or the user, said after a step; a number to ask by what taints them."""
        judge = partial(self._judge, text, step, by_user=by_user)
        return self._take_in(self._sayings.said, text, judge)

    def heard(self, number: int) -> str:
        """The foreign source that taints words that were taken in, if any."""
        return self._sayings.source(number)

    def said(self, text: str, step: int, *, by_user: bool = False) -> str:
        """Take in words, and the foreign source that taints them, if any."""
        return self.heard(self.hear(text, step, by_user=by_user))

    def of(self, text: str, step: int) -> str:
        """The foreign source that taints words said after a step, if any; nothing is taken in."""
        return self._judge(text, step, len(self._sayings), by_user=False)

    def _judge(self, text: str, step: int, moment: int, *, by_user: bool) -> str:
        if quoted := self._foreign.quotes(text, moment):
            return quoted
        if by_user:
            return ""
        return self._foreign.names(text, moment) or self._foreign.resembles(text, moment) or self.near(step)

    def strongly(self, text: str) -> str:
        """The foreign source that a text quotes or names something from, where that is more than a program's output.

        What sounds like an order in the output of the project's own programs is mostly a linter's advice.
        """
        found = (self.quotes(text), self.names(text))
        return next((source for source in found if source and not source.startswith(WEAK)), "")

    def names(self, text: str) -> str:
        """The source of something that a text names and that is known from nowhere else, if any."""
        return self._foreign.names(text, len(self._sayings))

    def quotes(self, text: str) -> str:
        """The foreign source that a text quotes, if any."""
        return self._foreign.quotes(text, len(self._sayings))

    def near(self, step: int) -> str:
        """The foreign source that was read within a few steps before this one, if any."""
        found = self.after(step)
        return found if found and step - self._latest(step)[0] <= NEAR_STEPS else ""

    def after(self, step: int) -> str:
        """The last foreign source that came in before the words of a step, if any."""
        return self._latest(step)[1]

    def _latest(self, step: int) -> tuple[int, str]:
        return next((each for each in reversed(self._arrivals) if each[0] <= step), (0, ""))

    def _source(self, action: Action) -> tuple[str, bool]:
        """Where an answer comes from, and whether it only lists names."""
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
            found = self._from_file(action.path, outside=action.outside, untracked=bool(action.untracked))
            return (found, action.kind is ToolKind.LIST) if found else (_instructing(action), False)
        return "", False

    def _from_shell(self, action: Action) -> tuple[str, bool]:
        found, listed = "", False
        for step in understand(action.command):
            source = self._from_step(step, found)
            if source and (not found or listed or found.startswith(WEAK)):
                found, listed = source, step.kind == "list"
        if not found or listed or found.startswith(WEAK):
            path = self._from_file(action.path, outside=action.outside, untracked=bool(action.untracked))
            if strong := path or _instructing(action):
                return strong, False
        return found, listed

    def _from_host(self, what: str, url: str) -> str:
        host = host_of(url if "//" in url else f"//{url}")
        if host in self._trusted or host in ("localhost", "127.0.0.1", "::1", "0.0.0.0"):  # noqa: S104  (a name here)
            return ""
        return f"{what}:{host or 'search'}"

    def _from_file(self, path: str, *, outside: bool = False, untracked: bool = False) -> str:
        parts = path.split("/")
        above = ("/".join(parts[:size]) for size in range(len(parts), 0, -1))
        known = next((made for made in map(self._made, above) if made is not None), None)
        if known is not None:
            return known
        if any(f"{path}/".startswith(folder) for folder in self._folders):
            return ""
        kind = "outside" if outside else "vendored" if is_third_party(path) else "untracked" if untracked else ""
        return f"{kind}:{path}" if kind else ""

    def _from_step(self, step: Step, before: str) -> str:
        """Where what a step shows comes from; what it writes down is kept in mind, after what came before it."""
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
            own = ISSUES in self._trusted or _without_prose(step)
            return "" if own else f"issue text: {' '.join((step.program, *step.args[:2]))}"
        if step.program == "git clone" and not _ADDRESS.search(step.url):
            return self._from_shell_path(step.url)
        if _HOST.search(step.url):
            return self._from_host(f"shell:{step.program}", step.url)
        return f"shell:{step.program} {step.url}".rstrip()

    def _from_shell_path(self, path: str) -> str:
        inside = self._inside(path)
        return self._from_file(inside or path, outside=not inside)

    def _inside(self, path: str) -> str:
        """The path within the project, or nothing where it lies elsewhere."""
        whole = posixpath.normpath(path)
        if self._root and whole.startswith(self._root + "/"):
            return whole[len(self._root) + 1 :]
        away = whole.startswith(("../", "~")) or (whole.startswith("/") and (self._root or whole.startswith(_FAR)))
        return "" if away else whole

    def _follow(self, action: Action) -> None:
        """Keep in mind what this session wrote itself, and what of it may hold foreign text."""
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
        """Take in a text, which needs no judge while nothing foreign has come in."""
        return take(text, judge if self._foreign.came_before(len(self._sayings)) else None)

    def _wrote(self, path: str, taint: str) -> None:
        if len(self._files) < FILES_MAX:
            self._files[path] = Made(taint, [])

    def _made(self, path: str) -> str | None:
        """What taints a file of this session's making; nothing is known of one that was only edited with own words."""
        made = self._files.get(path)
        return (next(filter(None, map(self.heard, reversed(made.changes))), "") or made.taint) if made else None

    def _is_own(self, line: str) -> bool:
        """Whether a printed line is one that the session had written itself, and nothing foreign was in it then."""
        number = self._lines.get(line.strip())
        return number is not None and not self.heard(number)

    def _know(self, action: Action) -> None:
        """What a clean tool showed is known. What a program printed is not all the project's: orders and strange names
        in it are kept in mind as the program's, but for lines that the session had written itself."""
        self._sayings.said("\n".join((action.path, action.command, action.pattern, action.url)))
        if action.kind is ToolKind.SHELL and any(step.kind in _PRINTS for step in understand(action.command)):
            leads = bool(_LEADS.search(action.text)) or bool(imperative(action.text))
            lines = action.text.splitlines() if leads else ()
            orders = [line for line in lines if (_LEADS.search(line) or imperative(line)) and not self._is_own(line)]
            source = f"output: {action.command}"[:SOURCE_CHARS_MAX]
            self._foreign.remember("\n".join(orders), source)
            self._foreign.remember_names(action.text, source)
        else:
            self._sayings.saw(action.text)


_DIGEST = re.compile(r"[0-9a-f]{8}")
"""A line of an edit as a journal keeps it: nothing can be read off it."""
_PRINTS = frozenset(("test", "check", "run", "other"))
_FAR = ("/tmp/", "/var/", "/private/", "/usr/", "/etc/", "/opt/")  # noqa: S108  (names, nothing is opened)


def _instructing(action: Action) -> str:
    reason = instructs(host_reminders.without(action.text)) if action.text else ""
    return f"instructing text ({reason}): {action.command or action.path or action.tool}" if reason else ""


def _server(tool: str) -> str:
    parts = tool.split("__")
    return parts[1] if len(parts) > 2 else tool


def _without_prose(step: Step) -> bool:
    """Whether a command of a code host's client only says something there, or answers with facts."""
    if step.program.startswith("gh api"):
        return "graphql" not in step.args and any(map(_FIELD.match, step.args))
    fields = next((step.args[at + 1] for at, word in enumerate(step.args[:-1]) if word == "--json"), "")
    if fields:
        return not _PROSE & set(fields.lower().split(","))
    return bool(_NO_PROSE & {*step.program.split()[1:], *step.args[:6]})


def _paths(step: Step) -> Iterator[str]:
    return (_from_where(step, path) for path in step.paths)


def _from_where(step: Step, path: str) -> str:
    """A path as it is named from the project: a step names it from the folder that it stands in."""
    return path if path.startswith(("/", "~")) or not step.directory else f"{step.directory}/{path}"


def _written(step: Step, paths: list[str]) -> list[str]:
    """The files and folders that a step makes: by redirection, copying, downloading, cloning, or empty."""
    return paths if step.kind == "edit" else [_from_where(step, name) for name in _made_by(step) if name]


def _made_by(step: Step) -> list[str]:
    plain = [word for word in step.args if not word.startswith("-")]
    if step.program in ("mkdir", "git init"):
        return plain
    if step.program in _CLONES:
        return _cloned(step, step.url or next(iter(plain), ""))
    if step.kind == "fetch":
        named = [step.args[at + 1] for at, word in enumerate(step.args[:-1]) if _SAVES.fullmatch(word)]
        return [*named, posixpath.basename(step.url)]
    return []


def _cloned(step: Step, address: str) -> list[str]:
    """Where a clone lies: in the folder that is named after its address, or else in one of its own name.

    A word that follows an option may be that option's value; then it may be either.
    """
    after = step.args[step.args.index(address) :] if address in step.args else ()
    named = [(before, word) for before, word in pairwise(after) if not word.startswith("-")]
    own = posixpath.basename(address.rstrip("/")).removesuffix(".git")
    is_sure = any(not before.startswith("-") for before, _ in named)
    return [word for _, word in named] + ([] if is_sure else [own])
