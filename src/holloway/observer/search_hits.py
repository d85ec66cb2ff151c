"""Search hits: splits the output of a search by the file that each line names, and classifies it by that file."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from holloway.domain.event import ToolKind
from holloway.observer.origins import NO_ORIGIN, Carrier, Origin, Passage, cut_source
from holloway.observer.written_files import names_files
from holloway.text.commands import parse_command
from holloway.text.tools import SEARCH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holloway.observer.scratchpad import Action
    from holloway.text.commands import Step

_HIT = re.compile(r"(?P<path>[^\s:][^:\n]{0,300}?)(?::(?P<line>\d+):|-\d+-)")
_NO_FILE_NAME = re.compile(r"-[a-zA-Z]*h[a-zA-Z]*|--no-?filename")
_RG_NO_FILE_NAME = re.compile(r"-[a-zA-Z]*I[a-zA-Z]*|--no-filename")
"""Options that leave out the names of files: `-I` means something else to grep, and `-h` to rg."""


def prints_hits(action: Action) -> bool:
    """Whether each line of the output may name the file it is from."""
    if action.kind is ToolKind.SHELL:
        return any(step.kind == SEARCH or step.program == "git grep" for step in parse_command(action.command))
    return action.kind is ToolKind.SEARCH


def split_hits(
    text: str, action: Action, carrier: Carrier, classify_path: Callable[[str], Carrier]
) -> Iterator[Passage]:
    """Split the lines of a search by the file that each names; a line without one belongs to the line before.

    `carrier` is that of the whole command, `classify_path` that of a file.
    """
    current = _classify_unnamed_hits(action, carrier)
    classified: list[tuple[Carrier, str]] = []
    for line in text.splitlines(keepends=True):
        if path := _find_hit_path(line):
            current = classify_path(path)
        elif carrier.origin is Origin.WEAK:
            current = carrier
        classified.append((current, line))
    for line_carrier, lines in groupby(classified, key=lambda item: item[0]):
        yield Passage(cut_source(line_carrier), "".join(line for _, line in lines))


def _classify_unnamed_hits(action: Action, carrier: Carrier) -> Carrier:
    """Classify the hits that name no file: those of a search in single files are theirs."""
    if action.kind is not ToolKind.SHELL:
        return carrier if names_files(action.path) else NO_ORIGIN
    searches = [step for step in parse_command(action.command) if step.kind == SEARCH]
    if any(map(_hides_names, searches)):
        return Carrier(Origin.FOREIGN, f"shell:{searches[0].program}")
    paths = [path for step in searches for path in step.paths]
    return carrier if paths and all(map(names_files, paths)) else NO_ORIGIN


def _hides_names(step: Step) -> bool:
    option = _RG_NO_FILE_NAME if step.program == "rg" else _NO_FILE_NAME
    return any(map(option.fullmatch, step.args))


def _find_hit_path(line: str) -> str:
    """Return the file that a line of a search names, also one that is alone on its line; empty without one."""
    if (hit := _HIT.match(line)) and not hit["path"].isdigit():
        return hit["path"]
    name = line.partition(":")[0].strip()
    return name if names_files(name) and " " not in name else ""
