"""The experiment of a project, in which some sessions are told less: what it means, on, off, and its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holloway import config
from holloway.domain.ports import format_stamp
from holloway.errors import InvalidInput
from holloway.service.project_finder import refresh_hook_settings

if TYPE_CHECKING:
    from datetime import datetime

    from holloway.store.project import Project

CONSENT = (
    "Chance decides for each session of this project what its agent is told unasked: nothing in {control} % of them",
    "(control), only at the start and with a prompt in {passive} % (passive), everything in the rest. All are observed",
    "and learned from, and what an agent asks is answered. Nothing leaves this machine; `holloway proof off` ends it.",
)


def describe_consent(control_percent: int, passive_percent: int) -> list[str]:
    """Return in plain words what measuring means for the sessions of a project."""
    return [line.format(control=control_percent, passive=passive_percent) for line in CONSENT]


def turn_on(project: Project, now: datetime, control_percent: int, passive_percent: int) -> None:
    """Begin to assign sessions to groups; sessions that run already do not take part."""
    if control_percent < 1:
        raise InvalidInput("Without a control group nothing can be measured.", "Choose --control 1 or more.")
    home = config.data_home()
    for name, percent in (("control", control_percent), ("passive", passive_percent)):
        config.change_setting(f"proof.{name}_percent", str(percent), project.key, home)
    config.change_setting("proof.since", format_stamp(now), project.key, home)
    refresh_hook_settings()


def turn_off(project: Project) -> None:
    """Tell every session everything again; what was measured stays."""
    config.change_setting("proof.since", "", project.key, config.data_home())
    refresh_hook_settings()


def describe_experiment(settings: config.Settings) -> dict[str, Any]:
    """Return whether an experiment runs in a project, since when, and the percentages of its smaller groups."""
    return {
        "on": bool(settings.stored_value("proof.since")),
        "since": settings.stored_value("proof.since") or None,
        "control_percent": int(settings.stored_value("proof.control_percent")),
        "passive_percent": int(settings.stored_value("proof.passive_percent")),
    }
