"""Comparing commands: a normal form, and the differences between a failing and a passing command.

The hook process may import this module: it loads nothing but `re`.
"""

from __future__ import annotations

import re

from holloway.text import shell
from holloway.text.arguments import VALUED_OPTIONS
from holloway.text.commands import parse_command
from holloway.text.programs import CHECK, COMMIT, FETCH, GIT, INSTALL, REVERT, RUN, TEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.text.commands import Step

FLAG_VALUE_CHARS_MAX = 40
"""A longer value is an expression, not a setting; options are then compared by name."""

_ROOTED = re.compile(r"(?<![\w.…-])(?:~|\$HOME|[A-Za-z]:)?[/\\](?:[^\s/\\:'\"=,;]+[/\\])+([^\s/\\:'\"=,;]*)")
_TEMPORARY = re.compile(r"(?:/private)?/(?:tmp|var/folders|var/tmp)/[^\s:'\"=,;]+|%TEMP%\S*")
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
    program, paths = (">", step.paths) if is_redirect else (step.program, ())
    return " ".join([*(f"{name}=" for name in step.env), program, *map(_reduce_paths, [*words, *paths])])


def _reduce_paths(text: str) -> str:
    """Reduce absolute paths to their last name and temporary paths to a placeholder."""
    return _ROOTED.sub(r"…/\1", _TEMPORARY.sub("<tmp>", text))


def step_differences(before: Step, after: Step) -> tuple[str, ...]:
    """List the additions of the second step: `env NAME`, `flag -x`, `directory d`, `program p`.

    `without -x` is a flag that only the first step had.
    """
    differences = [f"env {name}" for name in after.env if name not in before.env]
    if after.program != before.program:
        return (*differences, f"program {after.program}")
    if after.directory != before.directory:
        differences.append(f"directory {after.directory or '.'}")
    old, new = _effective_flags(before), _effective_flags(after)
    differences += [f"flag {flag}" for flag in new if flag not in old]
    return (*differences, *(f"without {flag}" for flag in old if flag not in new))


def _effective_flags(step: Step) -> list[str]:
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
