"""What programs read is on the page about JSON: every command that takes `--json` has a row, every field a name."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from holloway.cli import CLI_COMMANDS, holloway
from holloway.service.results import memory_json
from holloway.testing import FakeClock
from tests.cli.conftest import Cli
from tests.conftest import Repository
from tests.domain.made import a_memory

PAGE = (Path(__file__).parents[2] / "docs/json.md").read_text("utf-8")
NAMED = re.compile(r"`([a-z_]+)`")
ROW = re.compile(r"^\| (`[a-z]+(?: --[a-z-]+)?`(?:, `[a-z]+`)*) \| (.+) \|$", re.MULTILINE)
TABLE = PAGE.partition("## What each command prints")[2].partition("\n## ")[0]
ROWS = {name: fields for names, fields in ROW.findall(TABLE) for name in re.findall(r"`([^`]+)`", names)}
MEMORY = frozenset(memory_json(a_memory(), FakeClock().now()))
COUNTED = frozenset(
    {"languages", "by_type", "by_state", "skipped", "stages", "record", "signals", "details", "types", "states"}
    | {"sources", "scopes", "visibility", "agents", "branches", "modules", "files", "ages", "presets"}
)
"""Objects whose keys are names of things, or have a table of their own."""

TOKENS = "src/shop/auth/tokens.py"
ASKED: dict[str, tuple[str, ...]] = {
    "remember": ("remember", "a token is never logged"),
    "edit": ("edit", "TRAP", "refresh() burns the token twice"),
    "show": ("show", "TRAP"),
    "pin": ("pin", "TRAP"),
    "mute": ("mute", "TRAP"),
    "list": ("list",),
    "list --counts": ("list", "--counts"),
    "bulk": ("bulk", "pin", "--type", "gotcha", "--yes"),
    "recall": ("recall", "token"),
    "review": ("review",),
    "ask": ("ask", "what burns the token?"),
    "why": ("why", "TRAP"),
    "forget": ("forget", "TRAP"),
    "restore": ("restore", "TRAP"),
    "wrong": ("wrong", "TRAP"),
    "prune": ("prune",),
    "brief": ("brief",),
    "status": ("status",),
    "sessions": ("sessions",),
    "told": ("told",),
    "proof": ("proof",),
    "sessions --mirror": ("sessions", "--mirror"),
    "locate": ("locate", "refresh the token"),
    "impact": ("impact", TOKENS),
    "modules": ("modules",),
    "module": ("module", "auth"),
    "index": ("index",),
    "init": ("init",),
    "rules": ("rules", "--dry-run"),
    "setup": ("setup", "claude-code", "--dry-run"),
    "uninstall": ("uninstall", "--dry-run"),
    "learn": ("learn",),
    "learn --dry-run": ("learn", "--dry-run"),
    "trust": ("trust",),
    "reader": ("reader", "status"),
    "embedder": ("embedder", "status"),
    "share": ("share",),
    "publish": ("publish", "--dry-run"),
    "share --all-projects": ("share", "--all-projects"),
    "share --dry-run": ("share", "--dry-run", "--remote", "git@example.com:ada/shop.git"),
    "conflicts": ("conflicts",),
    "note": ("note", "the token of a guest has no owner"),
    "config": ("config", "get", "synchronous"),
    "doctor": ("doctor",),
    "import": ("import", "memories.json"),
    "backup": ("backup",),
    "backup --list": ("backup", "--list"),
    "backup --restore": ("backup", "--restore", "latest", "--yes"),
}


def fields_of(name: str) -> set[str]:
    """What the page says of a command: its row, the section that this leads to, and a memory where it prints one."""
    row = ROWS[name]
    named = set(NAMED.findall(row)) | (MEMORY if "memor" in row else set())
    for anchor in re.findall(r"\(#([a-z-]+)\)", row):
        heading = rf"^##+ {anchor.replace('-', ' ')}$"
        named |= set(NAMED.findall(re.split(heading, PAGE, flags=re.MULTILINE | re.IGNORECASE)[1].split("\n## ")[0]))
    return named


def every_key(value: object) -> Iterator[str]:
    for item in value if isinstance(value, list) else []:
        yield from every_key(item)
    for name, inner in value.items() if isinstance(value, dict) else []:
        yield name
        yield from () if name in COUNTED else every_key(inner)


def test_every_command_that_prints_json_has_a_row() -> None:
    group = click.Context(holloway)
    found = {name: holloway.get_command(group, name) for names in CLI_COMMANDS.values() for name in names}
    takes = {name for name, each in found.items() if each and any("--json" in option.opts for option in each.params)}
    assert takes == {name.partition(" ")[0] for name in ROWS}
    assert set(ASKED) | {"explain", "review --session"} == set(ROWS)


@pytest.mark.promise("documented")
def test_every_field_that_a_command_prints_is_on_its_row(cli: Cli, trap: str, repository: Repository) -> None:
    (repository.root / "CLAUDE.md").write_text("# Rules\n\n- Money is always kept as integer cents.\n")
    cli("export", "memories.json")
    known = set(NAMED.findall(PAGE))
    for name, arguments in ASKED.items():
        done = cli(*(trap if each == "TRAP" else each for each in arguments), "--json")
        assert done.code == 0, (name, done.err)
        if name == "config":
            assert set(done.json["synchronous"]) <= fields_of(name)
            continue
        assert set(done.json) <= fields_of(name), name
        assert set(every_key(done.json)) <= known, name
