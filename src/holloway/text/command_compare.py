"""Comparing commands: a normal form, and whether two steps run the same program on the same target.

The hook process may import this module: it loads nothing but `re`.
"""

from __future__ import annotations

import re

from holloway.text import shell
from holloway.text.arguments import VALUED_OPTIONS, list_plain_words
from holloway.text.commands import parse_command
from holloway.text.programs import CHECK, COMMIT, FETCH, GIT, INSTALL, REVERT, RUN, TABLE, TEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.text.commands import Step

FLAG_VALUE_CHARS_MAX = 40
"""A longer value is an expression, not a setting; options are then compared by name."""

_ROOTED = re.compile(r"(?<![\w.…-])(?:~|\$HOME|[A-Za-z]:)?[/\\](?:[^\s/\\:'\"=,;]+[/\\])+([^\s/\\:'\"=,;]*)")
_TEMPORARY = re.compile(r"(?:/private)?/(?:tmp|var/folders|var/tmp)/[^\s:'\"=,;]+|%TEMP%\S*")
_PACKAGE_MANAGERS = frozenset(TABLE["package_managers"])
_MATTERS = frozenset((TEST, CHECK, RUN, COMMIT, REVERT, GIT, FETCH, INSTALL))


def main_step(command: str) -> Step | None:
    """Return the main step of a command: the last one that does more than read, else the first."""
    return chief_step(parse_command(command))


def chief_step(steps: Sequence[Step]) -> Step | None:
    """Return the main step of these steps, which the others prepare; None if there are no steps."""
    telling = [step for step in steps if step.kind in _MATTERS and step.program != "git add"]
    return telling[-1] if telling else steps[0] if steps else None


def normalise_command(command: str) -> str:
    """Normalise a command for comparison across machines: without folder, variable values and output filters."""
    rendered = [_render_step(step) for step in parse_command(command)]
    return (
        " && ".join(rendered) if rendered else " ".join(_reduce_paths(command[: shell.SHELL_COMMAND_CHARS_MAX]).split())
    )


def _render_step(step: Step) -> str:
    words = [word if word and not re.search(r"\s", word) else f"'{' '.join(word.split())}'" for word in step.args]
    is_redirect = step.program in (">", ">>")
    program, paths = (">", step.paths) if is_redirect else (step.call, ())
    return " ".join([*(f"{name}=" for name in step.env), *map(_reduce_paths, [program, *words, *paths])])


def _reduce_paths(text: str) -> str:
    """Reduce absolute paths to their last name and temporary paths to a placeholder."""
    return _ROOTED.sub(r"…/\1", _TEMPORARY.sub("<tmp>", text))


def is_same_program(before: Step, after: Step) -> bool:
    """Whether two steps run the same program or task, whatever runs it: `npm run test` is `pnpm test`."""
    return fold_program(before.program) == fold_program(after.program)


def fold_program(program: str) -> str:
    """Return the name that a program or task has whatever runs it: `npm test` for `pnpm run test`."""
    first, *subcommands = program.split(" ")
    if first in _PACKAGE_MANAGERS:
        return " ".join(["npm", *subcommands[subcommands[:1] == ["run"] :]])
    return program.replace("docker compose", "docker", 1)


def is_portable(call: str) -> bool:
    """Whether a call names no path of one machine."""
    return not any(map(_is_absolute, call.split(" ")))


def covers_target(before: Step, after: Step) -> bool:
    """Whether a step has the target of an earlier one: the same words, or all tests instead of some."""
    targets, later_targets = sorted(list_targets(before)), sorted(list_targets(after))
    folders = [step.directory for step in (before, after)]
    is_same = targets == later_targets or _resolve_paths(targets, folders[0]) == _resolve_paths(
        later_targets, folders[1]
    )
    if before.kind != TEST:
        return is_same
    return after.pattern in ("", before.pattern) and (
        is_same or (not later_targets and find_moved_folder(before, after) is None)
    )


def list_targets(step: Step) -> list[str]:
    """Return what a step works on: its words that are no options."""
    words = list_plain_words(step.program.split(" ", 1)[0], list(step.args))
    return [_reduce_paths(word.removesuffix("/")) for word in words]


def _resolve_paths(paths: list[str], folder: str) -> list[str]:
    return [f"{folder}/{path}".lstrip("/") for path in paths]


def find_moved_folder(before: Step, after: Step) -> str | None:
    """Return the folder in which the later step runs, seen from the earlier one; None if they run in the same.

    It is empty if the folder cannot be named from inside the project. An absolute folder is taken for the project's.
    """
    old, new = before.directory.rstrip("/"), after.directory.rstrip("/")
    if _is_absolute(new) and _is_absolute(old) and new.startswith(f"{old}/"):
        old, new = "", new[len(old) + 1 :]
    old, new = ("" if _is_absolute(old) else old), ("" if _is_absolute(new) and not old else new)
    if old == new or new.endswith(f"/{old}"):
        return None
    return "" if _is_absolute(new) or ".." in new else new


def _is_absolute(folder: str) -> bool:
    return folder.startswith(("/", "~", "$")) or folder[1:2] == ":"


def list_flags(step: Step) -> list[str]:
    """Return the options that change what a command does, with their values: `-tags=integration`."""
    valued = VALUED_OPTIONS.get(step.program.split(" ", 1)[0], frozenset())
    flags = {
        f"{word}={following}" if word in valued and 0 < len(following) <= FLAG_VALUE_CHARS_MAX else word: None
        for word, following in zip(step.args, (*step.args[1:], ""), strict=False)
        if word.startswith("-") and len(word) > 1 and not _QUIET_FLAG.fullmatch(word)
    }
    return list(flags)


_QUIET_FLAG = re.compile(
    r"--?(?:v{1,3}|verbose|q{1,3}|quiet|x|s|count(?:=.*)?|timeout(?:=.*)?|tb(?:=.*)?|color(?:=.*)?|no-color|run(?:=.*)?|k|t|m|"
    r"testNamePattern(?:=.*)?|maxfail(?:=.*)?|no-pager|\d+|-)"
)
"""Options that change what is shown, or which of the tests are run, and not whether they can pass."""


def hides_status(command: str) -> bool:
    """Whether the command can end well although what it is there for failed: `… | tail`, `… || true`, `…; echo $?`."""
    return any(simple.after in ("|", "||", ";") for simple in shell.split_commands(command)[1:])
