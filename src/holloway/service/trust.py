"""Trust levels: how much a project's memory may say unasked, why, and what would change it.

A level is earned or chosen. Earned, it begins cautious, becomes standard by itself, and stays there; more is the
user's to ask for, and less is offered, never forced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway import config
from holloway.config import TRUST_EARNED, TRUST_NAMES, change_setting, trust_override
from holloway.domain.ports import stamp
from holloway.errors import InvalidInput
from holloway.store import feedback_counts, lookup

if TYPE_CHECKING:
    from holloway.config import Settings
    from holloway.service.open_project import Opened
    from holloway.store.feedback_counts import Regard
    from holloway.store.store import Store

CAUTIOUS, STANDARD, CONFIDENT, AUTONOMOUS = TRUST_NAMES

STANDARD_FROM_SESSIONS = 3
STANDARD_CONFIRMED_SHARE = 0.5
CONFIDENT_FROM_SESSIONS = 10
CONFIDENT_CORRECTED_BELOW = 0.05
CONFIDENT_UNCORRECTED_SESSIONS = 20
"""So many sessions say enough where nobody ever corrected anything."""
FLAGGED_IN_A_SESSION = 3
"""So many memories called wrong in one session, and a more careful level is offered."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The level in force, where it comes from, and the counts that speak for another."""

    level: int
    origin: str
    """`earned`, or what chose it: `project`, `config.toml`, an environment variable."""
    regard: Regard
    flagged: int

    @property
    def name(self) -> str:
        """The level in a word."""
        return TRUST_NAMES[self.level]

    @property
    def offered(self) -> int:
        """A level that the counts speak for and nobody but the user chooses; 0 where this one is right."""
        if self.level > CAUTIOUS and self.flagged >= FLAGGED_IN_A_SESSION:
            return self.level - 1
        return CONFIDENT if self.level == STANDARD and fit_for_confident(self.regard) else 0

    @property
    def why(self) -> str:
        """Why it is this level."""
        if self.origin != "earned":
            return f"chosen ({self.origin})"
        if self.level == CAUTIOUS:
            return "the first sessions are watched before more is said"
        return f"earned in {STANDARD_FROM_SESSIONS} sessions or more"

    @property
    def advance(self) -> str:
        """What would bring the next level."""
        seen = self.regard
        if self.level == CAUTIOUS and self.origin == "earned":
            return (
                f"standard comes by itself after {STANDARD_FROM_SESSIONS} sessions watched and learned from "
                f"({seen.sessions} so far), with half of what was shown confirmed ({seen.confirmed} of {seen.shown}) "
                f"or nothing corrected ({seen.corrected} so far)"
            )
        if self.level == CAUTIOUS:
            return "`holloway trust auto` lets it become standard by itself"
        if self.level == STANDARD:
            return (
                f"`holloway trust confident`, at your wish; it fits after {CONFIDENT_FROM_SESSIONS} sessions watched "
                f"and learned from ({seen.sessions} so far) with under {CONFIDENT_CORRECTED_BELOW:.0%} of what was "
                f"shown corrected ({seen.corrected} of {seen.shown}), and one correction at least or "
                f"{CONFIDENT_UNCORRECTED_SESSIONS} sessions"
            )
        return "`holloway trust autonomous`, at your wish" if self.level == CONFIDENT else ""

    @property
    def offer(self) -> str:
        """The offer in a sentence; empty where there is none."""
        if not self.offered:
            return ""
        if self.offered < self.level:
            return _less(self.level, self.flagged)
        name = TRUST_NAMES[self.offered]
        return f"little was corrected in {self.regard.sessions} sessions: `holloway trust {name}` would show more"


def fit_for_standard(seen: Regard) -> bool:
    """Whether what was shown so far proved right often enough to say more."""
    confirmed = seen.shown > 0 and seen.confirmed >= STANDARD_CONFIRMED_SHARE * seen.shown
    return seen.sessions >= STANDARD_FROM_SESSIONS and (confirmed or seen.corrected == 0)


def fit_for_confident(seen: Regard) -> bool:
    """Whether a person who looks at what is shown found next to nothing to correct."""
    looked_at = seen.corrected > 0 or seen.sessions >= CONFIDENT_UNCORRECTED_SESSIONS
    few = seen.corrected < CONFIDENT_CORRECTED_BELOW * seen.shown or not seen.corrected
    return seen.sessions >= CONFIDENT_FROM_SESSIONS and few and looked_at


def standing(memory: Opened) -> Standing:
    """The trust level in force here, and what speaks for another."""
    chosen, origin = memory.settings.resolve("trust_level")
    seen = feedback_counts.regard(memory.store.database)
    flagged = feedback_counts.most_flagged(memory.store.database, memory.store.noted("trust_settled_at"))
    return Standing(level(memory), "earned" if chosen == TRUST_EARNED else origin, seen, flagged)


def more_careful(memory: Opened) -> str:
    """The offer of a more careful level; empty where nothing speaks for one. Cheap: asked when a session starts."""
    now = level(memory)
    flagged = (
        feedback_counts.most_flagged(memory.store.database, memory.store.noted("trust_settled_at"))
        if now > CAUTIOUS
        else 0
    )
    return _less(now, flagged) if flagged >= FLAGGED_IN_A_SESSION else ""


def _less(now: int, flagged: int) -> str:
    name = TRUST_NAMES[now - 1]
    return f"{flagged} memories of one session were wrong: `holloway trust {name}` shows fewer and surer ones"


def level(memory: Opened) -> int:
    """The trust level in force here."""
    return trust_override() or lookup.trust_level(memory.store.database.connection)


def choose(memory: Opened, wanted: str) -> Standing:
    """Set the level of this project, by its number or name; `auto` leaves it to be earned. It holds from now on."""
    change_setting("trust_level", _value(wanted), memory.project.key, str(memory.home))
    memory.settings = config.Settings.load(memory.project.key, str(memory.home))
    memory.store.note("trust_settled_at", stamp(memory.clock.now()))
    keep(memory.store, memory.settings)
    return standing(memory)


def advance(memory: Opened) -> None:
    """After a session: cautious becomes standard where that was earned. An earned level is not taken back."""
    if _earned(memory.store) == CAUTIOUS and fit_for_standard(feedback_counts.regard(memory.store.database)):
        memory.store.note("trust_earned", str(STANDARD))
        keep(memory.store, memory.settings)


def keep(store: Store, settings: Settings) -> None:
    """Leave the level where hooks read it: the one that was chosen, or else the one that was earned."""
    chosen = settings.stored("trust_level")
    store.note("trust_level", str(_earned(store)) if chosen == TRUST_EARNED else chosen)


def _earned(store: Store) -> int:
    return STANDARD if store.noted("trust_earned") == str(STANDARD) else CAUTIOUS


def _value(wanted: str) -> str:
    said = wanted.strip().casefold()
    for number, name in TRUST_NAMES.items():
        if said in (str(number), name):
            return str(number)
    if said == TRUST_EARNED:
        return said
    known = ", ".join(f"{number} {name}" for number, name in TRUST_NAMES.items())
    raise InvalidInput(f"There is no trust level {wanted[:40]!r}.", f"Levels: {known}, or {TRUST_EARNED}.")
