"""A module of the codebase, and the source files that modules are detected from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the project: `role` is `source`, `test`, or another role."""

    path: str
    role: str
    language: str
    lines: int


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the codebase. All lists have the most important items first."""

    name: str
    key: str
    """The name that it was detected with; edits refer to it, and it stays when another name is shown."""
    folder: str
    files: tuple[str, ...]
    core: tuple[str, ...]
    entries: tuple[str, ...] = ()
    flows: tuple[str, ...] = ()
    """Call flows from here, from module to module."""
    tests: tuple[str, ...] = ()
    uses: tuple[tuple[str, float], ...] = ()
    """Modules that it imports from, with weights."""
    related: tuple[tuple[str, float], ...] = ()
    """Modules that often change together with it, with weights."""
    packages: tuple[str, ...] = ()
    purpose: str = ""
    support: bool = False
    """Whether it is supporting code, such as examples, benchmarks and docs, and no part of the product."""
    hidden: bool = False
    confidence: str = "shallow"
    moved: tuple[tuple[str, str], ...] = ()
    """Files that people moved here, and the keys of the modules that they were detected in."""
