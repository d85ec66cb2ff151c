"""Experiment groups: which sessions are left without injections, so that their effect can be measured.

A project takes part once its user turned that on (`holloway proof on`). Each session, or each work unit of an agent in
Python, is assigned to a group by a hash, so that a retry or a resumed session stays in its group.
"""

from __future__ import annotations

from holloway.store import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FULL = "full"
PASSIVE = "passive"
CONTROL = "control"
GROUPS = (FULL, PASSIVE, CONTROL)

PASSIVE_POINTS = frozenset(("session_start", "prompt"))
"""Injection points of a session in the passive group; the control group has none."""
_BUCKETS = 10_000


class Experiment:
    """The experiment of one project: when it began, and the percentage of sessions in each smaller group."""

    def __init__(self, salt: str, since: str, control_percent: int, passive_percent: int) -> None:
        self.salt = salt
        self.since = since
        """Sessions that began earlier do not take part."""
        self.control_percent = control_percent
        self.passive_percent = passive_percent

    def assign_group(self, unit: str) -> str:
        """Return the group of a session or work unit; the same unit has the same group at any time."""
        from _blake2 import blake2b  # the module behind hashlib, which would load much more

        digest = blake2b(unit.encode("utf-8", "replace"), key=self.salt.encode()[:64], digest_size=8).digest()
        position = int.from_bytes(digest, "big") % _BUCKETS * 100 / _BUCKETS
        if position < self.control_percent:
            return CONTROL
        return PASSIVE if position < self.control_percent + self.passive_percent else FULL


def load_experiment(folder: str) -> Experiment | None:
    """Return the experiment of the project with this data folder; None if its user did not turn one on."""
    stored = registry.read_hook_settings(folder).get(registry.EXPERIMENT)
    if not isinstance(stored, dict):
        return None
    salt, since = stored.get("salt"), stored.get("since")
    percents = stored.get("control"), stored.get("passive")
    if not isinstance(salt, str) or not isinstance(since, str) or not all(isinstance(value, int) for value in percents):
        return None
    return Experiment(salt, since, int(percents[0] or 0), int(percents[1] or 0))


def assign_session(folder: str, session: str, work_unit: Sequence[str] = ()) -> str | None:
    """Return the group of a session, by its work unit if it has one; None without an experiment."""
    experiment = load_experiment(folder)
    return experiment.assign_group("\n".join(work_unit) or session) if experiment else None


def is_withheld(group: str | None, point: str) -> bool:
    """Return whether sessions of a group get nothing at an injection point."""
    return group == CONTROL or (group == PASSIVE and point not in PASSIVE_POINTS)
