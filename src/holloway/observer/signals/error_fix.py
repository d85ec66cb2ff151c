"""What made an error go away: an edit, a variable, a flag, another command, in words from the evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from holloway.observer.signals.command_runs import REMOVES, Run, aspect, changed_files, counterpart, file_of
from holloway.safety import secrets
from holloway.text import command_compare, commands, edit_lines, failures
from holloway.text.programs import CHECK, EDIT, GIT, INSTALL, LIST, READ, RUN, SEARCH

if TYPE_CHECKING:
    from holloway.observer.scratchpad import Action
    from holloway.text.commands import Step

NEXT_CALLS = 2
"""How many calls may lie between for a success to be the next thing tried."""
FILES_MAX = 3
LINE_CHARS_MAX = 80
VALUE_CHARS_MAX = 60
RULE_WEIGHT = 3
"""How many common words a linter's rule is worth that is named in the error and in the change."""
PHRASE_CHARS_MAX = 200
WITH_OWN_TOOL = "with the agent's own tool"
CONFLICT = "CONFLICT "
"""By which git begins to tell of a merge that it cannot make."""
DIGEST = re.compile(r"[0-9a-f]{6,64}")
"""A changed line where only its digest is kept."""


@dataclass(slots=True)
class Story:
    """A failure from its first appearance to its end."""

    actions: Sequence[Action]
    runs: list[Run | None]
    first: Run
    last: Run
    fixed: Run | None = None
    retries: int = 0

    @property
    def lints(self) -> bool:
        """Whether it is what a linter found."""
        step = self.first.step
        return step is not None and aspect(step) == "lint" and self.first.stage == 2


def edited(between: Sequence[Action]) -> list[str]:
    """The files that were changed, by a tool or in a shell, the latest last."""
    found: dict[str, None] = {}
    for action in between:
        for path in changed_files(action):
            found.pop(path, None)
            found[path] = None
    return list(found)


_CHANGES_GIT = frozenset(
    "git pull|git fetch|git rebase|git merge|git checkout|git switch|git submodule|git rm".split("|")
)
_MISSING = re.compile(
    r"[Mm]odule|[Pp]ackage|not found|No such file|[Cc]annot find|could not import|not installed|node_modules|go\.sum"
)


class Fix(NamedTuple):
    """What made an error go away."""

    kind: str
    """edit, command, env, flag, directory, install or other."""
    words: str
    """What to do: "set REDIS_URL", "run `npm install` first"."""
    files: tuple[str, ...] = ()
    shared: int = 0
    """How many words of the error the changed line has."""


def fix_of(story: Story, fixed: Run, error: str) -> Fix:
    """What was done between a failure's last return and the run after which it was gone."""
    between = story.actions[story.last.at + 1 : fixed.at]
    changed = edited(between) or edited(story.actions[story.first.at + 1 : fixed.at])
    if changed and story.first.stage != 0 and not _installs(story, between, fixed):
        files = _related(changed, error)
        change, shared = _change(between, files, error)
        return Fix("edit", f"edit {', '.join(files)}{change}", files, shared)
    return _without_edit(story, fixed, between)


def _installs(story: Story, between: Sequence[Action], fixed: Run) -> bool:
    prepared = _prepared(between, story.first, fixed)
    return any(step.kind == INSTALL for step in prepared) and bool(_MISSING.search(story.first.error))


def _without_edit(story: Story, fixed: Run, between: Sequence[Action]) -> Fix:
    prepared = _prepared(between, story.first, fixed)
    installs = [step for step in prepared if step.kind == INSTALL]
    changed = _difference(story.last, fixed)
    if CONFLICT in story.first.action.text:
        return Fix("command", "resolve the conflicts and commit")
    if changed and (story.first.stage == 0 or not prepared) and _plausible(changed, story.last, len(between)):
        return Fix(*changed)
    if prepared:
        return Fix("install" if installs else "command", _first((installs or prepared)[-1]))
    return _other(story.last, fixed)


def _plausible(changed: tuple[str, str], failure: Run, calls_between: int) -> bool:
    """Another flag explains a success where the error was about flags, or where it was the next thing tried."""
    step = failure.step
    looks = step is None or step.kind in (GIT, READ, SEARCH, LIST)
    return changed[0] != "flag" or failure.stage == 0 or (calls_between <= NEXT_CALLS and not looks)


def _change(between: Sequence[Action], files: tuple[str, ...], error: str) -> tuple[str, int]:
    """The small change of a line in these files that has most words of the error, and how many it has."""
    wanted = _words(failures.normalised(error))
    best, most = "", 0
    for action in between:
        if action.path in files and (pair := _line_change(action, wanted)):
            shared = _shared(" ".join(pair), wanted)
            best, most = (_said(*pair), shared) if shared >= most else (best, most)
    return best, most


def _shared(said: str, wanted: set[str]) -> int:
    """How many words a change has in common with the error; a rule that is silenced must be the one of the error."""
    silenced = {rule for found in _SILENCES.findall(said) for part in found for rule in _RULE.findall(part)}
    if silenced:
        return RULE_WEIGHT * len(silenced & wanted) or -1
    return len(wanted & _words(said))


_SILENCES = re.compile(
    r"nolint:([\w,]+)|noqa: ?([\w, ]+)|eslint-disable(?:-next-line|-line)? ([\w/@, -]+)|ignore\[([\w, -]+)\]"
    r"|allow\(([\w:, ]+)\)|SuppressWarnings\(\"([\w-]+)"
)
_RULE = re.compile(r"[A-Za-z][\w-]+")


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text)) - _COMMON


def _line_change(action: Action, wanted: set[str]) -> tuple[str, str] | None:
    """The line that an edit took away and the one that it put in, of several those that have most to do with it."""
    new = [_line(line) for line in action.added if line not in action.removed and _line(line)]
    old = [_line(line) for line in action.removed if line not in action.added and _line(line)]
    if len(new) > FILES_MAX or len(old) > FILES_MAX or not (new or old):
        return None
    before = max(old, key=lambda line: len(_words(line) & wanted), default="")
    after = max(new, key=lambda line: len(_words(line) & (wanted | _words(before))), default="")
    return before, after


def _said(before: str, after: str) -> str:
    # A secret is known by what stands around it, so it goes before a line is cut.
    before, after = secrets.redact(before)[0], secrets.redact(after)[0]
    if before == after:
        return ""
    if before and after:
        before, after = edit_lines.differing(before, after, LINE_CHARS_MAX)
        return f": `{before[:LINE_CHARS_MAX]}` becomes `{after[:LINE_CHARS_MAX]}`"
    return f": add `{after[:LINE_CHARS_MAX]}`" if after else f": remove `{before[:LINE_CHARS_MAX]}`"


def _line(line: str) -> str:
    """A line of code as it may be quoted; nothing for a bare bracket, a digest, or a comment that silences no rule."""
    flat = " ".join(line.replace("`", "'").split())
    if DIGEST.fullmatch(flat) or (_COMMENT.match(flat) and not _SILENCES.search(flat)):
        return ""
    return flat if _WORD.search(flat) else ""


_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]{2,}")
_COMMENT = re.compile(r"//|/\*|\*[ /]|# |-- ")
_COMMON = frozenset("error err nil return returns not the from func should for and with but this that line use".split())


def _difference(failure: Run, fixed: Run) -> tuple[str, str] | None:
    """What the passing command had that the failing one had not, the most telling first."""
    before, after = failure.step, counterpart(failure, fixed)
    if before is None or after is None:
        return None
    said: dict[str, list[str]] = {}
    for one in command_compare.differing(before, after):
        said.setdefault(one.split(" ", 1)[0], []).append(one.split(" ", 1)[1])
    if "env" in said:
        return "env", f"set {', '.join(_setting(name, fixed.command) for name in said['env'][:FILES_MAX])}"
    if "program" in said:
        return "command", f"use `{_short(after.program)}` instead of `{_short(before.program)}`"
    if "directory" in said:
        into = f"run it in {_short(after.directory)}"
        return "directory", into if after.directory else f"leave `cd {_short(before.directory)}` out"
    dropped = said.get("without", [])
    named = [flag for flag in dropped if flag.split("=", 1)[0] in failure.error]
    return _flags(before, said.get("flag", []), named or dropped)


def _setting(name: str, command: str) -> str:
    """A variable with the value that helped; without one that is a secret or a place on one machine."""
    given = re.search(
        rf"(?<![\w$]){re.escape(name)}=(['\"]?)([\w:.,+/-]{{1,{VALUE_CHARS_MAX}}})\1(?![^\s;&|)])", command
    )
    if given is None or _ON_ONE_MACHINE.match(given[2]) or _SECRET_NAME.search(name):
        return name
    setting = f"{name}={given[2]}"
    return name if secrets.scan(setting) else setting


_ON_ONE_MACHINE = re.compile(r"/|[A-Za-z]:/")
_SECRET_NAME = re.compile(
    r"KEY|TOKEN|SECRET|PASS|PWD|CRED|AUTH|SESSION|COOKIE|BEARER|PRIVATE|SIGN|(?:^|_)(?:PAT|PIN|PW|DSN)(?:_|$)",
    re.IGNORECASE,
)


def _flags(before: Step, added: list[str], dropped: list[str]) -> tuple[str, str] | None:
    add = ", ".join(f"`{_short(flag)}`" for flag in added[:FILES_MAX] if flag not in _ENDINGS)
    drop = ", ".join(f"`{_short(flag)}`" for flag in dropped[:FILES_MAX])
    program = f"`{_short(before.program)}`"
    if add and drop:
        return "flag", f"use {add} instead of {drop} with {program}"
    if add or drop:
        return "flag", f"add {add} to {program}" if add else f"leave {drop} out of {program}"
    return None


_ENDINGS = frozenset(("--continue", "--skip", "--abort"))


def _prepared(between: Sequence[Action], first: Run, fixed: Run) -> list[Step]:
    """The steps before the success that change something and are not the failing command itself."""
    own = {step.program for step in first.steps}
    done = [
        step
        for action in between
        if action.kind == "shell" and action.ok
        for step in commands.understand(action.command)
    ]
    chief = fixed.step
    done += [step for step in fixed.steps if step is not chief]
    return [step for step in done if step.program not in own and _changes(step)]


def _changes(step: Step) -> bool:
    if step.kind == INSTALL:
        return True
    if step.kind == GIT:
        return step.program in _CHANGES_GIT
    if step.kind == EDIT:
        return step.program in REMOVES
    return (
        step.kind == RUN
        or (step.kind == CHECK and aspect(step) == "build")
        or step.program in ("mkdir", "chmod", "kill")
    )


def _related(edited: list[str], error: str) -> tuple[str, ...]:
    """The edited file that the error names; else the ones that were edited last before the success."""
    named = file_of(error).rsplit("/", 1)[-1]
    own = [path for path in edited if path.rsplit("/", 1)[-1] == named]
    return tuple((own or edited[::-1])[:FILES_MAX])


def _other(failure: Run, fixed: Run) -> Fix:
    if fixed.action.kind != "shell":
        return Fix("command", f"open {fixed.action.path} {WITH_OWN_TOOL}", (fixed.action.path,))
    if failure.command.split() == fixed.command.split():
        return Fix("other", "run it again")
    return Fix("other", f"use `{_short(fixed.command)}`")


def _first(step: Step) -> str:
    words = " ".join([step.program, *step.args])
    return f"run `{_short(words)}` first"


def _short(text: str) -> str:
    flat = " ".join(secrets.redact(text)[0].replace("`", "'").split())
    return flat if len(flat) <= PHRASE_CHARS_MAX // 2 else flat[: PHRASE_CHARS_MAX // 2 - 1] + "…"
