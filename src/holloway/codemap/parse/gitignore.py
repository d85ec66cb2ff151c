"""What a project's ignore files leave out, by git's rules, for where git itself cannot be asked."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

RULES_MAX = 1_000
"""Rules that count for one path, and of one file; the rest is not read."""
RULE_CHARS_MAX = 500

_ANY_DEPTH = "**"
_OWN_SIGNS = re.compile(r"\\(.)|\[\^")
"""What git writes otherwise than `fnmatch`: a sign that means itself, and a class of all but some signs."""


class Rule(NamedTuple):
    """One line of an ignore file: a pattern for each folder of a path and for its name."""

    pattern: tuple[str, ...]
    last: re.Pattern[str]
    """What fits the name itself: every file is held against every rule, and most rules fit by that or not at all."""
    is_of_folders: bool
    is_exception: bool


class Level(NamedTuple):
    """The rules of one ignore file and the folder they count in, as its parts."""

    folder: tuple[str, ...]
    rules: tuple[Rule, ...]


def level(folder: str, text: str) -> Level:
    """The rules that an ignore file lays down for the folder it lies in; an empty name is the root."""
    found = (_rule(line) for line in text.split("\n"))
    return Level(tuple(folder.split("/")) if folder else (), tuple(islice(filter(None, found), RULES_MAX)))


def is_ignored(path: str, levels: tuple[Level, ...], *, is_folder: bool) -> bool:
    """Whether the last rule that fits leaves a path out; levels go from the root down."""
    parts = tuple(path.split("/"))
    checked = 0
    for each in reversed(levels):
        inside = parts[len(each.folder) :]
        for rule in reversed(each.rules):
            checked += 1
            if checked > RULES_MAX:
                return False
            could = is_folder or not rule.is_of_folders
            if could and rule.last.match(parts[-1]) and _fits(rule.pattern, inside):
                return not rule.is_exception
    return False


def _rule(line: str) -> Rule | None:
    line = line.removesuffix("\r")
    while line.endswith(" ") and not line.endswith("\\ "):
        line = line[:-1]
    is_exception = line.startswith("!")
    named = line[is_exception:]
    bare = named.removesuffix("/")
    if not bare or line.startswith("#") or len(bare) > RULE_CHARS_MAX:
        return None
    pattern = tuple(bare.removeprefix("/").split("/"))
    # A slash that is not the last sign ties a rule to its folder; without one it fits at any depth.
    tied = pattern if "/" in bare else (_ANY_DEPTH, *pattern)
    return Rule(tied, _expression(pattern[-1]), bare != named, is_exception)


def _fits(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Follow all ways at once in which the pattern may have got so far: their number is bounded by its length."""
    last = len(pattern) - 1
    at = _skipped({0}, pattern)
    for part in parts:
        after: set[int] = set()
        for place in at:
            if place <= last and pattern[place] == _ANY_DEPTH:
                after |= {place, place + 1} if place == last else {place}
            elif place <= last and _expression(pattern[place]).match(part):
                after.add(place + 1)
        at = _skipped(after, pattern)
    return last + 1 in at


def _skipped(places: set[int], pattern: tuple[str, ...]) -> set[int]:
    """The same places and those behind a `**` that stands for no folder; at the end it stands for at least one name."""
    found = set(places)
    for place in sorted(places):
        while place < len(pattern) - 1 and pattern[place] == _ANY_DEPTH:
            place += 1
            found.add(place)
    return found


@lru_cache(maxsize=4 * RULES_MAX)
def _expression(glob: str) -> re.Pattern[str]:
    return re.compile(translate(_OWN_SIGNS.sub(_translated, glob)))


def _translated(found: re.Match[str]) -> str:
    sign = found[1]
    return "[!" if sign is None else f"[{sign}]" if sign in "*?[" else sign
