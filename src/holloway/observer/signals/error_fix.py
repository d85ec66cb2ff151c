"""Error fixes: the one difference between a failing run and the run that passes, which is what solved the error.

All differences are listed: variables, options, folder, runner, commands before it, edits. The only one is the fix. Of
several, the one that the error itself names is; otherwise nothing is proved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from holloway.observer.signals.command_runs import (
    REMOVING_PROGRAMS,
    CommandRun,
    extract_file,
    find_counterpart,
    is_linter,
    list_changed_files,
)
from holloway.safety import secrets
from holloway.text import command_compare, edit_lines, failures
from holloway.text.file_roles import is_project_config, is_test
from holloway.text.programs import CHECK, GIT, INSTALL, REVERT, RUN, TEST
from holloway.text.tools import EDIT, OTHER

if TYPE_CHECKING:
    from holloway.observer.scratchpad import Action
    from holloway.text.commands import Step

FIX_FILES_MAX = 3
FIX_LINE_CHARS_MAX = 80
PREPARING_STEPS_MAX = 2
"""Maximum number of commands before the passing run that are told; more of them prove nothing."""
VALUE_CHARS_MAX = 60
PHRASE_CHARS_MAX = 200
DIGEST = re.compile(r"[0-9a-f]{6,64}")
"""A changed line of which only the digest was stored."""


@dataclass(slots=True)
class FailureHistory:
    """A failure from its first occurrence to its fix."""

    actions: Sequence[Action]
    first: CommandRun
    last: CommandRun
    fixed: CommandRun | None = None
    retries: int = 0

    @property
    def is_lint_finding(self) -> bool:
        """Whether the failure is a linter's finding."""
        return self.first.main_step is not None and is_linter(self.first.main_step)


class Fix(NamedTuple):
    """A difference between a failing and a passing run: the fix, if it is the only one."""

    kind: str
    """env, flag, directory, runner, command, install, config, edit or other."""
    words: str
    """The instruction: "set REDIS_URL", "run `npm install` first"; empty if the difference cannot be told."""
    files: tuple[str, ...] = ()
    is_named: bool = False
    """Whether the error itself names this difference."""
    is_telling: bool = True
    """Whether it helps when the error comes again."""
    answers: str = ""
    """The words of the error that an edit adds: they identify the same fix in another file."""


_UNPROVED = Fix("other", "another run of it passed", is_telling=False)


def derive_fix(history: FailureHistory, fixed: CommandRun, error: str) -> Fix:
    """Derive what solved an error: the only difference between the runs, or the one that the error names."""
    before, after = history.last.main_step, find_counterpart(history.last, fixed)
    if before is None or after is None:
        return _UNPROVED
    between = history.actions[history.last.index + 1 : fixed.index]
    differences = [
        *_compare_steps(history, before, after, fixed.command, error),
        *_list_preparations(history.last, fixed, after, between, error),
        *_list_edits(history, between, error),
    ]
    if len(differences) > 1:
        differences = [difference for difference in differences if difference.is_named]
    fix = differences[0] if len(differences) == 1 and differences[0].words else _UNPROVED
    return fix._replace(is_telling=False) if _SCRATCH.search(f"{history.last.command}\n{fix.words}") else fix


_SCRATCH = re.compile(r"(?<![\w.-])(?:/private)?/(?:tmp|var/folders|var/tmp)/|\bmktemp\b|%TEMP%")
"""Temporary folders: what is run there says nothing about the project."""


def _compare_steps(history: FailureHistory, before: Step, after: Step, command: str, error: str) -> Iterator[Fix]:
    added = [name for name in after.env if name not in before.env and not _QUIET_VARIABLE.fullmatch(name)]
    dropped = [name for name in before.env if name not in after.env and not _QUIET_VARIABLE.fullmatch(name)]
    if added:
        settings = ", ".join(_render_setting(name, command) for name in added[:FIX_FILES_MAX])
        yield Fix("env", f"set {settings}", is_named=_mentions_any(error, added))
    if dropped:
        yield Fix("env", f"do not set {', '.join(dropped[:FIX_FILES_MAX])}", is_named=_mentions_any(error, dropped))
    if _fold_call(before) != _fold_call(after):
        words = f"use `{_shorten_text(after.call)}` instead of `{_shorten_text(before.call)}`"
        was_missing = failures.is_missing(error) or failures.is_usage_error(error)
        is_named = was_missing and _mentions_any(error, [before.program.split(" ")[0], before.call.split(" ")[0]])
        yield Fix("runner", words, (), is_named, is_telling=command_compare.is_portable(after.call))
    folder = command_compare.find_moved_folder(before, after)
    if folder is not None:
        words = f"run it in {_shorten_text(folder)}" if folder else ""
        is_missing = failures.is_missing(error) and not _FAILED_CD.search(history.last.action.text)
        yield Fix("directory", words, (), folder != "" and _mentions_any(error, [folder]), is_missing)
    if flag := _compare_flags(history, before, after, error):
        yield flag


_FAILED_CD = re.compile(r"\bcd:.{0,200}(?i:no such file|not a directory|can't cd)")


_QUIET_VARIABLE = re.compile(
    r"(?:DEBUG|VERBOSE|\w*LOG_?LEVEL|RUST_(?:BACKTRACE|LOG)|NO_COLOR|(?:FORCE|CLI)_?COLOR\w*|TERM|PAGER|GIT_PAGER|COLUMNS"
    r"|PYTHONUNBUFFERED)"
)
"""Variables that change what is shown, and not whether a command can pass."""


def _mentions_any(error: str, names: Sequence[str]) -> bool:
    """Whether an error has one of these names as a whole word."""
    return any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", error) for name in names if name)


def _fold_call(step: Step) -> str:
    """Return how a program was called, without what makes no difference: `npm run test` is `npm test`."""
    return step.call.removeprefix("./").replace(" run-script ", " ").replace(" run ", " ")


def _compare_flags(history: FailureHistory, before: Step, after: Step, error: str) -> Fix | None:
    old, new = (command_compare.list_flags(step) for step in (before, after))
    added = [flag for flag in new if flag not in old]
    dropped = [flag for flag in old if flag not in new]
    named = [flag for flag in dropped if _mentions_any(error, [flag.split("=", 1)[0]])]
    add, drop = (
        ", ".join(f"`{_shorten_text(flag)}`" for flag in flags[:FIX_FILES_MAX]) for flags in (added, named or dropped)
    )
    if not add and not drop:
        return None
    target = command_compare.list_targets(after) if after.kind == RUN else []
    program = f"`{_shorten_text(' '.join([after.call, *target]))}`"
    if any(_BYPASS.match(flag) or _EXPRESSION.search(flag) for flag in added):
        words = ""
    elif add and drop:
        words = f"use {add} instead of {drop} with {program}"
    else:
        words = f"add {add} to {program}" if add else f"leave {drop} out of {program}"
    is_named = bool(named) or _mentions_any(error, [flag.split("=", 1)[0] for flag in added])
    is_usage = is_named or failures.is_usage_error(history.last.action.text[:2_000])
    return Fix("flag", words, (), is_named, is_usage or (before.kind not in (TEST, CHECK)))


_BYPASS = re.compile(
    r"-f$|--(?:force|no-verify|skip|ignore|deselect|exclude|pass-?with-?no-?tests|allow|disable|continue|abort|quit"
    r"|no-(?:config|lint|check|fail|strict)|fail-?fast|help|version|dry-run|collect-only|list)",
    re.IGNORECASE,
)
"""Options that pass by not checking."""
_EXPRESSION = re.compile(r"[\s|(){}\[\]*$]")
"""A value that was written for one occasion, such as a query."""


def _render_setting(name: str, command: str) -> str:
    """Return a variable with its value, or its name alone if the value is a secret or specific to one machine."""
    assignment = re.search(
        rf"(?<![\w$]){re.escape(name)}=(['\"]?)([\w:.,+/$-]{{1,{VALUE_CHARS_MAX}}})\1(?![^\s;&|)])", command
    )
    if assignment is None or _ON_ONE_MACHINE.match(assignment[2]) or _SECRET_NAME.search(name):
        return name
    setting = f"{name}={assignment[2]}"
    return name if secrets.scan_secrets(setting) else setting


_ON_ONE_MACHINE = re.compile(r"/|[A-Za-z]:/|\$(?!PATH\b)")
_SECRET_NAME = re.compile(
    r"KEY|TOKEN|SECRET|PASS|PWD|CRED|AUTH|SESSION|COOKIE|BEARER|PRIVATE|SIGN|(?:^|_)(?:PAT|PIN|PW|DSN)(?:_|$)",
    re.IGNORECASE,
)


def _list_preparations(
    failure: CommandRun, fixed: CommandRun, after: Step, between: Sequence[Action], error: str
) -> Iterator[Fix]:
    """List the commands that changed something before the passing run, as one difference."""
    steps = [step for step in _list_steps(between) + _list_earlier_steps(fixed, after) if _has_effect(step)]
    failed_calls = {(step.call, step.args) for step in failure.steps}
    steps = [step for step in steps if (step.call, step.args) not in failed_calls]
    left_out = [step for step in failure.steps if step is not failure.main_step and _is_left_out(step, fixed)]
    telling = list({(step.call, step.args): step for step in steps if _is_preparation(step)}.values())
    if left_out or len(telling) > PREPARING_STEPS_MAX or any(not _is_preparation(step) for step in steps):
        named = [step for step in telling if _is_preparation_named(step, error)]
        if len(named) != 1:
            yield Fix("other", "")
            return
        telling = named
    if telling:
        words = ", then ".join(_render_step(step, after) for step in telling)
        kind = INSTALL if telling[-1].kind == INSTALL else "command"
        is_named = any(_is_preparation_named(step, error) for step in telling)
        # A test whose assertion failed may pass by chance the next time.
        is_telling = after.kind != TEST or is_named or failures.is_missing(error)
        yield Fix(kind, f"run {words} first", (), is_named, is_telling)


def _list_steps(between: Sequence[Action]) -> list[Step]:
    runs = [CommandRun(index, action) for index, action in enumerate(between) if action.kind == "shell" and action.ok]
    return [step for run in runs if not run.has_failed for step in run.steps]


def _list_earlier_steps(fixed: CommandRun, after: Step) -> list[Step]:
    return list(fixed.steps[: fixed.steps.index(after)])


def _has_effect(step: Step) -> bool:
    """Whether a step may change in which state the next one finds the machine and the checkout."""
    if step.kind == GIT:
        return bool(_MOVES_TREE.match(step.program))
    if step.kind == EDIT:
        return step.program in REMOVING_PROGRAMS and not _SCRATCH.search(" ".join(step.paths))
    return step.kind in (INSTALL, REVERT) or _is_preparation(step)


def _is_preparation(step: Step) -> bool:
    """Whether a step installs, builds, generates, starts or sets up something."""
    if step.kind not in (INSTALL, CHECK, RUN, OTHER, GIT) or not _INSPECTS.isdisjoint(step.args):
        return False
    return step.kind == INSTALL or bool(_PREPARES.search(f"{step.program} {' '.join(step.args[:3])}"))


_MOVES_TREE = re.compile(r"git (?:pull|fetch|rebase|merge|checkout|switch|submodule|cherry-pick|am|lfs)")
_INSPECTS = frozenset(
    ("--help", "-h", "--version", "-v", "-V", "version", "list", "ls", "-c", "-e", "--dry-run", "show")
)
_PREPARES = re.compile(
    r"(?<![\w-])(?:build|compile|generate|gen|codegen|assemble|migrate|db:migrate|seed|setup|bootstrap|init|up|start"
    r"|activate|sync|login|venv|mkdir|chmod|createdb|submodule|lfs|prepare|provision)(?![\w-])|-server\b|/activate\b"
)


def _is_left_out(step: Step, fixed: CommandRun) -> bool:
    """Whether a step of the failing command that may have failed itself is not in the passing one."""
    return step.kind in (TEST, CHECK, RUN, INSTALL, OTHER) and not any(
        command_compare.is_same_program(step, later) for later in fixed.steps
    )


def _is_preparation_named(step: Step, error: str) -> bool:
    if step.kind == INSTALL and failures.is_missing(error):
        return True
    return any(word.lower() in error.lower() for word in _WORD.findall(" ".join(step.args)) if len(word) > 3)


def _render_step(step: Step, after: Step) -> str:
    text = f"`{_shorten_text(' '.join([step.call, *step.args]))}`"
    folder = command_compare.find_moved_folder(after, step)
    return f"{text} in {folder}" if folder else text


def _list_edits(history: FailureHistory, between: Sequence[Action], error: str) -> Iterator[Fix]:
    """List the edits between the runs, as one difference."""
    if any(map(_may_change_unknown_files, between)):
        yield Fix("other", "")
    files = _list_edited_files(between)
    if not files:
        return
    name = extract_file(error).rsplit("/", 1)[-1]
    named = [path for path in files if name and path.rsplit("/", 1)[-1] == name]
    earlier = _list_edited_files(history.actions[: history.last.index])
    chosen = tuple((named or files[::-1])[:FIX_FILES_MAX])
    change, answers = _pick_best_change(between, chosen, error)
    step = history.first.main_step
    is_loosened = step is not None and step.kind == TEST and any(map(is_test, files))
    is_config = not named and all(map(is_project_config, files)) and not set(files) & set(earlier)
    kind = "config" if is_config and len(files) == 1 else "edit"
    change = change if answers or kind == "config" else ""
    is_telling = bool(change) and not is_loosened and not _SILENCES.search(change)
    yield Fix(kind, f"edit {', '.join(chosen)}{change}", chosen, bool(named), is_telling, " ".join(sorted(answers)))


def _may_change_unknown_files(action: Action) -> bool:
    """Whether an action may have changed files that the record does not name."""
    is_edit = action.kind in ("edit", "write") and action.ok is not False and not action.path and not action.outside
    return is_edit or action.kind == "subagent"


def _list_edited_files(between: Sequence[Action]) -> list[str]:
    """Return the files that these actions changed, by a tool or in a shell, the latest last."""
    paths: dict[str, None] = {}
    for action in between:
        for path in list_changed_files(action):
            paths.pop(path, None)
            paths[path] = None
    return list(paths)


def puts_back_own_edit(history: FailureHistory) -> bool:
    """Whether the run passes because the session undid what it had changed, as after a mutation."""
    end = history.fixed.index if history.fixed else history.last.index
    between = history.actions[history.first.index + 1 : end]
    if any(step.kind == REVERT for step in _list_steps(between)):
        return True
    edits = [action for action in history.actions[: history.first.index] if action.kind in ("edit", "write")]
    return any(
        later.path == edit.path and later.removed == edit.added and later.added == edit.removed
        for later in between
        if later.kind in ("edit", "write") and (later.removed or later.added)
        for edit in edits
    )


def _pick_best_change(between: Sequence[Action], files: tuple[str, ...], error: str) -> tuple[str, frozenset[str]]:
    """Return the small line change in these files that adds most words of the error, and those words."""
    wanted = _extract_words(failures.normalise_error(error))
    edits = [action for action in between if action.path in files]
    replaced = [{line for later in edits[at + 1 :] for line in later.removed} for at in range(len(edits))]
    standing = [edit for edit, lines in zip(edits, replaced, strict=True) if lines.isdisjoint(edit.added)]
    pairs = [pair for edit in standing if (pair := _pick_changed_lines(edit, wanted)) is not None]
    best = max(
        pairs,
        key=lambda pair: (len(_list_answering_words(pair, wanted)), len(_extract_words(" ".join(pair)) & wanted)),
        default=None,
    )
    return (_render_change(*best), _list_answering_words(best, wanted)) if best else ("", frozenset())


def _list_answering_words(pair: tuple[str, str], wanted: set[str]) -> frozenset[str]:
    """Return the words of the error that a change adds; of a change that silences linter rules, only those rules."""
    before, after = pair
    if set(_CODE.findall(after)) - set(_CODE.findall(before)) - wanted:
        return frozenset()  # it answers another finding
    rules = {rule for groups in _SILENCES.findall(after) for part in groups for rule in _RULE.findall(part)}
    return frozenset(((rules or _extract_words(after)) - _extract_words(before)) & wanted)


_CODE = re.compile(r"\b[A-Z]{1,4}\d{2,5}\b")
"""The code of a linter's or compiler's finding."""
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


def _shorten_text(text: str) -> str:
    flat = " ".join(secrets.redact_secrets(text)[0].replace("`", "'").split())
    return flat if len(flat) <= PHRASE_CHARS_MAX // 2 else flat[: PHRASE_CHARS_MAX // 2 - 1] + "…"
