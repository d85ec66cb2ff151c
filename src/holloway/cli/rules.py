"""The rules command: import rules files (CLAUDE.md, AGENTS.md, .cursorrules) as memories to review."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from holloway.cli.common import (
    format_count,
    json_option,
    open_memory,
    print_json,
    print_redaction_note,
    print_text,
    project_option,
)

if TYPE_CHECKING:
    from holloway.service.results import RuleChange, RulesImported

RULES_SHOWN_MAX = 12
"""Rules shown before an import; `holloway rules --dry-run` shows all."""


@click.command("rules")
@click.option("--dry-run", is_flag=True, help="Show what would be imported without importing it.")
@json_option
@project_option
def rules_command(dry_run: bool, as_json: bool, project: str) -> None:
    """Import CLAUDE.md, AGENTS.md, .cursorrules and similar files: each rule becomes a memory to review.

    Run it again after the files changed: changed rules are updated, deleted rules are removed, and memories that you
    edited or dropped stay as they are.

    \b
    Examples:
      holloway rules --dry-run
      holloway rules && holloway review
    """

    with open_memory(project, create=not dry_run) as memory:
        imported = memory.import_rules(dry_run=dry_run)
    if as_json:
        print_json(rules_json(imported))
        return
    if dry_run:
        for entry in imported.added:
            _print_entry(entry)
    print_text(describe_import(imported, would=dry_run), "green")
    _print_refusals(imported)
    print_redaction_note(imported.redacted)
    if imported.added and not dry_run:
        print_text(
            "Review them with `holloway review`, or approve a whole file with `holloway review --ok-all-from PATH`."
        )


def rules_json(imported: RulesImported) -> dict[str, object]:
    """Return the result of an import as JSON fields."""
    from dataclasses import asdict  # loaded when the command runs

    return asdict(imported)


def print_preview(imported: RulesImported) -> None:
    """Print what would be imported: rules per file, and the first rules."""
    by_file = Counter(entry.path for entry in imported.added)
    print_text("Rules found: " + ", ".join(f"{path} ({number})" for path, number in by_file.most_common()), "bold")
    for entry in imported.added[:RULES_SHOWN_MAX]:
        _print_entry(entry)
    if len(imported.added) > RULES_SHOWN_MAX:
        print_text(f"  and {len(imported.added) - RULES_SHOWN_MAX} more (`holloway rules --dry-run`)", "dim")


def describe_import(imported: RulesImported, *, would: bool = False) -> str:
    """Return the result of an import in one line."""
    if not imported.files and not imported.removed:
        return "No rules found in CLAUDE.md, AGENTS.md, .cursorrules or similar files."
    number = format_count(len(imported.added), "rule")
    added_text = f"Would import {number}" if would else f"Imported {number} for review"
    other_text = f"{len(imported.changed)} changed, {len(imported.removed)} removed, {imported.unchanged} unchanged"
    refused_text = f", {len(imported.refused)} refused" if imported.refused else ""
    return f"{added_text} from {format_count(len(imported.files), 'file')}; {other_text}{refused_text}."


def _print_entry(entry: RuleChange) -> None:
    from holloway.text.sanitize import one_line  # loaded when the command runs

    quarantine_note = "  (quarantined)" if entry.state == "quarantined" else ""
    print_text(f"  {entry.type:<12} {one_line(entry.content, 100)}{quarantine_note}")
    print_text(f"               {entry.path}:{entry.line}{f', {entry.heading}' if entry.heading else ''}", "dim")


def _print_refusals(imported: RulesImported) -> None:
    for entry in imported.refused:
        print_text(f"  not imported, {entry.reason}: {entry.path}:{entry.line}", "yellow")
    for problem in imported.problems:
        print_text(f"  {problem}", "yellow")
