"""The trust command: show or set a project's trust level, the confidence threshold for injecting memories."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from holloway.cli.common import emit, json_option, many, opened, project_option, say

if TYPE_CHECKING:
    from holloway.service.results import Standing

SAYS = {
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
    with opened(project, create=level is not None) as memory:
        standing = memory.trust.choose(level) if level else memory.trust.standing()
    if as_json:
        emit(standing_json(standing))
    else:
        _told(standing)


def standing_json(found: Standing) -> dict[str, object]:
    """Return a trust level as JSON fields."""
    from holloway.config import INJECTION_THRESHOLDS

    return {
        "level": found.level,
        "name": found.name,
        "above_confidence": INJECTION_THRESHOLDS[found.level],
        "from": found.origin,
        "why": found.why,
        "advance": found.advance or None,
        "offered": found.offered or None,
        "offer": found.offer or None,
        **asdict(found.regard),
        "flagged_in_a_session": found.flagged,
    }


def _told(found: Standing) -> None:
    from holloway.config import INJECTION_THRESHOLDS

    counts = found.regard
    say(f"Trust level {found.level}, {found.name}: {found.why}.", "bold")
    say(f"  {SAYS[found.level]}; confidence above {INJECTION_THRESHOLDS[found.level]:.2f}")
    counts_text = f"{many(counts.shown)} shown, {counts.confirmed} of them confirmed, {counts.corrected} corrected"
    say(f"  {many(counts.sessions, 'session')}; {counts_text}")
    if found.advance:
        say(f"  next: {found.advance}.", "dim")
    if found.offer:
        say(f"  {found.offer}.", "yellow")
