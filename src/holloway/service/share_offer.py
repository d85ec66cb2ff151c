"""The offer of the sharing ceremony: what a project would send, in groups, and what stays for which reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from holloway.domain.memory import Source
from holloway.errors import HollowayError, InvalidInput
from holloway.git.transfer import hide_credentials
from holloway.safety.secrets import MARKER_START
from holloway.sharing.consent import Exclusion, read_consent
from holloway.sharing.membership import Membership
from holloway.sharing.shared_fields import find_secret
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holloway.domain.memory import Memory
    from holloway.sharing.membership import Survey
    from holloway.store.store import Store

ASKED_GROUPS = {
    "taught": (Source.USER_TAUGHT, Source.USER_CORRECTION),
    "rules": (Source.RULES_FILE,),
    "learned": (),
}
"""Groups of memories that the ceremony asks about, with their sources; the last one has all others."""
PERSONAL_GROUPS = frozenset(["taught", "rules"])
"""Groups that stay unless the person says otherwise."""
_EXCLUSION_TEXTS = {
    Exclusion.BY_PERSON: "you excluded it",
    Exclusion.CLIENT_WORK: "its name or remote looks like work for a client",
}
PLACE_CHARS_BEFORE, PLACE_CHARS_MAX = 30, 100


class Refusal(NamedTuple):
    """A memory that stays on this machine, and why."""

    memory: Memory
    reason: str
    place: str
    """The text around a secret, which is redacted in it; empty if it stays for another reason."""


@dataclass(frozen=True, slots=True)
class ShareOffer:
    """What sharing a project would send through a remote."""

    project: str
    address: str
    chosen: tuple[Memory, ...]
    """Memories whose visibility the person chose: they leave."""
    groups: Mapping[str, tuple[Memory, ...]]
    """Memories whose visibility nobody chose, by group: they leave if the person says so."""
    refused: tuple[Refusal, ...]
    exclusion: Exclusion | None

    @property
    def shown_address(self) -> str:
        """The address without the user and password that it may carry."""
        return hide_credentials(self.address)

    @property
    def total(self) -> int:
        """The number of memories that could leave."""
        return len(self.chosen) + sum(map(len, self.groups.values()))

    @property
    def findings(self) -> list[Refusal]:
        """The memories that stay because the scanner finds a secret in them."""
        return [refusal for refusal in self.refused if refusal.place]

    def explain_exclusion(self) -> str:
        """Return why the project is not shared; empty if it may be."""
        return _EXCLUSION_TEXTS[self.exclusion] if self.exclusion else ""

    def pick(self, groups: Iterable[str]) -> list[Memory]:
        """Return the chosen memories and those of the named groups. Raises InvalidInput for an unknown group."""
        memories = list(self.chosen)
        for name in dict.fromkeys(groups):
            if name not in ASKED_GROUPS:
                raise InvalidInput(f"There is no group {name[:40]!r}.", f"Known: {', '.join(ASKED_GROUPS)}.")
            memories += self.groups.get(name, ())
        return memories


class ProjectOffer(NamedTuple):
    """A project of this machine, and what sharing it would send; without an offer, why it cannot be shared."""

    root: str
    name: str
    offer: ShareOffer | None
    problem: str = ""


def build_offer(store: Store, survey: Survey, *, name: str, address: str) -> ShareOffer:
    """Return what sharing a store would send."""
    groups: dict[str, list[Memory]] = {group: [] for group in ASKED_GROUPS}
    for memory in survey.unchosen:
        groups[find_group(memory)].append(memory)
    return ShareOffer(
        project=name,
        address=address,
        chosen=survey.ready,
        groups={group: tuple(memories) for group, memories in groups.items() if memories},
        refused=tuple(Refusal(memory, reason, locate_secret(memory)) for memory, reason in survey.refused),
        exclusion=read_consent(store.database).find_exclusion(name, address) if name else None,
    )


def offer_project(store: Store, remote: str) -> ProjectOffer:
    """Return what sharing one of several projects would send."""
    project, membership = store.project, Membership(store)
    try:
        address = membership.find_address(remote)
    except HollowayError as error:
        return ProjectOffer(str(project.root), project.name, None, error.message)
    offer = build_offer(store, membership.survey(), name=project.name, address=address)
    return ProjectOffer(str(project.root), project.name, offer)


def find_group(memory: Memory) -> str:
    """Return the group in which the ceremony asks about a memory."""
    return next((name for name, sources in ASKED_GROUPS.items() if memory.source in sources), "learned")


def locate_secret(memory: Memory) -> str:
    """Return the text around the first secret of a memory, redacted; empty if the scanner finds none."""
    place = find_secret(memory)
    if place is None:
        return ""
    start = max(0, place.redacted.find(MARKER_START) - PLACE_CHARS_BEFORE)
    excerpt = ("…" if start else "") + place.redacted[start:]
    return f"{place.field}: {one_line(excerpt, PLACE_CHARS_MAX)}"
