"""Consent: whether a project may be shared at all, as its person decided, and when they may be asked again."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from holloway.config import SHARE_SNOOZE_DAYS
from holloway.domain.ports import format_stamp
from holloway.git.transfer import hide_credentials
from holloway.store.store import read_meta

if TYPE_CHECKING:
    from datetime import datetime

    from holloway.store.database import Database
    from holloway.store.store import Store

CONSENT_KEY = "share_consent"
"""Key of the decision in the store. It outlasts leaving, which deletes everything that begins with `sharing`."""
_CLIENT_WORDS = re.compile(r"(?:^|[^a-z])(?:clients?|customers?|contract(?:or)?s?|nda|confidential)(?:[^a-z]|$)")


class SharingDecision(StrEnum):
    """The answer of a person to whether a project may be shared."""

    OPEN = ""
    INCLUDED = "included"
    """Shared although its name or its remote looks like work for a client."""
    EXCLUDED = "excluded"


class Exclusion(StrEnum):
    """The reason why a project is not shared unless its person includes it."""

    BY_PERSON = "excluded"
    CLIENT_WORK = "client"


class Consent(NamedTuple):
    """The decision about a project, and until when nothing offers to share it."""

    decision: SharingDecision = SharingDecision.OPEN
    snoozed_until: str = ""

    def is_snoozed(self, now: datetime) -> bool:
        """Return whether the person said "not now" less than thirty days ago."""
        return self.snoozed_until > format_stamp(now)

    def find_exclusion(self, name: str, address: str) -> Exclusion | None:
        """Return why a project with this name and remote is not shared; None if it may be."""
        if self.decision is SharingDecision.EXCLUDED:
            return Exclusion.BY_PERSON
        if self.decision is SharingDecision.OPEN and looks_like_client_work(name, address):
            return Exclusion.CLIENT_WORK
        return None


def looks_like_client_work(name: str, address: str) -> bool:
    """Return whether a project's name or its remote looks like work for a client."""
    return bool(_CLIENT_WORDS.search(f"{name} {hide_credentials(address)}".lower()))


def read_consent(database: Database) -> Consent:
    """Return what the person decided about the project of a store."""
    text = read_meta(database, CONSENT_KEY)
    values = json.loads(text) if text else {}
    return Consent(SharingDecision(values.get("decision", "")), values.get("snoozed_until", ""))


def decide(store: Store, decision: SharingDecision) -> None:
    """Record whether the project of a store may be shared."""
    _write_consent(store, read_consent(store.database)._replace(decision=decision))


def snooze(store: Store) -> str:
    """Record that the person does not want to share now; returns until when nothing offers it."""
    until = format_stamp(store.clock.now() + timedelta(days=SHARE_SNOOZE_DAYS))
    _write_consent(store, read_consent(store.database)._replace(snoozed_until=until))
    return until


def _write_consent(store: Store, consent: Consent) -> None:
    store.set_meta(CONSENT_KEY, json.dumps(consent._asdict()))
