"""Review cards: the end of a session, and everything that waits for a person, one decision after the other."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from holloway.domain.codec import encode
from holloway.domain.memory import ReviewReason, State, parse_choice
from holloway.errors import InvalidInput
from holloway.promotion import trust_level
from holloway.promotion.rules_files.rules_import import describe_origin
from holloway.service import bulk_actions, session_report
from holloway.service.activity_feed import TITLE_CHARS_MAX
from holloway.service.bulk_actions import BulkAction
from holloway.service.health import TokenBalance, balance_tokens
from holloway.service.results import memory_json
from holloway.service.session_pages import MemoryUse, find_use
from holloway.service.session_report import explain_session
from holloway.store import candidates, observations, session_ledger
from holloway.text.sanitize import first_paragraph, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from holloway.domain.memory import Memory
    from holloway.domain.work import SessionSummary
    from holloway.service.holloway import Holloway
    from holloway.service.session_report import SessionReport
    from holloway.store.bulk_changes import BulkChange

DISMISSALS_MAX = 3
"""Reviews that a person may leave in a row before only sessions with many new memories are reviewed."""
NEW_MEMORIES_MIN = 4
"""New memories from which a session is reviewed all the same."""
CARDS_MAX = 200


class ReviewMode(StrEnum):
    """How the end of a session is reviewed, by trust level."""

    EACH = "each"
    """Level 1: every new memory is asked about."""
    ALL = "all"
    """Level 2: confirming all is the default."""
    NEEDED = "needed"
    """Level 3: only what needs a decision is listed."""
    ON_DEMAND = "on_demand"
    """Level 4: nothing is listed unless the person opens it."""


_MODES = {
    trust_level.CAUTIOUS: ReviewMode.EACH,
    trust_level.STANDARD: ReviewMode.ALL,
    trust_level.CONFIDENT: ReviewMode.NEEDED,
    trust_level.AUTONOMOUS: ReviewMode.ON_DEMAND,
}


class CardDecision(StrEnum):
    """The decisions that a person can make on a card."""

    OK = "ok"
    EDIT = "edit"
    DROP = "drop"
    LATER = "later"


@dataclass(frozen=True, slots=True)
class EvidenceQuote:
    """Words of a session on which a memory rests: who said them, and the untrusted place they came from, if any."""

    voice: str
    text: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class ReviewCard:
    """A memory to decide on: its number among the cards, why it is asked about, and its evidence."""

    memory: Memory
    number: int
    total: int
    reason: ReviewReason | None
    """None for a new memory that nothing speaks against."""
    origin: str
    """The line of a rules file or the address that it came from; empty otherwise."""
    quotes: tuple[EvidenceQuote, ...]
    signal: str
    """Kind of the signal that was observed, such as `error_retry`; empty if none was."""
    session: str

    @property
    def is_confirmed_by_default(self) -> bool:
        """Whether "confirm all" includes it: nothing speaks against it."""
        return self.reason is None and self.memory.state is State.UNCONFIRMED

    def to_json(self, now: datetime) -> dict[str, Any]:
        """Return the card as JSON fields."""
        return {
            "memory": memory_json(self.memory, now),
            "reason": str(self.reason) if self.reason else None,
            "origin": self.origin,
            "quotes": encode(self.quotes),
            "signal": self.signal,
            "confirmed_by_default": self.is_confirmed_by_default,
        }


@dataclass(frozen=True, slots=True)
class UsedMemory:
    """A memory that a session used: how, and for which of its files."""

    memory: Memory
    use: MemoryUse
    files: tuple[str, ...]
    point: str
    """The point at which the agent was told it last."""


@dataclass(frozen=True, slots=True)
class SessionReview:
    """The review of a session that ended."""

    session: SessionSummary
    title: str
    """Its task."""
    mode: ReviewMode
    tokens: TokenBalance | None
    used: tuple[UsedMemory, ...]
    learned: tuple[ReviewCard, ...]
    learned_total: int
    """New memories of the session, also those that need no decision."""

    def to_json(self, now: datetime) -> dict[str, Any]:
        """Return the review as JSON fields."""
        return {
            "session": self.session.id,
            "title": self.title,
            "mode": str(self.mode),
            "tokens": {**encode(self.tokens), "net": self.tokens.net} if self.tokens else None,
            "used": [
                {"id": used.memory.id, "summary": used.memory.summary, "use": str(used.use), "point": used.point}
                for used in self.used
            ],
            "cards": [card.to_json(now) for card in self.learned],
            "learned_total": self.learned_total,
        }


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """Everything that waits for a person today, and how many there are in all."""

    cards: tuple[ReviewCard, ...]
    total: int


def find_due_review(memory: Holloway) -> SessionReview | None:
    """Return the review of the latest session that the person should be asked about now; None without one.

    An earlier session is offered for memories of it that are undecided. At level 4 nobody is asked. A person who left
    three reviews in a row is asked about sessions with more than three new memories only, and about a review that was
    left already not again.
    """
    if _MODES[memory.trust.level] is ReviewMode.ON_DEMAND:
        return None
    left = set(session_report.list_left_sessions(memory))
    without_cards = None
    for place, session in enumerate(session_report.list_ended_sessions(memory)):
        if session.id in left:
            continue
        review = review_session(memory, session.id)
        if session_report.count_ignored(memory, session.id) >= DISMISSALS_MAX and (
            review.learned_total < NEW_MEMORIES_MIN
        ):
            continue
        if review.learned:
            return review
        if place == 0 and review.mode is not ReviewMode.NEEDED and (review.used or review.tokens):
            without_cards = review
    return without_cards


def review_session(memory: Holloway, reference: str) -> SessionReview:
    """Return the review of a session on demand, given by the beginning of its id; raises InvalidInput without one."""
    report, mode = explain_session(memory, reference), _MODES[memory.trust.level]
    session = report.session
    learned = [lesson for lesson in report.learned if lesson.session == session.id and lesson.is_alive]
    undecided = [lesson for lesson in learned if lesson.state is not State.CONFIRMED]
    listed = [lesson for lesson in undecided if lesson.review] if mode is ReviewMode.NEEDED else undecided
    return SessionReview(
        session,
        one_line(first_paragraph(session.task), TITLE_CHARS_MAX) or session.id,
        mode,
        balance_tokens(session.id, report.record),
        _list_used(memory, report),
        _make_cards(memory, listed),
        len(learned),
    )


def show_review(memory: Holloway) -> SessionReview | None:
    """Return the review that is due, and record that the person was shown it."""
    review = find_due_review(memory)
    if review is not None:
        session_report.note_shown(memory, review.session.id)
    return review


def dismiss_review(memory: Holloway, session: str) -> None:
    """Leave the review of a session for later: it is not offered again, and counts as one of those left in a row."""
    session_report.note_dismissal(memory, session)


def list_review_queue(memory: Holloway, *, limit: int = CARDS_MAX) -> ReviewQueue:
    """Return the cards of all memories that wait for a person today: imported rules, quarantined and stale ones."""
    waiting = memory.to_review(max(1, min(limit, CARDS_MAX)))
    return ReviewQueue(_make_cards(memory, waiting), memory.count_to_review())


def _list_used(memory: Holloway, report: SessionReport) -> tuple[UsedMemory, ...]:
    database, session = memory.store.database, report.session.id
    tellings = session_ledger.list_session_tellings(database, session)
    points = {telling.memory: telling.point for telling in tellings}
    reported = {telling.memory for telling in tellings if telling.point == session_ledger.REPORTED_USEFUL}
    opened = {path for path, _ in observations.list_session_files(database, [session])[session]}
    return tuple(
        UsedMemory(
            used,
            find_use(used.id, report.record, reported),
            tuple(path for path in used.files if path in opened),
            points.get(used.id, ""),
        )
        for used in report.used
        if used.is_alive
    )


def _make_cards(memory: Holloway, memories: Sequence[Memory]) -> tuple[ReviewCard, ...]:
    return tuple(_make_card(memory, card, number, len(memories)) for number, card in enumerate(memories, 1))


def _make_card(memory: Holloway, card: Memory, number: int, total: int) -> ReviewCard:
    store, _ = memory.opened.find_memory(card.id)
    sightings = candidates.list_memory_candidates(store.database, card.id)
    quotes = next((quotes for sighting in reversed(sightings) if (quotes := parse_quotes(sighting.draft))), ())
    signal = sightings[-1].signal if sightings else ""
    return ReviewCard(card, number, total, card.review, describe_origin(card) or "", quotes, signal, card.session)


def parse_quotes(draft: dict[str, object]) -> tuple[EvidenceQuote, ...]:
    """Return the quotes in the draft of a candidate; entries that cannot be read are left out."""
    quotes = draft.get("quotes")
    return tuple(
        EvidenceQuote(str(quote.get("voice", "")), str(quote.get("text", "")), str(quote.get("source") or ""))
        for quote in (quotes if isinstance(quotes, list) else ())
        if isinstance(quote, dict)
    )


def decide_card(memory: Holloway, memory_id: str, decision: CardDecision | str, *, text: str = "") -> Memory:
    """Apply a person's decision to a card and return the memory; an edit needs the new text.

    Raises InvalidInput for an unknown decision, an edit without text, and a forgotten memory.
    """
    chosen = parse_choice(CardDecision, decision)
    if chosen is CardDecision.LATER:
        return memory.later(memory_id)
    if chosen is CardDecision.EDIT:
        if not text.strip():
            raise InvalidInput("The new text is empty; nothing was changed.", "Drop the memory if it is wrong.")
        decided = memory.edit(memory_id, content=text)[0]
    elif chosen is CardDecision.OK:
        decided = memory.confirm(memory_id)
    else:
        decided = memory.forget([memory_id]).memories[0]
    session_report.note_decision(memory)
    return decided


def confirm_all(memory: Holloway, review: SessionReview) -> BulkChange:
    """Confirm the cards of a review that nothing speaks against, as one action that can be undone."""
    ids = [card.memory.id for card in review.learned if card.is_confirmed_by_default]
    session_report.note_decision(memory)
    return bulk_actions.apply_action(memory, ids, BulkAction.CONFIRM)
