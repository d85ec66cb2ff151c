"""The trust level of a project: how sure a memory must be before agents are told it unasked."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from holloway.cli.common import emit, json_option, many, opened, project_option, say

if TYPE_CHECKING:
    from holloway.service.results import Standing

SAYS = {
    1: "shows only what was confirmed or taught, and errors whose fix was seen",
    2: "shows all that qualifies",
    3: "shows all that qualifies; the review lists only what needs you",
    4: "shows all that qualifies; no summaries",
}


@click.command("trust")
@click.argument("level", required=False)
@json_option
@project_option
def trust_command(level: str | None, as_json: bool, project: str) -> None:
    """Show how much this project's memory may say unasked, why, and what would change that; or set it.

    LEVEL is 1 cautious, 2 standard, 3 confident, 4 autonomous, or auto: cautious first, standard once that is earned.

    \b
    Examples:
      holloway trust
      holloway trust confident
      holloway trust auto
    """
    with opened(project, create=level is not None) as memory:
        found = memory.trust.choose(level) if level else memory.trust.standing()
    if as_json:
        emit(standing_json(found))
    else:
        _told(found)


def standing_json(found: Standing) -> dict[str, object]:
    """A trust level as programs read it."""
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

    seen = found.regard
    say(f"Trust level {found.level}, {found.name}: {found.why}.", "bold")
    say(f"  {SAYS[found.level]}; confidence above {INJECTION_THRESHOLDS[found.level]:.2f}")
    counted = f"{many(seen.shown)} shown, {seen.confirmed} of them confirmed, {seen.corrected} corrected"
    say(f"  {many(seen.sessions, 'session')}; {counted}")
    if found.advance:
        say(f"  next: {found.advance}.", "dim")
    if found.offer:
        say(f"  {found.offer}.", "yellow")
