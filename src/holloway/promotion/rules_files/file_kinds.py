"""The kinds of rules files: one row for each, and how its text and `@imports` are read."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.promotion.rules_files.managed_block import strip_block
from holloway.promotion.rules_files.markdown import RulesText, split_front_matter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.promotion.rules_files.files import RulesFiles


HOPS_MAX = 4
"""As deep as Claude Code follows them."""
IMPORTS_MAX = 40

_CODE = re.compile(r"(?ms)^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)|\Z)|`[^`\n]{1,400}`")
_IMPORT = re.compile(r"(?:^|(?<=\s))@((?:~/|\./|\.\./)?[\w.-][\w./-]{0,400})")


@dataclass(frozen=True, slots=True)
class RulesFileKind:
    """How a kind of rules file is recognised and read."""

    name: str
    pattern: re.Pattern[str]
    scope: str = ""
    """The key of its front matter that names globs."""
    imports: bool = False
    sections: bool = False


def _build_kind(
    name: str, pattern: str, *, scope: str = "", imports: bool = False, sections: bool = False
) -> RulesFileKind:
    return RulesFileKind(name, re.compile(pattern), scope, imports, sections)


RULES_FILE_KINDS = (
    _build_kind("CLAUDE.md", r"(?:^|/)(?:\.claude/)?CLAUDE\.md$", imports=True),
    _build_kind("Claude rules", r"(?:^|/)\.claude/rules/(?:[^/]+/)*[^/]+\.md$", scope="paths"),
    _build_kind("AGENTS.md", r"(?:^|/)AGENTS?\.md$"),
    _build_kind("GEMINI.md", r"(?:^|/)GEMINI\.md$", imports=True),
    _build_kind("Cursor rules", r"(?:^|/)(?:\.cursorrules|\.cursor/rules/(?:[^/]+/)*[^/]+\.mdc?)$", scope="globs"),
    _build_kind(
        "Copilot instructions", r"^\.github/(?:copilot-instructions\.md|instructions/.*\.md)$", scope="applyto"
    ),
    _build_kind("Windsurf rules", r"(?:^|/)(?:\.windsurfrules|\.windsurf/rules/[^/]+\.md)$", scope="globs"),
    _build_kind("Cline rules", r"^\.clinerules(?:/[^/]+\.md)?$", scope="paths"),
    _build_kind("CONTRIBUTING", r"(?i)^(?:\.github/|docs/)?CONTRIBUTING(?:\.md|\.rst|\.txt)?$", sections=True),
    _build_kind("README", r"(?i)^README(?:\.md)?$", sections=True),
)
"""Kinds in reading order; a rule that two files state is attributed to the first."""

_HOME = re.compile(r"(?:^|/)\.(?:claude|cursor|github|windsurf)(?:/.*)?$")


def read_rules_texts(files: RulesFiles) -> Iterator[RulesText]:
    """Yield the text of every rules file and of its imports, with its scope."""
    for kind in RULES_FILE_KINDS:
        for name in files.list_matching(kind.pattern):
            yield from _read_with_imports(files, kind, name, find_scope_folder(name), 0)


def find_scope_folder(name: str) -> str:
    """Return the folder that a file's rules apply to: its own folder, without a dot folder such as `.claude`."""
    return _HOME.sub("", posixpath.dirname(name))


def _read_with_imports(
    files: RulesFiles, kind: RulesFileKind, name: str, folder: str, hops: int
) -> Iterator[RulesText]:
    real, text = files.read_text(name)
    if not real:
        return
    values, body = split_front_matter(strip_block(text))
    globs = values.get(kind.scope, ()) if kind.scope else ()
    # An imported README is still written for readers of the product.
    sections = kind.sections or (
        hops > 0 and any(other_kind.sections and other_kind.pattern.search(real) for other_kind in RULES_FILE_KINDS)
    )
    yield RulesText(real, body, folder, globs, sections)
    if not kind.imports:
        return
    for path in find_imports(body, real):
        if hops >= HOPS_MAX:
            files.problems[path] = f"imports are followed {HOPS_MAX} deep"
        elif path.startswith("~"):
            files.problems[path] = "it is your own, not the project's, and is not imported"
        elif path.startswith("..") or (files.root / path).is_file():
            yield from _read_with_imports(files, kind, path, folder, hops + 1)


def find_imports(text: str, path: str) -> list[str]:
    """Return the project paths that a text imports, ignoring code; a path with `~` is unchanged."""
    mentions = (match[1].rstrip(".,;:)") for match in _IMPORT.finditer(_CODE.sub(" ", text)))
    named = [name for name in mentions if "/" in name or "." in name]
    folder = posixpath.dirname(path)
    whole = [name if name.startswith("~") else posixpath.normpath(posixpath.join(folder, name)) for name in named]
    return list(dict.fromkeys(whole))[:IMPORTS_MAX]
