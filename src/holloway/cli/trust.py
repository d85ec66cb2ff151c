"""The trust command: show or set a project's trust level, the confidence threshold for injecting memories."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from holloway.cli.common import format_count, json_option, open_memory, print_json, print_text, project_option

if TYPE_CHECKING:
    from holloway.service.results import Standing

LEVEL_DESCRIPTIONS = {
    1: "injects only confirmed or taught memories, and errors with an observed fix",
    2: "injects every memory above the threshold",
    3: "injects every memory above the threshold; the review lists only memories that need a decision",
    4: "injects every memory above the threshold; no session summaries",
}


@click.command("trust")
@click.argument("level", required=False)
@json_option
@project_option
def trust_command(level: str | None, as_json: bool, project: str) -> None:
    """Show or set this project's trust level: how much agents are shown unasked, why, and what would change it.

    LEVEL is 1 cautious, 2 standard, 3 confident, 4 autonomous, or auto: cautious first, standard once earned.

    \b
    Examples:
      holloway trust
      holloway trust confident
      holloway trust auto
    """
    with open_memory(project, create=level is not None) as memory:
        standing = memory.trust.choose(level) if level else memory.trust.standing()
    if as_json:
        print_json(standing_json(standing))
    else:
        _print_standing(standing)


def standing_json(standing: Standing) -> dict[str, object]:
    """Return a trust level as JSON fields."""
    from holloway.config import INJECTION_THRESHOLDS

    return {
        "level": standing.level,
        "name": standing.name,
        "above_confidence": INJECTION_THRESHOLDS[standing.level],
        "from": standing.origin,
        "why": standing.why,
        "advance": standing.advance or None,
        "offered": standing.offered or None,
        "offer": standing.offer or None,
        **asdict(standing.regard),
        "flagged_in_a_session": standing.flagged,
    }


def _print_standing(standing: Standing) -> None:
    from holloway.config import INJECTION_THRESHOLDS

    counts = standing.regard
    print_text(f"Trust level {standing.level}, {standing.name}: {standing.why}.", "bold")
    print_text(f"  {LEVEL_DESCRIPTIONS[standing.level]}; confidence above {INJECTION_THRESHOLDS[standing.level]:.2f}")
    counts_text = (
        f"{format_count(counts.shown)} shown, {counts.confirmed} of them confirmed, {counts.corrected} corrected"
    )
    print_text(f"  {format_count(counts.sessions, 'session')}; {counts_text}")
    if standing.advance:
        print_text(f"  next: {standing.advance}.", "dim")
    if standing.offer:
        print_text(f"  {standing.offer}.", "yellow")
