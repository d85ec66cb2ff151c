"""Rules files: what they say becomes memories to review."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from holloway.cli.common import emit, json_option, many, opened, project_option, redaction_note, say

if TYPE_CHECKING:
    from holloway.service.results import RuleChange, RulesImported

SHOWN_MAX = 12
"""So many rules are shown before they are taken in; `holloway rules --dry-run` shows all."""


@click.command("rules")
@click.option("--dry-run", is_flag=True, help="Show what would be taken in; change nothing.")
@json_option
@project_option
def rules_command(dry_run: bool, as_json: bool, project: str) -> None:
    """Read CLAUDE.md, AGENTS.md, .cursorrules and the like, each rule as a memory that waits for your review.

    Run it again after the files changed: new words replace the old, what is gone is set aside, and what you edited
    or dropped stays as you left it.

    \b
    Examples:
      holloway rules --dry-run
      holloway rules && holloway review
    """

    with opened(project, create=not dry_run) as memory:
        done = memory.import_rules(dry_run=dry_run)
    if as_json:
        emit(rules_json(done))
        return
    if dry_run:
        for entry in done.added:
            _entry(entry)
    say(counted(done, would=dry_run), "green")
    _refusals(done)
    redaction_note(done.redacted)
    if done.added and not dry_run:
        say("They wait for you: `holloway review`, or `holloway review --ok-all-from PATH` for a whole file.")


def rules_json(done: RulesImported) -> dict[str, object]:
    """What was read, as programs see it."""
    from dataclasses import asdict  # loaded when the command runs

    return asdict(done)


def preview(found: RulesImported) -> None:
    """What an import would take in: the files with their numbers, and the first rules."""
    by_file = Counter(entry.path for entry in found.added)
    say("Rules found: " + ", ".join(f"{path} ({number})" for path, number in by_file.most_common()), "bold")
    for entry in found.added[:SHOWN_MAX]:
        _entry(entry)
    if len(found.added) > SHOWN_MAX:
        say(f"  and {len(found.added) - SHOWN_MAX} more (`holloway rules --dry-run`)", "dim")


def counted(done: RulesImported, *, would: bool = False) -> str:
    """The outcome in a line."""
    if not done.files and not done.removed:
        return "No rule was found in CLAUDE.md, AGENTS.md, .cursorrules or the like."
    number = many(len(done.added), "rule")
    taken = f"Would take in {number}" if would else f"Took in {number} for review"
    rest = f"{len(done.changed)} changed, {len(done.removed)} gone, {done.unchanged} unchanged"
    refused = f", {len(done.refused)} refused" if done.refused else ""
    return f"{taken} from {many(len(done.files), 'file')}; {rest}{refused}."


def _entry(entry: RuleChange) -> None:
    from holloway.text.sanitize import one_line  # loaded when the command runs

    held = "  (quarantined)" if entry.state == "quarantined" else ""
    say(f"  {entry.type:<12} {one_line(entry.content, 100)}{held}")
    say(f"               {entry.path}:{entry.line}{f', {entry.heading}' if entry.heading else ''}", "dim")


def _refusals(done: RulesImported) -> None:
    for entry in done.refused:
        say(f"  not taken, {entry.reason}: {entry.path}:{entry.line}", "yellow")
    for problem in done.problems:
        say(f"  {problem}", "yellow")
