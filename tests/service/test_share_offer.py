"""The offer of the ceremony: groups that nobody chose, what stays for which reason, and the place of a secret."""

import pytest

import holloway
from holloway.domain.memory import Source, Visibility
from holloway.errors import InvalidInput
from holloway.service.share_offer import ShareOffer, build_offer
from holloway.sharing.consent import Exclusion


def make_offer(memory: holloway.Holloway, address: str = "git@example.com:ada/shop.git") -> ShareOffer:
    sharing = memory.sharing()
    return build_offer(sharing.store, sharing.membership.survey(), name=memory.project.name, address=address)


def list_texts(offer: ShareOffer) -> dict[str, list[str]]:
    return {name: [card.content for card in cards] for name, cards in offer.groups.items()}


def test_unchosen_memories_are_grouped_by_who_said_them(memory: holloway.Holloway) -> None:
    memory.remember("taught one")
    memory.remember("recorded by an agent", source=Source.AGENT_EXPLICIT)
    memory.remember("chosen", visibility="team")
    offer = make_offer(memory)
    assert list_texts(offer) == {"taught": ["taught one"], "learned": ["recorded by an agent"]}
    assert [card.content for card in offer.chosen] == ["chosen"]
    assert offer.total == 3


def test_only_chosen_memories_and_named_groups_are_picked(memory: holloway.Holloway) -> None:
    memory.remember("taught one")
    memory.remember("recorded by an agent", source=Source.AGENT_EXPLICIT)
    memory.remember("chosen", visibility="team")
    offer = make_offer(memory)
    assert [card.content for card in offer.pick(())] == ["chosen"]
    assert [card.content for card in offer.pick(["learned", "learned"])] == ["chosen", "recorded by an agent"]
    with pytest.raises(InvalidInput, match="no group"):
        offer.pick(["everything"])


def test_a_memory_that_the_person_made_personal_is_in_no_group(memory: holloway.Holloway) -> None:
    card = memory.remember("for me alone", visibility="personal").memory
    assert card is not None
    assert card.visibility is Visibility.PERSONAL
    offer = make_offer(memory)
    assert offer.total == 0
    assert [(refusal.reason, refusal.place) for refusal in offer.refused] == [("it is personal", "")]


@pytest.mark.parametrize(
    ("address", "exclusion"),
    [
        ("git@example.com:acme-client/shop.git", Exclusion.CLIENT_WORK),
        ("https://example.com/contractors/shop", Exclusion.CLIENT_WORK),
        ("git@example.com:ada/shop.git", None),
        ("https://nda:token@example.com/shop", None),
        ("git@example.com:ada/clientele.git", None),
    ],
)
def test_client_work_is_recognised_by_its_remote(
    memory: holloway.Holloway, address: str, exclusion: Exclusion | None
) -> None:
    assert make_offer(memory, address).exclusion is exclusion


def test_a_person_includes_client_work_and_excludes_anything(memory: holloway.Holloway) -> None:
    address = "git@example.com:acme-client/shop.git"
    memory.sharing().include()
    assert make_offer(memory, address).exclusion is None
    memory.sharing().exclude()
    assert make_offer(memory).exclusion is Exclusion.BY_PERSON
    assert "you excluded it" in make_offer(memory).explain_exclusion()
