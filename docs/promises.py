"""The page of promises, written from the manifest that the tests are checked against."""

from __future__ import annotations

import tomllib
from pathlib import Path

MANIFEST = Path(__file__).parents[1] / "tests" / "promises" / "manifest.toml"
HEAD = """# What holloway promises

Written by `make docs` from [the manifest](../tests/promises/manifest.toml). Each promise is held by tests that carry
its id; a promise without a test fails the build. `grep -rn 'promise(.*"not-lost"' tests` shows those of the first. The
long runs and their figures are in [reliability](reliability.md).
"""


def areas() -> dict[str, dict[str, str]]:
    """The promises that are kept, by what they are about."""
    found = tomllib.loads(MANIFEST.read_text("utf-8"))["kept"]
    return {area: promises for area, promises in found.items() if isinstance(promises, dict)}


def kept() -> dict[str, str]:
    """Every promise that is kept, by its id."""
    return {name: sentence for promises in areas().values() for name, sentence in promises.items()}


def later() -> dict[str, str]:
    """What is not built yet."""
    found: dict[str, str] = tomllib.loads(MANIFEST.read_text("utf-8"))["later"]
    return found


def page() -> str:
    """What is kept, area by area, then what is not there yet."""
    lines = [HEAD]
    for area, promises in areas().items():
        lines += [f"## {area}", "", "| promise | id |", "| --- | --- |"]
        lines += [f"| {sentence} | `{name}` |" for name, sentence in promises.items()]
        lines.append("")
    lines += ["## Not yet", "", *(f"- {sentence}" for sentence in later().values()), ""]
    return "\n".join(lines)
