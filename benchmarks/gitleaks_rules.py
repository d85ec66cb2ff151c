"""Compare our secret rules with a configuration of gitleaks: `python -m benchmarks.gitleaks_rules gitleaks.toml`."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from holloway.data.source import DATA_FOLDER

PREFIX = "gitleaks "


def find_unnamed_rules(configuration: str) -> list[str]:
    """Find the rules of a gitleaks configuration that no rule of ours names as its source."""
    rules = tomllib.loads((DATA_FOLDER / "secrets.toml").read_text("utf-8"))["rules"]
    sources = [rule["source"].removeprefix(PREFIX) for rule in rules if rule["source"].startswith(PREFIX)]
    named = {name for source in sources for name in source.split(", ")}
    return [rule["id"] for rule in tomllib.loads(configuration)["rules"] if rule["id"] not in named]


if __name__ == "__main__":
    print("\n".join(find_unnamed_rules(Path(sys.argv[1]).read_text("utf-8"))))
