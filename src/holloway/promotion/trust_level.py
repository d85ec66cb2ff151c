"""Trust levels: what agents are told of what was learned, and what waits for approval; why, and what would change that.

A level is earned or chosen. Earned, it begins cautious, becomes standard by itself, and stays there; more is the
user's to ask for, and less is offered, never forced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway import config
from holloway.config import TRUST_EARNED, TRUST_NAMES, change_setting, trust_override
from holloway.domain.ports import format_stamp
from holloway.errors import InvalidInput
from holloway.store import lookup, session_ledger, status_counts

if TYPE_CHECKING:
    from pathlib import Path

    from holloway.config import Settings
    from holloway.store.session_ledger import FeedbackCounts
    from holloway.store.store import Store

CAUTIOUS, STANDARD, CONFIDENT, AUTONOMOUS = TRUST_NAMES

STANDARD_FROM_SESSIONS = 3
STANDARD_CONFIRMED_SHARE = 0.5
CONFIDENT_FROM_SESSIONS = 10
CONFIDENT_CORRECTED_BELOW = 0.05
CONFIDENT_UNCORRECTED_SESSIONS = 20
"""Sessions after which the level fits even if nobody ever corrected anything."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The level in force, its origin, and the counts that speak for another one."""

    level: int
    origin: str
    """`earned`, or what chose it: `project`, `config.toml`, an environment variable."""
    regard: FeedbackCounts
    flagged: int

    @property
    def name(self) -> str:
        """The name of the level."""
        return TRUST_NAMES[self.level]

    @property
    def offered(self) -> int:
        """The level that the counts suggest and only the user can choose; 0 if this one is right."""
        if self.level > CAUTIOUS and self.flagged >= status_counts.FLAGGED_IN_A_SESSION:
            return self.level - 1
        return CONFIDENT if self.level == STANDARD and is_fit_for_confident(self.regard) else 0

    @property
    def why(self) -> str:
        """The reason for this level."""
        if self.origin != "earned":
            return f"chosen ({self.origin})"
        if self.level == CAUTIOUS:
            return "the first sessions are watched before more is said"
        return f"earned in {STANDARD_FROM_SESSIONS} sessions or more"

    @property
    def advance(self) -> str:
        """The condition of the next level."""
        regard = self.regard
        if self.level == CAUTIOUS and self.origin == "earned":
            return (
                f"standard comes by itself after {STANDARD_FROM_SESSIONS} sessions watched and learned from "
                f"({regard.sessions} so far), with half of what was shown confirmed "
                f"({regard.confirmed} of {regard.shown}) or nothing corrected ({regard.corrected} so far)"
            )
        if self.level == CAUTIOUS:
            return "`holloway trust auto` lets it become standard by itself"
        if self.level == STANDARD:
            return (
                f"`holloway trust confident`, at your wish; it fits after {CONFIDENT_FROM_SESSIONS} sessions watched "
                f"and learned from ({regard.sessions} so far) with under {CONFIDENT_CORRECTED_BELOW:.0%} of what was "
                f"shown corrected ({regard.corrected} of {regard.shown}), and one correction at least or "
                f"{CONFIDENT_UNCORRECTED_SESSIONS} sessions"
            )
        return "`holloway trust autonomous`, at your wish" if self.level == CONFIDENT else ""

    @property
    def offer(self) -> str:
        """The offer in a sentence; empty if no other level is offered."""
        if not self.offered:
            return ""
        if self.offered < self.level:
            return status_counts.describe_lower_trust(self.level, self.flagged)
        name = TRUST_NAMES[self.offered]
        return f"little was corrected in {self.regard.sessions} sessions: `holloway trust {name}` would show more"


def is_fit_for_standard(counts: FeedbackCounts) -> bool:
    """Return whether the memories shown so far were confirmed often enough to show more."""
    confirmed = counts.shown > 0 and counts.confirmed >= STANDARD_CONFIRMED_SHARE * counts.shown
    return counts.sessions >= STANDARD_FROM_SESSIONS and (confirmed or counts.corrected == 0)


def is_fit_for_confident(counts: FeedbackCounts) -> bool:
    """Return whether the person, who has looked at the memories, corrected almost none of them."""
    looked_at = counts.corrected > 0 or counts.sessions >= CONFIDENT_UNCORRECTED_SESSIONS
    few = counts.corrected < CONFIDENT_CORRECTED_BELOW * counts.shown or not counts.corrected
    return counts.sessions >= CONFIDENT_FROM_SESSIONS and few and looked_at


class ProjectTrust:
    """The trust level of one project: reads it, sets it, and raises it once a better one was earned."""

    def __init__(self, store: Store, settings: Settings, home: Path) -> None:
        self._store = store
        self._settings = settings
        self._home = home

    @property
    def level(self) -> int:
        """The trust level in force here."""
        return trust_override() or lookup.read_trust_level(self._store.database.connection)

    def standing(self) -> Standing:
        """Return the level in force, its origin, and the counts that speak for another one."""
        chosen, origin = self._settings.resolve_value("trust_level")
        counts = session_ledger.count_feedback(self._store.database)
        return Standing(
            self.level,
            "earned" if chosen == TRUST_EARNED else origin,
            counts,
            status_counts.count_most_flagged(self._store.database.connection),
        )

    def offer_more_careful(self) -> str:
        """Return the offer of a more careful level, else an empty text. Cheap: asked when a session starts."""
        return status_counts.offer_lower_trust(self._store.database.connection)

    def choose(self, wanted: str) -> Standing:
        """Set the level of this project by its number or name; `auto` leaves it to be earned.

        Raises InvalidInput for an unknown level.
        """
        key = self._store.project.key
        change_setting("trust_level", _parse_level(wanted), key, str(self._home))
        self._settings = config.Settings.load_settings(key, str(self._home))
        self._store.set_meta("trust_settled_at", format_stamp(self._store.clock.now()))
        self.save()
        return self.standing()

    def advance(self) -> None:
        """Raise cautious to standard after a session that earned it. An earned level is never lowered again."""
        counts = session_ledger.count_feedback(self._store.database)
        if self._earned() == CAUTIOUS and is_fit_for_standard(counts):
            self._store.set_meta("trust_earned", str(STANDARD))
            self.save()

    def save(self) -> None:
        """Write the level that was chosen, or else earned, where hooks read it."""
        chosen = self._settings.stored_value("trust_level")
        self._store.set_meta("trust_level", str(self._earned()) if chosen == TRUST_EARNED else chosen)

    def _earned(self) -> int:
        return STANDARD if self._store.get_meta("trust_earned") == str(STANDARD) else CAUTIOUS


def _parse_level(wanted: str) -> str:
    name_or_number = wanted.strip().casefold()
    for number, name in TRUST_NAMES.items():
        if name_or_number in (str(number), name):
            return str(number)
    if name_or_number == TRUST_EARNED:
        return name_or_number
    levels = ", ".join(f"{number} {name}" for number, name in TRUST_NAMES.items())
    raise InvalidInput(f"There is no trust level {wanted[:40]!r}.", f"Levels: {levels}, or {TRUST_EARNED}.")
