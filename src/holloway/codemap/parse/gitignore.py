"""Gitignore rules: decides which files are ignored where git itself cannot be asked."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

RULES_MAX = 1_000
"""Rules that are applied to one path, and read from one file; further rules are ignored."""
RULE_CHARS_MAX = 500

_ANY_DEPTH = "**"
_OWN_SIGNS = re.compile(r"\\(.)|\[\^")
"""Syntax that differs between git and `fnmatch`: an escaped character, and a negated character class."""


class Rule(NamedTuple):
    """One line of an ignore file: a pattern for each folder of a path and for its name."""

    pattern: tuple[str, ...]
    last: re.Pattern[str]
    """Pattern of the name itself: every file is checked against every rule, and most rules are decided by it."""
    is_of_folders: bool
    is_exception: bool


class Level(NamedTuple):
    """The rules of one ignore file, and the folder that they apply to, split into parts."""

    folder: tuple[str, ...]
    rules: tuple[Rule, ...]


def level(folder: str, text: str) -> Level:
    """Parse an ignore file for the folder that contains it; an empty folder is the root."""
    rules = (_rule(line) for line in text.split("\n"))
    return Level(tuple(folder.split("/")) if folder else (), tuple(islice(filter(None, rules), RULES_MAX)))


def is_ignored(path: str, levels: tuple[Level, ...], *, is_folder: bool) -> bool:
    """Whether the last matching rule ignores a path; levels are ordered from the root down."""
    parts = tuple(path.split("/"))
    checked = 0
    for ignore_file in reversed(levels):
        relative_parts = parts[len(ignore_file.folder) :]
        for rule in reversed(ignore_file.rules):
            checked += 1
            if checked > RULES_MAX:
                return False
            applies = is_folder or not rule.is_of_folders
            if applies and rule.last.match(parts[-1]) and _fits(rule.pattern, relative_parts):
                return not rule.is_exception
    return False


def _rule(line: str) -> Rule | None:
    line = line.removesuffix("\r")
    while line.endswith(" ") and not line.endswith("\\ "):
        line = line[:-1]
    is_exception = line.startswith("!")
    body = line[is_exception:]
    bare = body.removesuffix("/")
    if not bare or line.startswith("#") or len(bare) > RULE_CHARS_MAX:
        return None
    pattern = tuple(bare.removeprefix("/").split("/"))
    # A slash before the end anchors a rule to its folder; without one it matches at any depth.
    anchored = pattern if "/" in bare else (_ANY_DEPTH, *pattern)
    return Rule(anchored, _expression(pattern[-1]), bare != body, is_exception)


def _fits(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Match by tracking all possible pattern positions at once; their number is bounded by the pattern's length."""
    last = len(pattern) - 1
    positions = _skipped({0}, pattern)
    for part in parts:
        next_positions: set[int] = set()
        for position in positions:
            if position <= last and pattern[position] == _ANY_DEPTH:
                next_positions |= {position, position + 1} if position == last else {position}
            elif position <= last and _expression(pattern[position]).match(part):
                next_positions.add(position + 1)
        positions = _skipped(next_positions, pattern)
    return last + 1 in positions


def _skipped(places: set[int], pattern: tuple[str, ...]) -> set[int]:
    """Add the positions after each `**` that matches no folder; at the end it matches at least one name."""
    reachable = set(places)
    for position in sorted(places):
        while position < len(pattern) - 1 and pattern[position] == _ANY_DEPTH:
            position += 1
            reachable.add(position)
    return reachable


@lru_cache(maxsize=4 * RULES_MAX)
def _expression(glob: str) -> re.Pattern[str]:
    return re.compile(translate(_OWN_SIGNS.sub(_translated, glob)))


def _translated(found: re.Match[str]) -> str:
    sign = found[1]
    return "[!" if sign is None else f"[{sign}]" if sign in "*?[" else sign
