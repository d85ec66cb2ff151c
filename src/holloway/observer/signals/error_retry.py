"""error_retry: an error, and what made it go away. The pair proves itself, because the fix was seen to work."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.observer.account import is_test
from holloway.observer.signals.runs import REMOVES, Run, alike, aspect, changed_files, counterpart, file_of, resolution
from holloway.safety import secrets
from holloway.text import commands, comparing, edits, failures
from holloway.text.programs import CHECK, EDIT, GIT, INSTALL, LIST, READ, RUN, SEARCH, TEST

if TYPE_CHECKING:
    from holloway.scratchpad.scratchpad import Action
    from holloway.text.commands import Step

WINDOW_CALLS = 30
"""How many calls after a failure, or after its last return, may pass before it counts as unresolved."""
LOOKBACK_CALLS = 15
"""How far back a test that was just written explains why it fails."""
STUBBORN_RETRIES = 2
"""After so many failed attempts even an edit in the named file was not obvious."""
NEXT_CALLS = 2
"""How many calls may lie between for a success to be the next thing tried."""
FILES_MAX = 3
LINE_CHARS_MAX = 80
VALUE_CHARS_MAX = 60
RULE_WEIGHT = 3
"""How many common words a linter's rule is worth that is named in the error and in the change."""
PHRASE_CHARS_MAX = 200


@dataclass(frozen=True, slots=True)
class Failure:
    """An error that came, perhaps several times; steps count the session's calls."""

    error: str
    fingerprint: str
    command: str
    failed_at: int
    retries: int


@dataclass(frozen=True, slots=True)
class ErrorFixPair:
    """An error and the first thing after which it was gone."""

    error: str
    fingerprint: str
    command: str
    fix_kind: str
    """edit, command, env, flag, directory, install or other."""
    fix: str
    """What to do, in a few words from the evidence: "set REDIS_URL", "run `npm install` first"."""
    files: tuple[str, ...]
    failed_at: int
    resolved_at: int
    retries: int
    telling: bool
    """Whether the fix says more than the error did, so that it helps whoever meets the error again."""


def pairs(actions: Sequence[Action], within: int = WINDOW_CALLS) -> list[ErrorFixPair]:
    """The errors of a session that were seen to go away, in the order in which they came."""
    return [pair for story in _stories(actions, within) if story.fixed for pair in _pairs(story, story.fixed)]


def unresolved(actions: Sequence[Action], within: int = WINDOW_CALLS) -> list[Failure]:
    """The errors that were still there when they were last looked at: never an error pattern, perhaps a dead end."""
    return [
        Failure(story.first.error, story.first.fingerprint, story.first.command, story.first.action.step, story.retries)
        for story in _stories(actions, within)
        if story.fixed is None
    ]


def pair_of(actions: Sequence[Action], at: int, within: int = WINDOW_CALLS) -> ErrorFixPair | None:
    """What became of the failure at this place of the session, within so many calls; None where it is none."""
    runs = _runs(actions)
    failure = runs[at]
    if failure is None or not _is_error(failure):
        return None
    fixed = resolution(actions, runs, failure, within)
    if fixed is None or _deliberate(actions, failure, fixed):
        return None
    return _pair(_Story(actions, runs, failure, failure, fixed), fixed, failure.error)


@dataclass(slots=True)
class _Story:
    """A failure from its first appearance to its end."""

    actions: Sequence[Action]
    runs: list[Run | None]
    first: Run
    last: Run
    fixed: Run | None = None
    retries: int = 0


_MEANT = re.compile(
    r"should (?:fail|error|be rejected)|expected? (?:to fail|failure|error)|must fail|\|\| ?echo", re.IGNORECASE
)


def _stories(actions: Sequence[Action], within: int) -> list[_Story]:
    runs = _runs(actions)
    stories: list[_Story] = []
    told: set[int] = set()
    for at, run in enumerate(runs):
        if run is None or at in told or not _is_error(run):
            continue
        story = _Story(actions, runs, run, run)
        _follow(story, within, told)
        if not _deliberate(actions, run, story.fixed):
            stories.append(story)
    return stories


def _runs(actions: Sequence[Action]) -> list[Run | None]:
    """The runs at their places; None where something else was done."""
    return [
        Run(at, action) if action.kind == "shell" and action.ok is not None else None
        for at, action in enumerate(actions)
    ]


def _is_error(run: Run) -> bool:
    """A failure that says something, and that nobody asked for."""
    return run.failed and bool(run.error) and not _MEANT.search(run.command)


def _follow(story: _Story, within: int, told: set[int]) -> None:
    """Go on to the failure's last return and to the run after which it was gone; its returns are marked as told."""
    while True:
        last = story.last
        story.fixed = resolution(story.actions, story.runs, last, within)
        end = story.fixed.at if story.fixed else last.at + 1 + within
        again = next((run for run in story.runs[last.at + 1 : end] if run and _returns(story.first, run)), None)
        if again is None:
            return
        told.add(again.at)
        story.last = again
        story.retries += 1


def _returns(first: Run, run: Run) -> bool:
    return run.failed and bool(set(first.prints[:1]) & set(run.prints)) and alike(first, run)


def _deliberate(actions: Sequence[Action], failure: Run, fixed: Run | None) -> bool:
    """Whether a test failed as it was meant to: just written, and then met by other files than its own."""
    step = failure.step
    if step is None or step.kind != TEST:
        return False
    written = [action for action in actions[max(0, failure.at - LOOKBACK_CALLS) : failure.at] if _writes_test(action)]
    if not written or not _about_new_test(failure, written):
        return False
    changed = _edited(actions[failure.at + 1 : fixed.at if fixed else failure.at + 1 + WINDOW_CALLS])
    return bool(changed) and not any(map(is_test, changed))


def _writes_test(action: Action) -> bool:
    return action.kind in ("edit", "write") and action.ok is not False and is_test(action.path)


def _about_new_test(failure: Run, written: list[Action]) -> bool:
    """Whether the failing test, or the test file that does not compile, is what was just written."""
    names = {action.path.rsplit("/", 1)[-1] for action in written}
    lines = [line for action in written for line in action.added]
    if failure.stage == 1 or all(map(_DIGEST.fullmatch, lines)):  # where lines are kept as digests, files must do
        return file_of(failure.error).rsplit("/", 1)[-1] in names
    found = _TEST_NAME.search(failure.error)
    return bool(found and any(found[1].split("/")[0] in line for line in lines))


_TEST_NAME = re.compile(r"(?:--- FAIL: |FAILED \S*?::|FAIL: |ERROR: |test )([\w/\[\].-]+)")


def _edited(between: Sequence[Action]) -> list[str]:
    """The files that were changed, by a tool or in a shell, the latest last."""
    found: dict[str, None] = {}
    for action in between:
        for path in changed_files(action):
            found.pop(path, None)
            found[path] = None
    return list(found)


_CONFIG = re.compile(
    r"(?:^|/)(?:\.env[\w.]*|Dockerfile|Makefile|Justfile|go\.mod|\.[\w-]+rc(?:\.\w+)?|[\w.-]*config\.[cm]?[jt]s)$"
    r"|\.(?:toml|ya?ml|ini|cfg|lock|properties|json)$"
)
_CHANGES_GIT = frozenset(
    "git pull|git fetch|git rebase|git merge|git checkout|git switch|git submodule|git rm".split("|")
)
_MISSING = re.compile(
    r"[Mm]odule|[Pp]ackage|not found|No such file|[Cc]annot find|could not import|not installed|node_modules|go\.sum"
)


def _pairs(story: _Story, fixed: Run) -> list[ErrorFixPair]:
    """One pair; of a linter's findings, which are fixed one by one, one for each."""
    step = story.first.step
    errors = story.first.errors or (story.first.error,)
    lints = step is not None and aspect(step) == "lint" and story.first.stage == 2 and not fixed.failed
    found = {
        failures.fingerprint(error): _pair(story, fixed, error) for error in errors[:: 1 if lints else len(errors)]
    }
    return list(found.values())


def _pair(story: _Story, fixed: Run, error: str) -> ErrorFixPair:
    first = story.first
    kind, fix, files, shared = _fix(story, fixed, error)
    return ErrorFixPair(
        error=error,
        fingerprint=failures.fingerprint(error) if first.errors else "",
        command=first.command[:PHRASE_CHARS_MAX],
        fix_kind=kind,
        fix=fix,
        files=files,
        failed_at=first.action.step,
        resolved_at=fixed.action.step,
        retries=story.retries,
        telling=bool(first.errors) and _is_telling(story, error, kind, fix, files, shared),
    )


def _fix(story: _Story, fixed: Run, error: str) -> tuple[str, str, tuple[str, ...], int]:
    """What made it go away: kind, words, files, and how many words of the error the changed line has."""
    between = story.actions[story.last.at + 1 : fixed.at]
    edited = _edited(between) or _edited(story.actions[story.first.at + 1 : fixed.at])
    if edited and story.first.stage != 0 and not _installs(story, between, fixed):
        files = _related(edited, error)
        change, shared = _change(between, files, error)
        return "edit", f"edit {', '.join(files)}{change}", files, shared
    return (*_without_edit(story, fixed, between), 0)


def _installs(story: _Story, between: Sequence[Action], fixed: Run) -> bool:
    prepared = _prepared(between, story.first, fixed)
    return any(step.kind == INSTALL for step in prepared) and bool(_MISSING.search(story.first.error))


def _without_edit(story: _Story, fixed: Run, between: Sequence[Action]) -> tuple[str, str, tuple[str, ...]]:
    prepared = _prepared(between, story.first, fixed)
    installs = [step for step in prepared if step.kind == INSTALL]
    changed = _difference(story.last, fixed)
    if _CONFLICT in story.first.action.text:
        return "command", "resolve the conflicts and commit", ()
    if changed and (story.first.stage == 0 or not prepared) and _plausible(changed, story.last, len(between)):
        return (*changed, ())
    if prepared:
        return "install" if installs else "command", _first((installs or prepared)[-1]), ()
    return _other(story.last, fixed)


_CONFLICT = "CONFLICT "


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
    if before and after:
        before, after = edits.differing(before, after, LINE_CHARS_MAX)
        return f": `{before[:LINE_CHARS_MAX]}` becomes `{after[:LINE_CHARS_MAX]}`"
    return f": add `{after[:LINE_CHARS_MAX]}`" if after else f": remove `{before[:LINE_CHARS_MAX]}`"


def _line(line: str) -> str:
    """A line of code as it may be quoted; nothing for a bare bracket or a digest."""
    flat = " ".join(line.replace("`", "'").split())
    return flat if _WORD.search(flat) and not _DIGEST.fullmatch(flat) else ""


_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]{2,}")
_COMMON = frozenset("error err nil return returns not the from func should for and with but this that line use".split())
_DIGEST = re.compile(r"[0-9a-f]{6,64}")


def _difference(failure: Run, fixed: Run) -> tuple[str, str] | None:
    """What the passing command had that the failing one had not, the most telling first."""
    before, after = failure.step, counterpart(failure, fixed)
    if before is None or after is None:
        return None
    said: dict[str, list[str]] = {}
    for one in comparing.differing(before, after):
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


def _other(failure: Run, fixed: Run) -> tuple[str, str, tuple[str, ...]]:
    if fixed.action.kind != "shell":
        return "command", f"open {fixed.action.path} with the agent's own tool", (fixed.action.path,)
    if failure.command.split() == fixed.command.split():
        return "other", "run it again", ()
    return "other", f"use `{_short(fixed.command)}`", ()


def _first(step: Step) -> str:
    words = " ".join([step.program, *step.args])
    return f"run `{_short(words)}` first"


def _short(text: str) -> str:
    flat = " ".join(text.replace("`", "'").split())
    return flat if len(flat) <= PHRASE_CHARS_MAX // 2 else flat[: PHRASE_CHARS_MAX // 2 - 1] + "…"


_ELSEWHERE = re.compile(r"run it in [/~]|leave `cd |`kill (?:-\w+ )?\d")
"""Where a shell happened to stand, or what number a process had, says nothing to another session."""


def _is_telling(story: _Story, error: str, kind: str, fix: str, files: tuple[str, ...], shared: int) -> bool:
    """Whether the fix is not plain from the error: no edit where it points to, a project's way to please a linter."""
    if kind == "other" or _CONFLICT in story.first.action.text or _ELSEWHERE.search(fix):
        return False
    if kind != "edit" or any(_CONFIG.search(path) for path in files):
        return True
    if not shared:
        return False
    step = story.first.step
    lints = step is not None and aspect(step) == "lint" and story.first.stage == 2
    named = file_of(error).rsplit("/", 1)[-1]
    elsewhere = bool(named) and named not in {path.rsplit("/", 1)[-1] for path in files}
    return lints or (elsewhere and story.first.stage == 1) or story.retries >= STUBBORN_RETRIES
