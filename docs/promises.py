"""Generates the page of promises from the manifest that the tests are checked against."""

from __future__ import annotations

import tomllib
from pathlib import Path

MANIFEST = Path(__file__).parents[1] / "tests" / "promises" / "manifest.toml"
HEAD = """# What holloway promises

Written by `make docs` from [the manifest](../tests/promises/manifest.toml). Each promise is held by tests that carry
its id; a promise without a test fails the build. `grep -rn 'promise(.*"not-lost"' tests` shows those of the first. The
long runs and their figures are in [reliability](reliability.md).
"""


BROKEN = """These promises are held by their tests and were broken by people who tried from outside, on projects,
sessions and attacks that nobody had tuned for. Read them with what is said here."""


def load_areas() -> dict[str, dict[str, str]]:
    """Return the kept promises by area."""
    manifest_areas = tomllib.loads(MANIFEST.read_text("utf-8"))["kept"]
    return {area: promises for area, promises in manifest_areas.items() if isinstance(promises, dict)}


def list_kept() -> dict[str, str]:
    """Return every kept promise by its id."""
    return {name: sentence for promises in load_areas().values() for name, sentence in promises.items()}


def load_planned() -> dict[str, str]:
    """Return the promises that are not built yet."""
    planned: dict[str, str] = tomllib.loads(MANIFEST.read_text("utf-8"))["later"]
    return planned


def load_broken() -> dict[str, str]:
    """Return findings against promises whose tests pass, by the promise's id."""
    findings: dict[str, str] = tomllib.loads(MANIFEST.read_text("utf-8"))["broken"]
    return findings


def render_mark(name: str) -> str:
    """Return the remark after a broken promise; empty for any other."""
    return " **Broken from outside, see above.**" if name in load_broken() else ""


def render_page() -> str:
    """Render the page: broken promises, kept promises by area, then planned ones."""
    lines = [HEAD, "## Broken from outside", "", BROKEN, "", "| id | what was found |", "| --- | --- |"]
    lines += [f"| `{name}` | {sentence} |" for name, sentence in load_broken().items()]
    lines.append("")
    for area, promises in load_areas().items():
        lines += [f"## {area}", "", "| promise | id |", "| --- | --- |"]
        lines += [f"| {sentence}{render_mark(name)} | `{name}` |" for name, sentence in promises.items()]
        lines.append("")
    lines += ["## Not yet", "", *(f"- {sentence}" for sentence in load_planned().values()), ""]
    return "\n".join(lines)
