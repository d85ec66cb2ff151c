"""The rules command: import rules files (CLAUDE.md, AGENTS.md, .cursorrules) as memories to review."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from holloway.cli.common import emit, json_option, many, opened, project_option, redaction_note, say

if TYPE_CHECKING:
    from holloway.service.results import RuleChange, RulesImported

SHOWN_MAX = 12
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

    with opened(project, create=not dry_run) as memory:
        imported = memory.import_rules(dry_run=dry_run)
    if as_json:
        emit(rules_json(imported))
        return
    if dry_run:
        for entry in imported.added:
            _entry(entry)
    say(counted(imported, would=dry_run), "green")
    _refusals(imported)
    redaction_note(imported.redacted)
    if imported.added and not dry_run:
        say("Review them with `holloway review`, or approve a whole file with `holloway review --ok-all-from PATH`.")


def rules_json(done: RulesImported) -> dict[str, object]:
    """Return the result of an import as JSON fields."""
    from dataclasses import asdict  # loaded when the command runs

    return asdict(done)


def preview(found: RulesImported) -> None:
    """Print what would be imported: rules per file, and the first rules."""
    by_file = Counter(entry.path for entry in found.added)
    say("Rules found: " + ", ".join(f"{path} ({number})" for path, number in by_file.most_common()), "bold")
    for entry in found.added[:SHOWN_MAX]:
        _entry(entry)
    if len(found.added) > SHOWN_MAX:
        say(f"  and {len(found.added) - SHOWN_MAX} more (`holloway rules --dry-run`)", "dim")


def counted(done: RulesImported, *, would: bool = False) -> str:
    """Return the result of an import in one line."""
    if not done.files and not done.removed:
        return "No rules found in CLAUDE.md, AGENTS.md, .cursorrules or similar files."
    number = many(len(done.added), "rule")
    added_text = f"Would import {number}" if would else f"Imported {number} for review"
    other_text = f"{len(done.changed)} changed, {len(done.removed)} removed, {done.unchanged} unchanged"
    refused_text = f", {len(done.refused)} refused" if done.refused else ""
    return f"{added_text} from {many(len(done.files), 'file')}; {other_text}{refused_text}."


def _entry(entry: RuleChange) -> None:
    from holloway.text.sanitize import one_line  # loaded when the command runs

    quarantine_note = "  (quarantined)" if entry.state == "quarantined" else ""
    say(f"  {entry.type:<12} {one_line(entry.content, 100)}{quarantine_note}")
    say(f"               {entry.path}:{entry.line}{f', {entry.heading}' if entry.heading else ''}", "dim")


def _refusals(done: RulesImported) -> None:
    for entry in done.refused:
        say(f"  not imported, {entry.reason}: {entry.path}:{entry.line}", "yellow")
    for problem in done.problems:
        say(f"  {problem}", "yellow")
