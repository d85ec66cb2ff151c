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
_GIT_SYNTAX = re.compile(r"\\(.)|\[\^")
"""Syntax that differs between git and `fnmatch`: an escaped character, and a negated character class."""


class IgnoreRule(NamedTuple):
    """One line of an ignore file: a pattern for each folder of a path and for its name."""

    pattern: tuple[str, ...]
    name_pattern: re.Pattern[str]
    """Pattern of the name itself: every file is checked against every rule, and most rules are decided by it."""
    is_folder_rule: bool
    is_exception: bool


class IgnoreFile(NamedTuple):
    """The rules of one ignore file, and the folder that they apply to, split into parts."""

    folder: tuple[str, ...]
    rules: tuple[IgnoreRule, ...]


def parse_ignore_file(folder: str, text: str) -> IgnoreFile:
    """Parse an ignore file for the folder that contains it; an empty folder is the root."""
    rules = (_parse_rule(line) for line in text.split("\n"))
    return IgnoreFile(tuple(folder.split("/")) if folder else (), tuple(islice(filter(None, rules), RULES_MAX)))


def is_ignored(path: str, levels: tuple[IgnoreFile, ...], *, is_folder: bool) -> bool:
    """Whether the last matching rule ignores a path; levels are ordered from the root down."""
    parts = tuple(path.split("/"))
    checked = 0
    for ignore_file in reversed(levels):
        relative_parts = parts[len(ignore_file.folder) :]
        for rule in reversed(ignore_file.rules):
            checked += 1
            if checked > RULES_MAX:
                return False
            applies = is_folder or not rule.is_folder_rule
            if applies and rule.name_pattern.match(parts[-1]) and _is_match(rule.pattern, relative_parts):
                return not rule.is_exception
    return False


def _parse_rule(line: str) -> IgnoreRule | None:
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
    return IgnoreRule(anchored, _compile_glob(pattern[-1]), bare != body, is_exception)


def _is_match(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Match by tracking all possible pattern positions at once; their number is bounded by the pattern's length."""
    last = len(pattern) - 1
    positions = _skip_globstars({0}, pattern)
    for part in parts:
        next_positions: set[int] = set()
        for position in positions:
            if position <= last and pattern[position] == _ANY_DEPTH:
                next_positions |= {position, position + 1} if position == last else {position}
            elif position <= last and _compile_glob(pattern[position]).match(part):
                next_positions.add(position + 1)
        positions = _skip_globstars(next_positions, pattern)
    return last + 1 in positions


def _skip_globstars(positions: set[int], pattern: tuple[str, ...]) -> set[int]:
    """Add the positions after each `**` that matches no folder; at the end it matches at least one name."""
    reachable = set(positions)
    for position in sorted(positions):
        while position < len(pattern) - 1 and pattern[position] == _ANY_DEPTH:
            position += 1
            reachable.add(position)
    return reachable


@lru_cache(maxsize=4 * RULES_MAX)
def _compile_glob(glob: str) -> re.Pattern[str]:
    return re.compile(translate(_GIT_SYNTAX.sub(_translate_escape, glob)))


def _translate_escape(match: re.Match[str]) -> str:
    sign = match[1]
    return "[!" if sign is None else f"[{sign}]" if sign in "*?[" else sign
