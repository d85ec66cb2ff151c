"""The review of a session's end by trust level, and the cards that wait for a person."""

import json

import pytest

from holloway.domain.memory import Draft, ReviewReason, Source, State
from holloway.errors import InvalidInput
from holloway.service import bulk_actions, review_cards, session_report
from holloway.service.health import TokenBalance
from holloway.service.holloway import Holloway
from holloway.service.review_cards import NEW_MEMORIES_MIN, EvidenceQuote, ReviewMode
from holloway.service.session_pages import MemoryUse
from holloway.store import candidates
from holloway.store.candidates import StoredCandidate
from holloway.store.write_gate import sanitize_draft
from holloway.testing import FakeClock
from tests.observer.story import Story
from tests.service.learned import learn
from tests.service.test_memory_list import learned
from tests.service.test_session_pages import tell
from tests.service.test_session_report import set_record
from tests.store.test_memories import taught


def end(memory: Holloway, session: str, *lessons: str, at: float = 1_000.0, **record: object) -> list[str]:
    """A session that ended, with new memories; returns their ids."""
    learn(memory, Story(session, task="Make the login work", at=at).read("src/shop/auth/tokens.py"))
    set_record(memory, session, **record)
    return [learn_lesson(memory, session, lesson) for lesson in lessons]


def learn_lesson(memory: Holloway, session: str, content: str, **fields: object) -> str:
    """A new memory of a session, with the candidate that it was; returns its id."""
    memory_id = learned(memory, content, session=session, **fields)
    see(memory, session, memory_id)
    return memory_id


def see(memory: Holloway, session: str, memory_id: str, *quotes: dict[str, str]) -> None:
    draft: dict[str, object] = {"content": "x", "quotes": list(quotes)}
    number = len(candidates.list_session_candidates(memory.store.database, session)) + 1
    candidate = StoredCandidate(session, number, "read_lesson", "k", 1, "promoted", "", memory_id, draft, "2026")
    candidates.insert_candidate(memory.store.database, candidate)


def set_level(memory: Holloway, monkeypatch: pytest.MonkeyPatch, level: int) -> None:
    monkeypatch.setenv("HOLLOWAY_TRUST_LEVEL", str(level))


def test_a_review_has_the_task_the_balance_the_uses_and_the_cards(memory: Holloway) -> None:
    used = taught(memory, "Money is integer cents", files=["src/shop/auth/tokens.py", "README.md"]).id
    (lesson,) = end(memory, "s1", "Tests need REDIS_URL", used=[used], cited=[used], saved_tokens=500)
    tell(memory, "s1", used)
    see(memory, "s1", lesson, {"voice": "user", "text": "set REDIS_URL", "source": "web"}, {"voice": "agent"})
    review = review_cards.find_due_review(memory)
    assert review is not None
    assert (review.title, review.mode, review.tokens) == (
        "Make the login work",
        ReviewMode.EACH,
        TokenBalance("s1", 500, 0),
    )
    (use,) = review.used
    assert (use.memory.id, use.use, use.point) == (used, MemoryUse.CITED, "prompt")
    assert use.files == ("src/shop/auth/tokens.py",)
    (card,) = review.learned
    assert (card.memory.id, card.number, card.total, card.reason, card.signal) == (lesson, 1, 1, None, "read_lesson")
    assert card.quotes == (EvidenceQuote("user", "set REDIS_URL", "web"), EvidenceQuote("agent", ""))
    printed = review.to_json(memory.clock.now())
    assert (printed["title"], printed["cards"][0]["confirmed_by_default"]) == ("Make the login work", True)
    json.dumps(printed)


def test_each_level_has_its_mode_and_level_three_lists_only_what_needs_a_decision(
    memory: Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    end(memory, "s1", "one", "two")
    waiting = learn_lesson(memory, "s1", "three", review=ReviewReason.INFERRED)
    modes, counts = [], []
    for level in (1, 2, 3, 4):
        set_level(memory, monkeypatch, level)
        review = review_cards.review_session(memory, "s1")
        modes.append(review.mode)
        counts.append(len(review.learned))
        assert review.learned_total == 3
        assert (review_cards.find_due_review(memory) is None) is (level == 4)
    assert modes == list(ReviewMode)
    assert counts == [3, 3, 1, 3]
    set_level(memory, monkeypatch, 3)
    memory.confirm(waiting)
    assert review_cards.find_due_review(memory) is None


def test_what_is_confirmed_or_gone_is_no_card(memory: Holloway) -> None:
    first, second, _ = end(memory, "s1", "one", "two", "three")
    memory.confirm(first)
    memory.forget([second])
    review = review_cards.review_session(memory, "s1")
    assert [card.memory.content for card in review.learned] == ["three"]
    assert review.learned_total == 2


def test_a_session_that_left_nothing_is_not_reviewed(memory: Holloway) -> None:
    assert review_cards.find_due_review(memory) is None
    end(memory, "s1")
    set_record(memory, "s1", saved_tokens=None)
    assert review_cards.find_due_review(memory) is None


def test_a_review_that_was_left_is_not_offered_again(memory: Holloway) -> None:
    end(memory, "s1", "one")
    assert review_cards.show_review(memory) is not None
    assert review_cards.find_due_review(memory) is not None
    review_cards.dismiss_review(memory, "s1")
    assert review_cards.find_due_review(memory) is None
    assert review_cards.review_session(memory, "s1").learned_total == 1


def test_an_earlier_session_is_reviewed_once_the_last_one_is_decided_or_left(memory: Holloway) -> None:
    (first,) = end(memory, "s1", "one")
    (second,) = end(memory, "s2", "two", at=10_000.0)
    end(memory, "s3", at=20_000.0)

    def find_cards() -> list[str]:
        review = review_cards.find_due_review(memory)
        return [card.memory.id for card in review.learned] if review else []

    assert find_cards() == [second]
    review_cards.decide_card(memory, second, "ok")
    assert find_cards() == [first]
    review_cards.dismiss_review(memory, "s1")
    assert find_cards() == []
    end(memory, "s4", "four", at=30_000.0)
    review_cards.dismiss_review(memory, "s4")
    assert find_cards() == []


def test_after_three_left_reviews_only_sessions_with_many_new_memories_are_reviewed(memory: Holloway) -> None:
    for number in range(3):
        end(memory, f"s{number}", f"lesson {number}", at=1_000.0 + 10_000 * number)
        assert review_cards.show_review(memory) is not None
        review_cards.dismiss_review(memory, f"s{number}")
    few = [f"few {number}" for number in range(NEW_MEMORIES_MIN - 1)]
    end(memory, "few", *few, at=100_000.0)
    assert review_cards.find_due_review(memory) is None
    learn_lesson(memory, "few", "one more")
    assert review_cards.find_due_review(memory) is not None
    session_report.note_decision(memory)
    end(memory, "next", "a lesson", at=200_000.0)
    assert review_cards.find_due_review(memory) is not None


def test_confirming_all_leaves_out_what_needs_a_look_and_can_be_undone(memory: Holloway) -> None:
    first, second = end(memory, "s1", "one", "two")
    waiting = learn_lesson(memory, "s1", "three", review=ReviewReason.INFERRED)
    draft = Draft("four", source=Source.OBSERVER_INFERRED, session="s1", state=State.QUARANTINED)
    quarantined = memory.store.memories.add_memory(sanitize_draft(draft)).memory
    assert quarantined is not None
    see(memory, "s1", quarantined.id)
    change = review_cards.confirm_all(memory, review_cards.review_session(memory, "s1"))
    assert change.memories == 2
    states = [memory.get(memory_id).state for memory_id in (first, second, waiting, quarantined.id)]
    assert states == [State.CONFIRMED, State.CONFIRMED, State.UNCONFIRMED, State.QUARANTINED]
    bulk_actions.undo_change(memory, change.id)
    assert memory.get(first).state is State.UNCONFIRMED


def test_each_decision_has_its_effect_and_ends_a_row_of_left_reviews(memory: Holloway, clock: FakeClock) -> None:
    ids = end(memory, "s1", "one", "two", "three", "four")
    review_cards.dismiss_review(memory, "s1")
    assert review_cards.decide_card(memory, ids[3], "later").review_after > "2026-01-05"
    assert review_cards.decide_card(memory, ids[0], "ok").state is State.CONFIRMED
    assert review_cards.decide_card(memory, ids[1], "edit", text="two and a half").content == "two and a half"
    review_cards.decide_card(memory, ids[2], "drop")
    assert not memory.get(ids[2]).is_alive
    assert session_report.count_ignored(memory, "s2") == 0
    with pytest.raises(InvalidInput, match="new text is empty"):
        review_cards.decide_card(memory, ids[0], "edit", text=" ")
    with pytest.raises(InvalidInput, match="There is no card decision 'burn'"):
        review_cards.decide_card(memory, ids[0], "burn")


def test_the_queue_has_everything_that_waits_today(memory: Holloway) -> None:
    first = learned(memory, "from a rules file", review=ReviewReason.RULE)
    learned(memory, "from afar", source=Source.FOREIGN_FILE, review=ReviewReason.IMPORTED)
    queue = review_cards.list_review_queue(memory)
    assert [(card.memory.content, card.number, card.total) for card in queue.cards] == [
        ("from afar", 1, 2),
        ("from a rules file", 2, 2),
    ]
    assert queue.total == 2
    assert [card.is_confirmed_by_default for card in queue.cards] == [False, False]
    review_cards.decide_card(memory, first, "later")
    assert review_cards.list_review_queue(memory).total == 1
    assert len(review_cards.list_review_queue(memory, limit=0).cards) == 1
