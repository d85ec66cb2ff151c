"""Regenerate the generated parts of the project: `make docs`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import click

from docs import agents, architecture, events, promises, reliability
from docs.console import BLOCK, Shell, fill_blocks
from docs.reference import methods_table, record_table
from holloway.cli import CLI_COMMANDS, holloway
from holloway.config import SETTINGS
from holloway.install import plugin
from holloway.mcp.server import MCP_TOOLS
from holloway.mcp.tools import Tools
from holloway.store import migrations
from holloway.store.database import Database
from holloway.testing import CountedIds, FakeClock
from tests.conftest import make_repository

DOCS = Path(__file__).parent
SCHEMA = Path(migrations.__file__).with_name("schema.sql")
PAGES = [DOCS.parent / "README.md", *sorted(DOCS.glob("*.md"))]


def schema() -> str:
    """Return the schema that the migrations create."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "memory.db")
        migrations.migrate_database(database, FakeClock(), CountedIds())
        schema_text = schema_of(database)
        database.close()
    return schema_text


def schema_of(database: Database) -> str:
    """The statements that make a database what it is, in the order of the migrations."""
    rows = database.fetch_rows(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'memories_fts_%' "
        "ORDER BY type = 'trigger', type = 'index', tbl_name = 'migrations', rowid"
    )
    head = "-- The schema that the migrations make, to be read. `make docs` writes it anew.\n\n"
    return head + "".join(f"{row['sql']};\n\n" for row in rows)


def commands_page() -> str:
    """Every command with its help."""
    lines = ["# Commands", "", "Written by `make docs` from the commands themselves.", ""]
    group = click.Context(holloway, info_name="holloway", **holloway.context_settings)
    for section, commands in CLI_COMMANDS.items():
        lines += [f"## {section}", ""]
        for name in commands:
            command = holloway.get_command(group, name)
            assert command is not None
            context = click.Context(command, info_name=name, parent=group, max_content_width=100, terminal_width=100)
            lines += [f"### `holloway {name}`", "", "```text", command.get_help(context), "```", ""]
    return "\n".join(lines)


def settings_page() -> str:
    """Every setting with its default and meaning."""
    lines = [
        "# Settings",
        "",
        "Written by `make docs` from the table of settings. They live in `config.toml` in the data folder;",
        "`holloway config set KEY VALUE` writes them and keeps your comments, `--here` writes them for one project.",
        "An environment variable goes before both.",
        "",
        "| key | default | values | variable | meaning |",
        "| --- | --- | --- | --- | --- |",
    ]
    for entry in SETTINGS.values():
        values = entry.allowed_values
        lines.append(
            f"| `{entry.key}` | {entry.default} | {values} | `{entry.environment_variable}` | {entry.meaning} |"
        )
    lines += [
        "",
        "Three more variables are read from the environment alone, because a hook has no time for a parser:",
        "",
        "| variable | meaning |",
        "| --- | --- |",
        "| `HOLLOWAY_HOME` | the data folder, instead of the platform's place for such data |",
        "| `HOLLOWAY_PATIENCE` | how many times its usual deadline a hook may take, for machines that are slow |",
        "| `HOLLOWAY_DEBUG` | show the traceback of an unexpected error |",
        "",
    ]
    return "\n".join(lines)


GENERATED: dict[str, Callable[[], str]] = {
    **agents.PAGES,
    "architecture.md": architecture.render_page,
    "commands.md": commands_page,
    "events.md": events.render_page,
    "promises.md": promises.render_page,
    "reliability.md": reliability.render_page,
    "settings.md": settings_page,
}
"""Pages that are written whole."""


def tools_table() -> str:
    """Every tool of the MCP server, as agents read of it."""
    rows = [
        f"| `{name}` | {'reads' if reads else 'writes'} | {' '.join((getattr(Tools, name).__doc__ or '').split())} |"
        for name, reads in MCP_TOOLS.items()
    ]
    return "\n".join(["| tool | | what the agent is told |", "| --- | --- | --- |", *rows])


TABLES: dict[str, tuple[str, Callable[[], str]]] = {
    "../README.md": ("agents", agents.render_matrix),
    "json.md": ("record", record_table),
    "mcp.md": ("tools", tools_table),
    "python.md": ("methods", methods_table),
}
"""Pages with a table that is written from the code: the name of its marks, and what makes it."""


def with_table(page: str) -> str:
    """Return a page with its table regenerated from the code."""
    mark, render_table = TABLES[page]
    head, start, remainder = (DOCS / page).read_text("utf-8").partition(f"<!-- {mark} -->\n")
    return head + start + render_table() + "\n" + remainder[remainder.index(f"<!-- /{mark} -->") :]


def fill(page: Path) -> str:
    """Return a page whose console blocks show the real output of their commands."""
    text = page.read_text("utf-8")
    if not BLOCK.search(text):
        return text
    with tempfile.TemporaryDirectory() as folder:
        project = make_repository(Path(folder) / "shop").root
        return fill_blocks(text, Shell(project, Path(folder)))


if __name__ == "__main__":
    SCHEMA.write_text(schema(), "utf-8")
    for name, render_page in GENERATED.items():
        (DOCS / name).write_text(render_page(), "utf-8")
    for name in TABLES:
        (DOCS / name).write_text(with_table(name), "utf-8")
    for name, text in plugin.render_plugins().items():
        (DOCS.parent / name).parent.mkdir(parents=True, exist_ok=True)
        (DOCS.parent / name).write_text(text, "utf-8")
    for page_path in PAGES:
        page_path.write_text(fill(page_path), "utf-8")
