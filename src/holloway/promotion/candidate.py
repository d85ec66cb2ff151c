"""Candidate: a signal on its way through the promotion pipeline, and the JSON form of its draft."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holloway.domain import memory_json
from holloway.domain.codec import decode, encode
from holloway.domain.memory import Draft, MemoryType
from holloway.safety.secrets import redact_secrets
from holloway.store.candidates import DROPPED, HELD, StoredCandidate
from holloway.store.lookup import OBSERVED_PREFIX
from holloway.text.fingerprint import fingerprint_text
from holloway.text.sanitize import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from holloway.domain.memory import Memory
    from holloway.domain.work import SessionSummary
    from holloway.observer.outcome import SessionClassification
    from holloway.observer.signals.signal import Signal
    from holloway.promotion.gates import GateDecision
    from holloway.retrieval.duplicate_detection import SimilarMemory


@dataclass(frozen=True, slots=True)
class FinishedSession:
    """A finished session with its classification and its signals."""

    session: SessionSummary
    classification: SessionClassification
    signals: tuple[Signal, ...] = ()
    commit: str = ""
    branch_only: str = ""


@dataclass(frozen=True, slots=True)
class CodeMapLookup:
    """Code map lookups for promotion: the module of a path, and whether an import explains a pair of files.

    The defaults, for a project without a code map, know no modules and no imports.
    """

    module_of: Callable[[str], str] = field(default=lambda path: "")
    explained: Callable[[str, str], bool] = field(default=lambda path, other: False)


@dataclass(slots=True)
class Candidate:
    """A signal with the results of each pipeline stage. `state` is empty until a stage decides on it."""

    number: int
    signal: Signal
    gate_decision: GateDecision
    sessions: tuple[str, ...] = ()
    draft: Draft | None = None
    score: float = 0.0
    similar: tuple[SimilarMemory, ...] = ()
    duplicate_of: Memory | None = None
    replaces: Memory | None = None
    state: str = ""
    reason: str = ""
    memory: str = ""

    @property
    def is_undecided(self) -> bool:
        """Whether no stage has decided on this candidate yet."""
        return not self.state

    def drop(self, reason: str) -> None:
        """Drop the candidate, with the reason why it does not become a memory."""
        self.state, self.reason = DROPPED, reason

    @property
    def origin(self) -> str:
        """The origin that identifies this observation in any session."""
        return build_origin(self.signal)

    def to_ledger_row(self, session: str, at: str, held_until: str) -> StoredCandidate:
        """Return the candidate as a row of the candidate ledger."""
        return StoredCandidate(
            session=session,
            number=self.number,
            signal=self.signal.name,
            key=build_sighting_key(self.signal),
            step=self.signal.step,
            state=self.state,
            reason=self.reason,
            memory=self.memory,
            draft=serialize_draft(self.draft) if self.draft else {},
            at=at,
            held_until=held_until if self.state == HELD else "",
        )


def build_sighting_key(signal: Signal) -> str:
    """Return the key that counts a signal over sessions; a signal with quotes is identified by a digest only."""
    # Redacted before it is cut: a part of a secret is not recognised as one.
    return fingerprint_text(signal.key, "") if signal.quotes else redact_secrets(clean_text(signal.key))[0][:500]


def build_origin(signal: Signal) -> str:
    """Return the origin under which a memory of this observation is stored (provenance)."""
    return f"{OBSERVED_PREFIX}{signal.name}:{fingerprint_text(signal.key, '')[:16]}"


def serialize_draft(draft: Draft) -> dict[str, object]:
    """Serialize a draft to a JSON-compatible dictionary."""
    details = memory_json.details_json(draft.details)
    return {**{name: encode(getattr(draft, name)) for name in _STORED}, "details": details}


def parse_draft(values: dict[str, Any]) -> Draft:
    """Parse a draft from its JSON dictionary; raises KeyError, TypeError or ValueError if it is malformed."""
    stored = {name: values[name] for name in _STORED if name in values or name not in _ADDED_LATER}
    details = memory_json.parse_details(MemoryType(values["type"]), values["details"]) if values["details"] else None
    return decode(Draft, {**stored, "details": details})


_STORED = (
    *("content", "type", "summary", "files", "modules", "tags", "source", "state", "confidence", "review", "session"),
    *("agent", "branch", "branch_only", "commit", "origin", "work_unit", "relations"),
    *("stated_at", "methodology"),
)
"""The fields of a draft that are stored; all others are at their default in what was observed."""
_ADDED_LATER = ("work_unit", "relations", "stated_at", "methodology")
"""Fields that the oldest stored drafts do not have."""
