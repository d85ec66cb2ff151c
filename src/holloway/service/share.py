"""Sharing as a person controls it: what would leave, on and off, now, who is accepted, conflicts, states."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from holloway.git.transfer import hide_credentials
from holloway.sharing import conflicts
from holloway.sharing.membership import Membership
from holloway.sharing.recorder import Recorder
from holloway.sharing.shared_fields import describe_memory
from holloway.sharing.sync import SyncReport
from holloway.store import operation_log
from holloway.store.attribution import Attribution, find_attributions
from holloway.store.operation_log import CONFLICT, HELD_BACK, STRANGER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holloway.domain.memory import Memory
    from holloway.service.open_project import OpenProject
    from holloway.sharing.conflicts import Conflict
    from holloway.store.database import Database
    from holloway.store.store import Store

__all__ = ["Attribution", "Sharing", "SyncReport"]

ASKED_GROUPS = {
    "taught": ("user_taught", "user_correction"),
    "rules": ("rules_file",),
    "learned": (),
}
"""Groups of memories that the ceremony asks about, with their sources; the last one has all others."""
_CLIENT_WORDS = re.compile(r"(?:^|[^a-z])(?:clients?|customers?|contract(?:or)?s?|nda|confidential)(?:[^a-z]|$)")


FAILING = "failing"


class ShareState(NamedTuple):
    """One word for where sharing stands, and what a person should know of it."""

    word: str
    detail: str


def describe_state(database: Database) -> ShareState:
    """Return where the sharing of a store stands, in one word and a detail."""
    settings = operation_log.read_settings(database)
    if not settings.get("replica"):
        return ShareState("off", "nothing leaves this machine")
    if settings.get("paused"):
        return ShareState("paused", "`holloway share --git` goes on")
    if problem := settings.get("problem"):
        return ShareState("offline" if settings.get("is_offline") else FAILING, str(problem))
    if number := operation_log.count_shared(database, CONFLICT):
        return ShareState("conflict", f"{number} waiting: `holloway conflicts`")
    if number := operation_log.count_unsent(database):
        return ShareState("pending", f"{number} to send")
    return ShareState("synced", "") if settings.get("synced_at") else ShareState("pending", "not exchanged yet")


class Sharing:
    """Sharing of one project, or of the user's own memories."""

    def __init__(self, opened: OpenProject, *, is_user: bool = False) -> None:
        self._opened = opened
        self.store: Store = opened.user if is_user else opened.store
        self.membership = Membership(self.store, is_user=is_user)

    CONSENT = (
        "sent    text, summary, type, files, modules, tags, dates, counts and your name",
        "stays   evidence, prompts, agents' output, sessions, the code map, and all that is personal or quarantined",
        "read by everyone who can read the remote; a host may keep old objects after you take them off",
    )

    @staticmethod
    def hide_credentials(address: str) -> str:
        """Return an address without the user and password that it may carry."""
        return hide_credentials(address)

    def find_address(self, remote: str) -> str:
        """Return the address of a remote, given by its name or as an address."""
        return self.membership.find_address(remote)

    def preview(self, memory: Memory) -> dict[str, Any]:
        """Return the fields of a memory as they would be sent."""
        return describe_memory(memory, Recorder(self.store).name_memory)

    def group_unchosen(self) -> dict[str, list[Memory]]:
        """Return the memories whose visibility nobody chose, by group."""
        groups: dict[str, list[Memory]] = {name: [] for name in ASKED_GROUPS}
        for memory in self.membership.survey().unchosen:
            groups[
                next((name for name, sources in ASKED_GROUPS.items() if memory.source in sources), "learned")
            ].append(memory)
        return {name: memories for name, memories in groups.items() if memories}

    def looks_like_client_work(self, address: str) -> bool:
        """Return whether the project's name or its remote looks like work for a client."""
        return bool(_CLIENT_WORDS.search(f"{self._opened.project.name} {hide_credentials(address)}".lower()))

    def find_attributions(self, memory_ids: Iterable[str]) -> dict[str, Attribution]:
        """Return author, device and the people who confirmed it of each shared memory among some local ids."""
        return find_attributions(self.store.database, memory_ids)

    def list_conflicts(self) -> list[Conflict]:
        """Return the conflicts that wait for a person."""
        return conflicts.list_conflicts(self.store)

    def resolve_conflict(self, memory_id: str, *, letter: str = "", text: str = "") -> Memory:
        """End a conflict with one of its versions or with a merged text."""
        return conflicts.resolve_conflict(self.store, memory_id, letter=letter, text=text)

    def describe_state(self) -> ShareState:
        """Return where sharing stands, in one word and a detail."""
        return describe_state(self.store.database)

    def status(self) -> dict[str, Any]:
        """Return the figures of `holloway share --status`."""
        settings, database = self.membership.settings, self.store.database
        state = self.describe_state()
        people = self.membership.list_people()
        return {
            "state": state.word,
            "detail": state.detail or None,
            "remote": hide_credentials(settings["address"]) if settings.get("address") else None,
            "author": settings.get("author"),
            "device": settings.get("device"),
            "synced_at": settings.get("synced_at"),
            "pending": operation_log.count_unsent(database),
            "conflicts": operation_log.count_shared(database, CONFLICT),
            "held": operation_log.count_shared(database, HELD_BACK),
            "refused": settings.get("refused", []),
            "people": [
                {
                    "author": replica.author,
                    "device": replica.device,
                    "replica": replica.replica[:12],
                    "standing": replica.standing,
                }
                for replica in people
            ],
            "unknown": sum(replica.standing == STRANGER for replica in people),
        }
