"""Sharing as a person controls it: what would leave, on and off, now, who is accepted, conflicts, states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from holloway.domain.memory import Source, State, Visibility
from holloway.errors import InvalidInput
from holloway.git.refs import HEX_DIGITS, list_refs_named
from holloway.git.transfer import hide_credentials
from holloway.service.share_offer import ShareOffer, build_offer
from holloway.sharing import conflicts, consent, quotes
from holloway.sharing.conflicts import Conflict
from holloway.sharing.consent import SharingDecision
from holloway.sharing.important_memories import choose_important
from holloway.sharing.incoming import fold_memories
from holloway.sharing.membership import Membership
from holloway.sharing.operation import REPLICA_CHARS
from holloway.sharing.participants import load_participants
from holloway.sharing.published_folder import (
    PUBLISHED_FOLDER,
    Publication,
    count_unknown,
    plan_publication,
    publish,
)
from holloway.sharing.recorder import Recorder
from holloway.sharing.sync import SyncReport
from holloway.store import first_memories, operation_log
from holloway.store.attribution import Attribution, find_attributions
from holloway.store.operation_log import ACCEPTED, CONFLICT, HELD_BACK, OWN, REFUSED, STRANGER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holloway.domain.memory import Memory
    from holloway.service.open_project import OpenProject
    from holloway.sharing.quotes import SharedQuote
    from holloway.store.database import Database
    from holloway.store.operation_log import Replica
    from holloway.store.store import Store

__all__ = ["Attribution", "Conflict", "Publication", "ShareOffer", "Sharing", "SyncReport"]

FAILING = "failing"
REPLICA_SHOWN_CHARS = 12
STANDING_ORDER = (OWN, STRANGER, ACCEPTED, REFUSED)
INCLUDE_HINT = "`holloway share --include .` allows it."


class ShareState(NamedTuple):
    """One word for where sharing stands, and what a person should know of it."""

    word: str
    detail: str


class Participant(NamedTuple):
    """A device that takes part in sharing, and how it stands here: own, accepted, unknown or refused."""

    author: str
    device: str
    replica: str
    """The beginning of its name, by which people check that a key is theirs."""
    standing: str
    is_mine: bool
    """Whether it is a device of the person here."""


def describe_state(database: Database) -> ShareState:
    """Return where the sharing of a store stands, in one word and a detail."""
    if consent.read_consent(database).decision is SharingDecision.EXCLUDED:
        return ShareState("excluded", "`holloway share --include .` ends that")
    settings = operation_log.read_settings(database)
    if not settings.get("replica"):
        return ShareState("off", "nothing leaves this machine")
    if settings.get("paused"):
        return ShareState("paused", "`holloway share --git` goes on")
    if problem := settings.get("problem"):
        return ShareState("offline" if settings.get("is_offline") else FAILING, str(problem))
    if number := operation_log.count_shared(database, CONFLICT):
        return ShareState("conflict", f"{number} waiting: `holloway conflicts`")
    if refused := settings.get("refused"):
        return ShareState("refused", f"{len(refused)} not read: {refused[0]}")
    if number := operation_log.count_unsent(database):
        return ShareState("pending", f"{number} to send")
    return ShareState("synced", "") if settings.get("synced_at") else ShareState("pending", "not exchanged yet")


class Sharing:
    """Sharing of one project, or of the user's own memories."""

    def __init__(self, opened: OpenProject, *, is_user: bool = False) -> None:
        self._opened = opened
        self._is_user = is_user
        self.store: Store = opened.user if is_user else opened.store
        self.membership = Membership(self.store, is_user=is_user)

    CONSENT = (
        "sent    text, summary, type, files, modules, tags, dates, counts and your name",
        "stays   evidence, prompts, agents' output, sessions, the code map, and all that is personal or quarantined",
        "read by everyone who can read the remote; a host may keep old objects after you take them off",
    )

    @property
    def is_snoozed(self) -> bool:
        """Whether the person said "not now" less than thirty days ago."""
        return consent.read_consent(self.store.database).is_snoozed(self.store.clock.now())

    def snooze(self) -> str:
        """Offer sharing no more for thirty days; returns until when."""
        return consent.snooze(self.store)

    def exclude(self) -> None:
        """Never share this project; an exchange stops. What was shared stays on the remote until the person leaves."""
        consent.decide(self.store, SharingDecision.EXCLUDED)
        if self.membership.is_on:
            self.membership.set_paused(is_paused=True)

    def include(self) -> None:
        """Allow sharing this project, also if it looks like work for a client; nothing leaves by that."""
        consent.decide(self.store, SharingDecision.INCLUDED)

    def build_offer(self, remote: str) -> ShareOffer:
        """Return what sharing through a remote would send, and what stays. Raises InvalidInput for no remote."""
        address = self.membership.find_address(remote)
        name = "" if self._is_user else self._opened.project.name
        return build_offer(self.store, self.membership.survey(), name=name, address=address)

    def start(self, offer: ShareOffer, groups: Iterable[str], *, author: str = "", device: str = "") -> int:
        """Share the memories with a chosen visibility and those of the named groups; returns how many are shared.

        Nothing leaves before the first exchange. Raises InvalidInput for an excluded project or an unknown group.
        """
        if offer.exclusion:
            raise InvalidInput(f"{offer.project} is not shared: {offer.explain_exclusion()}.", INCLUDE_HINT)
        return self.membership.start(offer.address, offer.pick(groups), author=author, device=device)

    def join(self, remote: str, *, author: str = "", device: str = "") -> None:
        """Take part through a remote without sharing anything yet. Raises InvalidInput for an excluded project."""
        self._require_included()
        self.membership.start(self.membership.find_address(remote), (), author=author, device=device)

    def synchronize(self) -> SyncReport:
        """Exchange with the remote now. Raises InvalidInput for an excluded project, TransferFailed when offline."""
        self._require_included()
        return self.membership.synchronize()

    def _require_included(self) -> None:
        if consent.read_consent(self.store.database).decision is SharingDecision.EXCLUDED:
            raise InvalidInput(f"{self._opened.project.name} is excluded from sharing.", INCLUDE_HINT)

    def tick_quotes(self, references: Sequence[str], *, is_on: bool) -> list[Memory]:
        """Let the evidence quotes of memories leave with them, or not any more; returns the memories.

        Raises InvalidInput for one that somebody else shared, and for one without quotes.
        """
        memories = [self.store.memories.get_memory(reference) for reference in references]
        for memory in memories:
            if is_on and (memory.source is Source.COLLEAGUE or not quotes.list_quotes(self.store, memory)):
                hint = f"`holloway why {memory.id}` shows what it rests on."
                raise InvalidInput(f"{memory.id} has no quotes of yours to share.", hint)
        with self.store.database.write_transaction():
            for memory in memories:
                quotes.tick_quotes(self.store, memory, is_on=is_on)
                Recorder(self.store).record_memory(memory)
            if memories and not is_on:
                operation_log.set_rewrite(self.store.database, is_due=True)
        return memories

    published_folder = PUBLISHED_FOLDER
    """The usual folder of published files, in the project."""

    def count_fetched_devices(self) -> int:
        """Count the devices whose shared refs are in the user's repository; no remote is contacted."""
        refs = list_refs_named(str(self._opened.project.root), "/holloway/")
        names = {ref.rpartition("/")[2] for ref in refs}
        return sum(len(name) == REPLICA_CHARS and HEX_DIGITS.issuperset(name) for name in names)

    def count_published(self) -> int:
        """Count the memories in published files of the work tree that were never here."""
        return count_unknown(self.store)

    @property
    def may_be_offered(self) -> bool:
        """Whether something may offer to share or to look: it is off, not excluded, and nobody said "not now"."""
        decision = consent.read_consent(self.store.database).decision
        return not self.membership.is_on and not self.is_snoozed and decision is not SharingDecision.EXCLUDED

    def plan_publication(self, folder: str = "", *, removes: bool = False) -> Publication:
        """Return what publishing the chosen memories into a folder of the work tree would change."""
        return plan_publication(self.store, folder or PUBLISHED_FOLDER, removes=removes)

    def publish(self, publication: Publication) -> None:
        """Write the files of a publication. Raises HollowayError if one cannot be written."""
        publish(self.store, publication)

    def preview(self, memory: Memory) -> dict[str, Any]:
        """Return the fields of a memory as they would be sent."""
        return Recorder(self.store).describe_memory(memory)

    def list_quotes(self, memory: Memory) -> list[SharedQuote]:
        """Return the quotes that leave with a memory if they are ticked."""
        return quotes.list_quotes(self.store, memory)

    def list_shared_quotes(self, memory: Memory) -> list[SharedQuote]:
        """Return the quotes that the author of a shared memory let leave with it."""
        name = operation_log.find_shared_name(self.store.database, memory.id)
        states = fold_memories(self.store, [name], load_participants(self.store)) if name else []
        return quotes.parse_shared_quotes(states[0].values.get("quotes")) if states else []

    def has_ticked(self, memory: Memory) -> bool:
        """Return whether the quotes of a memory leave with it."""
        return quotes.has_ticked(self.store, memory)

    def list_people(self) -> list[Participant]:
        """Return the devices that were seen: this one, those that nobody decided on, then the others by name."""
        people = self._describe_people(self.membership.list_people())
        return sorted(people, key=lambda person: (STANDING_ORDER.index(person.standing), person.author, person.device))

    def accept(self, name: str, *, is_mine: bool = False) -> list[Participant]:
        """Accept an author, a device or `all`; their memories leave quarantine. Raises InvalidInput for nobody.

        The first time, the most important ones become the onboarding of the person and of their next agent.
        """
        people = self._describe_people(self.membership.accept(name, is_mine=is_mine))
        if not first_memories.has_begun(self.store) and (important := choose_important(self.store)):
            first_memories.begin_onboarding(self.store, [memory.id for memory in important])
        return people

    def list_onboarding(self) -> list[Memory]:
        """Return the memories of others to read first, until the person dismisses them."""
        ids = first_memories.read_undismissed(self.store.database.connection)
        memories = [self.store.memories.get_memory(id_) for id_ in ids if self.store.memories.has_memory(id_)]
        return [memory for memory in memories if memory.is_alive and memory.state is not State.QUARANTINED]

    def dismiss_onboarding(self) -> None:
        """Record that the person has read the memories to read first."""
        with self.store.database.write_transaction():
            first_memories.dismiss(self.store.database.connection)

    def refuse(self, name: str) -> list[Participant]:
        """Set aside what an author wrote and read no more of it. Raises InvalidInput if the name means nobody."""
        return self._describe_people(self.membership.refuse(name))

    def _describe_people(self, replicas: Iterable[Replica]) -> list[Participant]:
        participants = load_participants(self.store)
        return [
            Participant(
                replica.author,
                replica.device,
                replica.replica[:REPLICA_SHOWN_CHARS],
                replica.standing,
                participants.is_mine(replica.replica),
            )
            for replica in replicas
        ]

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
        people = self.list_people()
        survey = self.membership.survey() if self.membership.is_on else None
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
            "not_chosen": len(survey.unchosen) if survey else 0,
            "staying": [
                {"id": memory.id, "reason": reason}
                for memory, reason in (survey.refused if survey else ())
                if memory.chosen and memory.visibility is not Visibility.PERSONAL
            ],
            "people": [person._asdict() for person in people],
            "unknown": sum(person.standing == STRANGER for person in people),
        }
