"""The kinds of rules files: one row for each, and how its text is read."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.promotion.rules_files import front_matter
from holloway.promotion.rules_files.block import RulesText
from holloway.promotion.rules_files.imports import HOPS_MAX, imported
from holloway.promotion.rules_files.managed_block import without_block

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.promotion.rules_files.files import Files


@dataclass(frozen=True, slots=True)
class Kind:
    """How a kind of rules file is recognised and read."""

    name: str
    pattern: re.Pattern[str]
    scope: str = ""
    """The key of its front matter that names globs."""
    imports: bool = False
    sections: bool = False


def _kind(name: str, pattern: str, *, scope: str = "", imports: bool = False, sections: bool = False) -> Kind:
    return Kind(name, re.compile(pattern), scope, imports, sections)


KINDS = (
    _kind("CLAUDE.md", r"(?:^|/)(?:\.claude/)?CLAUDE\.md$", imports=True),
    _kind("Claude rules", r"(?:^|/)\.claude/rules/(?:[^/]+/)*[^/]+\.md$", scope="paths"),
    _kind("AGENTS.md", r"(?:^|/)AGENTS?\.md$"),
    _kind("GEMINI.md", r"(?:^|/)GEMINI\.md$", imports=True),
    _kind("Cursor rules", r"(?:^|/)(?:\.cursorrules|\.cursor/rules/(?:[^/]+/)*[^/]+\.mdc?)$", scope="globs"),
    _kind("Copilot instructions", r"^\.github/(?:copilot-instructions\.md|instructions/.*\.md)$", scope="applyto"),
    _kind("Windsurf rules", r"(?:^|/)(?:\.windsurfrules|\.windsurf/rules/[^/]+\.md)$", scope="globs"),
    _kind("Cline rules", r"^\.clinerules(?:/[^/]+\.md)?$", scope="paths"),
    _kind("CONTRIBUTING", r"(?i)^(?:\.github/|docs/)?CONTRIBUTING(?:\.md|\.rst|\.txt)?$", sections=True),
    _kind("README", r"(?i)^README(?:\.md)?$", sections=True),
)
"""In the order in which they are read; what two files say is kept as the first one's."""

_HOME = re.compile(r"(?:^|/)\.(?:claude|cursor|github|windsurf)(?:/.*)?$")


def texts(files: Files) -> Iterator[RulesText]:
    """The text of every rules file with where it applies, and of what it imports."""
    for kind in KINDS:
        for name in files.matching(kind.pattern):
            yield from _read(files, kind, name, folder_of(name), 0)


def folder_of(name: str) -> str:
    """The folder that a file's rules are for: the one that it lies in, its dot folder left out."""
    return _HOME.sub("", posixpath.dirname(name))


def _read(files: Files, kind: Kind, name: str, folder: str, hops: int) -> Iterator[RulesText]:
    real, text = files.text(name)
    if not real:
        return
    values, body = front_matter.split(without_block(text))
    globs = values.get(kind.scope, ()) if kind.scope else ()
    # An imported README is still written for readers of the product.
    sections = kind.sections or (hops > 0 and any(one.sections and one.pattern.search(real) for one in KINDS))
    yield RulesText(real, body, folder, globs, sections)
    if not kind.imports:
        return
    for path in imported(body, real):
        if hops >= HOPS_MAX:
            files.problems[path] = f"imports are followed {HOPS_MAX} deep"
        elif path.startswith("~"):
            files.problems[path] = "it is your own, not the project's, and is not imported"
        elif path.startswith("..") or (files.root / path).is_file():
            yield from _read(files, kind, path, folder, hops + 1)
