"""Error fixes: derives the action that fixed an error (edit, variable, flag, another command) from the session."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from holloway.observer.signals.command_runs import (
    REMOVING_PROGRAMS,
    CommandRun,
    classify_aspect,
    extract_file,
    find_counterpart,
    list_changed_files,
)
from holloway.safety import secrets
from holloway.text import command_compare, commands, edit_lines, failures
from holloway.text.programs import CHECK, GIT, INSTALL, RUN
from holloway.text.tools import EDIT, LIST, READ, SEARCH

if TYPE_CHECKING:
    from holloway.observer.scratchpad import Action
    from holloway.text.commands import Step

NEXT_CALLS = 2
"""Maximum number of calls between failure and success for the success to be the next attempt."""
FIX_FILES_MAX = 3
FIX_LINE_CHARS_MAX = 80
VALUE_CHARS_MAX = 60
RULE_WEIGHT = 3
"""Weight, in common words, of a linter rule that both the error and the change name."""
PHRASE_CHARS_MAX = 200
WITH_OWN_TOOL = "with the agent's own tool"
CONFLICT = "CONFLICT "
"""Prefix of git's report of a merge conflict."""
DIGEST = re.compile(r"[0-9a-f]{6,64}")
"""A changed line of which only the digest was stored."""


@dataclass(slots=True)
class FailureHistory:
    """A failure from its first occurrence to its fix."""

    actions: Sequence[Action]
    runs: list[CommandRun | None]
    first: CommandRun
    last: CommandRun
    fixed: CommandRun | None = None
    retries: int = 0

    @property
    def is_lint_finding(self) -> bool:
        """Whether the failure is a linter's finding."""
        step = self.first.main_step
        return step is not None and classify_aspect(step) == "lint" and self.first.failure_stage == 2


def list_edited_files(between: Sequence[Action]) -> list[str]:
    """Return the files that these actions changed, by a tool or in a shell, the latest last."""
    paths: dict[str, None] = {}
    for action in between:
        for path in list_changed_files(action):
            paths.pop(path, None)
            paths[path] = None
    return list(paths)


_CHANGES_GIT = frozenset(
    "git pull|git fetch|git rebase|git merge|git checkout|git switch|git submodule|git rm".split("|")
)
_MISSING = re.compile(
    r"[Mm]odule|[Pp]ackage|not found|No such file|[Cc]annot find|could not import|not installed|node_modules|go\.sum"
)


class Fix(NamedTuple):
    """The action that fixed an error."""

    kind: str
    """edit, command, env, flag, directory, install or other."""
    words: str
    """The instruction: "set REDIS_URL", "run `npm install` first"."""
    files: tuple[str, ...] = ()
    shared: int = 0
    """Number of words that the changed line shares with the error."""


def derive_fix(history: FailureHistory, fixed: CommandRun, error: str) -> Fix:
    """Derive the fix from the actions between the last occurrence of a failure and the run that resolved it."""
    between = history.actions[history.last.index + 1 : fixed.index]
    changed = list_edited_files(between) or list_edited_files(history.actions[history.first.index + 1 : fixed.index])
    if changed and history.first.failure_stage != 0 and not _is_install_fix(history, between, fixed):
        files = _pick_related_files(changed, error)
        change, shared = _pick_best_change(between, files, error)
        return Fix("edit", f"edit {', '.join(files)}{change}", files, shared)
    return _derive_command_fix(history, fixed, between)


def _is_install_fix(history: FailureHistory, between: Sequence[Action], fixed: CommandRun) -> bool:
    prepared = _list_preparing_steps(between, history.first, fixed)
    return any(step.kind == INSTALL for step in prepared) and bool(_MISSING.search(history.first.main_error))


def _derive_command_fix(history: FailureHistory, fixed: CommandRun, between: Sequence[Action]) -> Fix:
    prepared = _list_preparing_steps(between, history.first, fixed)
    installs = [step for step in prepared if step.kind == INSTALL]
    changed = _compare_commands(history.last, fixed)
    if CONFLICT in history.first.action.text:
        return Fix("command", "resolve the conflicts and commit")
    if (
        changed
        and (history.first.failure_stage == 0 or not prepared)
        and _is_plausible(changed, history.last, len(between))
    ):
        return Fix(*changed)
    if prepared:
        return Fix("install" if installs else "command", _render_run_first((installs or prepared)[-1]))
    return _derive_fallback(history.last, fixed)


def _is_plausible(changed: tuple[str, str], failure: CommandRun, calls_between: int) -> bool:
    """Whether a changed flag explains the success: the error was about usage, or it was the next attempt."""
    step = failure.main_step
    looks = step is None or step.kind in (GIT, READ, SEARCH, LIST)
    return changed[0] != "flag" or failure.failure_stage == 0 or (calls_between <= NEXT_CALLS and not looks)


def _pick_best_change(between: Sequence[Action], files: tuple[str, ...], error: str) -> tuple[str, int]:
    """Return the small line change in these files that shares most words with the error, and their number."""
    wanted = _extract_words(failures.normalise_error(error))
    best_change, best_score = "", 0
    for action in between:
        if action.path in files and (pair := _pick_changed_lines(action, wanted)):
            shared = _count_shared_words(" ".join(pair), wanted)
            best_change, best_score = (
                (_render_change(*pair), shared) if shared >= best_score else (best_change, best_score)
            )
    return best_change, best_score


def _count_shared_words(change: str, wanted: set[str]) -> int:
    """Count the words that a change shares with the error; -1 if it silences a linter rule that is not the error's."""
    silenced = {rule for groups in _SILENCES.findall(change) for part in groups for rule in _RULE.findall(part)}
    if silenced:
        return RULE_WEIGHT * len(silenced & wanted) or -1
    return len(wanted & _extract_words(change))


_SILENCES = re.compile(
    r"nolint:([\w,]+)|noqa: ?([\w, ]+)|eslint-disable(?:-next-line|-line)? ([\w/@, -]+)|ignore\[([\w, -]+)\]"
    r"|allow\(([\w:, ]+)\)|SuppressWarnings\(\"([\w-]+)"
)
_RULE = re.compile(r"[A-Za-z][\w-]+")


def _extract_words(text: str) -> set[str]:
    return set(_WORD.findall(text)) - _COMMON


def _pick_changed_lines(action: Action, wanted: set[str]) -> tuple[str, str] | None:
    """Return the removed and the added line of a small edit that share most words with the error, or None."""
    new = [_quote_line(line) for line in action.added if line not in action.removed and _quote_line(line)]
    old = [_quote_line(line) for line in action.removed if line not in action.added and _quote_line(line)]
    if len(new) > FIX_FILES_MAX or len(old) > FIX_FILES_MAX or not (new or old):
        return None
    before = max(old, key=lambda line: len(_extract_words(line) & wanted), default="")
    after = max(new, key=lambda line: len(_extract_words(line) & (wanted | _extract_words(before))), default="")
    return before, after


def _render_change(before: str, after: str) -> str:
    # Redact before truncating: a secret is recognised by its surrounding text.
    before, after = secrets.redact_secrets(before)[0], secrets.redact_secrets(after)[0]
    if before == after:
        return ""
    if before and after:
        before, after = edit_lines.differing_parts(before, after, FIX_LINE_CHARS_MAX)
        return f": `{before[:FIX_LINE_CHARS_MAX]}` becomes `{after[:FIX_LINE_CHARS_MAX]}`"
    return f": add `{after[:FIX_LINE_CHARS_MAX]}`" if after else f": remove `{before[:FIX_LINE_CHARS_MAX]}`"


def _quote_line(line: str) -> str:
    """Return a code line ready to quote; empty for a bracket, a digest, or a comment that silences no linter rule."""
    flat = " ".join(line.replace("`", "'").split())
    if DIGEST.fullmatch(flat) or (_COMMENT.match(flat) and not _SILENCES.search(flat)):
        return ""
    return flat if _WORD.search(flat) else ""


_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]{2,}")
_COMMENT = re.compile(r"//|/\*|\*[ /]|# |-- ")
_COMMON = frozenset("error err nil return returns not the from func should for and with but this that line use".split())


def _compare_commands(failure: CommandRun, fixed: CommandRun) -> tuple[str, str] | None:
    """Return the kind and text of the most informative difference between failing and passing command, or None."""
    before, after = failure.main_step, find_counterpart(failure, fixed)
    if before is None or after is None:
        return None
    differences: dict[str, list[str]] = {}
    for difference in command_compare.step_differences(before, after):
        differences.setdefault(difference.split(" ", 1)[0], []).append(difference.split(" ", 1)[1])
    if "env" in differences:
        return (
            "env",
            f"set {', '.join(_render_setting(name, fixed.command) for name in differences['env'][:FIX_FILES_MAX])}",
        )
    if "program" in differences:
        return "command", f"use `{_shorten_text(after.program)}` instead of `{_shorten_text(before.program)}`"
    if "directory" in differences:
        into = f"run it in {_shorten_text(after.directory)}"
        return "directory", into if after.directory else f"leave `cd {_shorten_text(before.directory)}` out"
    dropped = differences.get("without", [])
    named = [flag for flag in dropped if flag.split("=", 1)[0] in failure.main_error]
    return _render_flag_change(before, differences.get("flag", []), named or dropped)


def _render_setting(name: str, command: str) -> str:
    """Return a variable with its value, or its name alone if the value is a secret or specific to one machine."""
    assignment = re.search(
        rf"(?<![\w$]){re.escape(name)}=(['\"]?)([\w:.,+/-]{{1,{VALUE_CHARS_MAX}}})\1(?![^\s;&|)])", command
    )
    if assignment is None or _ON_ONE_MACHINE.match(assignment[2]) or _SECRET_NAME.search(name):
        return name
    setting = f"{name}={assignment[2]}"
    return name if secrets.scan_secrets(setting) else setting


_ON_ONE_MACHINE = re.compile(r"/|[A-Za-z]:/")
_SECRET_NAME = re.compile(
    r"KEY|TOKEN|SECRET|PASS|PWD|CRED|AUTH|SESSION|COOKIE|BEARER|PRIVATE|SIGN|(?:^|_)(?:PAT|PIN|PW|DSN)(?:_|$)",
    re.IGNORECASE,
)


def _render_flag_change(before: Step, added: list[str], dropped: list[str]) -> tuple[str, str] | None:
    add = ", ".join(f"`{_shorten_text(flag)}`" for flag in added[:FIX_FILES_MAX] if flag not in _ENDINGS)
    drop = ", ".join(f"`{_shorten_text(flag)}`" for flag in dropped[:FIX_FILES_MAX])
    program = f"`{_shorten_text(before.program)}`"
    if add and drop:
        return "flag", f"use {add} instead of {drop} with {program}"
    if add or drop:
        return "flag", f"add {add} to {program}" if add else f"leave {drop} out of {program}"
    return None


_ENDINGS = frozenset(("--continue", "--skip", "--abort"))


def _list_preparing_steps(between: Sequence[Action], first: CommandRun, fixed: CommandRun) -> list[Step]:
    """Return the steps before the success that change something and do not run the failing program."""
    failing_programs = {step.program for step in first.steps}
    steps = [
        step
        for action in between
        if action.kind == "shell" and action.ok
        for step in commands.parse_command(action.command)
    ]
    chief = fixed.main_step
    steps += [step for step in fixed.steps if step is not chief]
    return [step for step in steps if step.program not in failing_programs and _is_state_change(step)]


def _is_state_change(step: Step) -> bool:
    if step.kind == INSTALL:
        return True
    if step.kind == GIT:
        return step.program in _CHANGES_GIT
    if step.kind == EDIT:
        return step.program in REMOVING_PROGRAMS
    return (
        step.kind == RUN
        or (step.kind == CHECK and classify_aspect(step) == "build")
        or step.program in ("mkdir", "chmod", "kill")
    )


def _pick_related_files(edited_files: list[str], error: str) -> tuple[str, ...]:
    """Return the edited files that the error names, else the files that were edited last before the success."""
    file_name = extract_file(error).rsplit("/", 1)[-1]
    matching_paths = [path for path in edited_files if path.rsplit("/", 1)[-1] == file_name]
    return tuple((matching_paths or edited_files[::-1])[:FIX_FILES_MAX])


def _derive_fallback(failure: CommandRun, fixed: CommandRun) -> Fix:
    if fixed.action.kind != "shell":
        return Fix("command", f"open {fixed.action.path} {WITH_OWN_TOOL}", (fixed.action.path,))
    if failure.command.split() == fixed.command.split():
        return Fix("other", "run it again")
    return Fix("other", f"use `{_shorten_text(fixed.command)}`")


def _render_run_first(step: Step) -> str:
    words = " ".join([step.program, *step.args])
    return f"run `{_shorten_text(words)}` first"


def _shorten_text(text: str) -> str:
    flat = " ".join(secrets.redact_secrets(text)[0].replace("`", "'").split())
    return flat if len(flat) <= PHRASE_CHARS_MAX // 2 else flat[: PHRASE_CHARS_MAX // 2 - 1] + "…"
