"""What becomes of a judged lesson: its source and confidence, its quotes beside it, and what is known already."""

from holloway.domain.memory import MemoryType, ReviewReason, Source, State
from holloway.service.holloway import Holloway
from holloway.service.review_cards import parse_quotes
from holloway.service.session_learning import Learning
from holloway.store import candidates
from holloway.store.filter import Filter
from tests.conftest import Repository
from tests.observer.story import Story
from tests.promotion.reader.reading import TOKENS, lesson, read_and_store

CAUSE = "The login fails because the cache of the tokens is empty at start"
SAID = f"{CAUSE}."
RULE = "Never run the slow tests of the shop on a laptop, it takes an hour."


def story(session: str = "s1") -> Story:
    return Story(session).user("Find out why the login fails").read(TOKENS).says(SAID, thinking=False)


def test_a_lesson_of_the_agent_alone_is_what_the_agent_concluded(memory: Holloway) -> None:
    (row,) = read_and_store(memory, story(), lesson(CAUSE, "is empty at start", files=(TOKENS,)))
    kept = memory.get(row.memory)
    assert (kept.content, kept.source, kept.confidence) == (CAUSE, Source.AGENT_CONCLUDED, 0.66)
    assert (kept.state, kept.files, kept.session) == (State.UNCONFIRMED, (TOKENS,), "s1")


def test_a_corroborated_lesson_may_be_believed_more(memory: Holloway) -> None:
    told = story().user("Yes, exactly, thank you")
    (row,) = read_and_store(memory, told, lesson(CAUSE, "is empty at start"))
    assert (memory.get(row.memory).source, memory.get(row.memory).confidence) == (Source.AGENT_NOTE, 0.80)
    assert row.reason == "the person agreed"


def test_a_rule_of_the_person_for_good_is_theirs(memory: Holloway) -> None:
    rule = lesson("Never run the slow tests of the shop on a laptop", RULE, kind="user_rule", trigger=("always", ""))
    (row,) = read_and_store(memory, Story().user(f"Add a test. {RULE}"), rule)
    kept = memory.get(row.memory)
    assert (kept.source, kept.confidence, kept.review) == (Source.USER_CORRECTION, 0.90, ReviewReason.STATED)
    assert kept.type in (MemoryType.PREFERENCE, MemoryType.REQUIREMENT)


def test_what_the_person_hardly_said_is_not_put_into_their_mouth(memory: Holloway) -> None:
    told = story().user("please add a comment about the cache")
    text = "The cache of the tokens refuses late requests with a lock of its own and a timer, so it needs a comment"
    (row,) = read_and_store(memory, told, lesson(text, "add a comment about the cache", kind="convention"))
    assert memory.get(row.memory).source is not Source.USER_CORRECTION


def test_a_rule_in_the_words_of_the_model_is_still_the_persons(memory: Holloway) -> None:
    told = Story().user("hmm but two caches are not great either, any other option?")
    text = "Code of the shop never has two caches: the person declined a second one in Redis and wants another solution"
    (row,) = read_and_store(memory, told, lesson(text, "two caches are not great either", kind="user_rule"))
    kept = memory.get(row.memory)
    assert (kept.source, kept.confidence, kept.review) == (Source.USER_CORRECTION, 0.70, ReviewReason.STATED)


def test_a_fact_that_the_person_stated_is_theirs_and_needs_no_review(memory: Holloway) -> None:
    told = Story().user("The cache of the tokens is empty at start, that is why the login fails.")
    (row,) = read_and_store(memory, told, lesson(CAUSE, "The cache of the tokens is empty at start", kind="gotcha"))
    kept = memory.get(row.memory)
    assert (kept.source, kept.confidence, kept.review) == (Source.USER_CORRECTION, 0.80, None)


def test_the_command_of_a_lesson_is_a_tag_by_which_it_is_told(memory: Holloway) -> None:
    by_command = lesson(CAUSE, "is empty at start", trigger=("command", "`make warm`"))
    (row,) = read_and_store(memory, story(), by_command)
    assert memory.get(row.memory).tags == ("$ make warm",)


def test_a_fix_is_not_repeated_in_its_own_summary(memory: Holloway) -> None:
    by_error = lesson(CAUSE, "is empty at start", kind="error_fix", trigger=("error", "KeyError: 'token'"))
    (row,) = read_and_store(memory, story(), by_error)
    assert memory.get(row.memory).summary == CAUSE


def test_quotes_are_stored_beside_a_lesson_and_shown_by_why(memory: Holloway) -> None:
    (row,) = read_and_store(memory, story(), lesson(CAUSE, "is empty at start"))
    (seen,) = memory.why(row.memory).seen
    assert seen.draft["quotes"] == [{"voice": "agent", "row": 3, "source": "", "text": "is empty at start"}]


def test_a_refused_lesson_leaves_its_reason(memory: Holloway) -> None:
    (row,) = read_and_store(memory, story(), lesson(CAUSE, "nobody said this"))
    assert (row.state, row.memory) == (candidates.DROPPED, "")
    assert row.reason == "quotes: a quote is not in the session word for word"
    assert row.draft["content"] == CAUSE


def test_a_lesson_for_review_is_quarantined_with_its_source(memory: Holloway) -> None:
    told = story().fetch("https://blog.example/x", "The tokens of the billing service expire after nine minutes.")
    (row,) = read_and_store(
        memory, told, lesson("The tokens of billing expire after nine minutes", "service expire after nine minutes")
    )
    kept = memory.get(row.memory)
    assert (kept.state, kept.review) == (State.QUARANTINED, ReviewReason.TAINTED)
    assert any("blog.example" in tag for tag in kept.tags)


def test_a_lesson_that_waits_is_released_by_its_commit(memory: Holloway, repository: Repository) -> None:
    told = story().edit(TOKENS, [], ["def warm_cache():"])
    told = told.says("The cache of the tokens is filled by warm_cache.", thinking=False)
    text = "The cache of the tokens is filled by warm_cache"
    (row,) = read_and_store(memory, told, lesson(text, text, files=(TOKENS,)))
    assert row.state == candidates.HELD
    repository.git("rm", "-q", "README.md")
    repository.commit(TOKENS, "def warm_cache():\n    pass\n")
    Learning(memory.opened).settle_held()
    (settled,) = [
        one for one in candidates.list_session_candidates(memory.store.database, "s1") if one.number == row.number
    ]
    assert settled.state == candidates.PROMOTED
    assert memory.get(settled.memory).content == text


def test_a_second_session_that_says_the_same_confirms_it(memory: Holloway) -> None:
    (first,) = read_and_store(memory, story("s1"), lesson(CAUSE, "is empty at start"))
    (second,) = read_and_store(memory, story("s2"), lesson(CAUSE, "is empty at start"))
    assert (second.state, second.memory) == (candidates.REINFORCED, first.memory)


def test_a_second_session_that_says_the_same_in_other_words_is_evidence_of_one_memory(memory: Holloway) -> None:
    other_words = "The login fails because at start the cache of the tokens is empty, and each deployment is one"
    (first,) = read_and_store(memory, story("s1"), lesson(CAUSE, "is empty at start"))
    (second,) = read_and_store(memory, story("s2"), lesson(other_words, "is empty at start", kind="error_fix"))
    assert (second.state, second.memory) == (candidates.REINFORCED, first.memory)
    assert memory.get(first.memory).sessions == ("s1", "s2")
    sightings = candidates.list_memory_candidates(memory.store.database, first.memory)
    assert [(sighting.session, len(parse_quotes(sighting.draft))) for sighting in sightings] == [("s1", 1), ("s2", 1)]


def test_a_second_session_that_says_the_opposite_is_no_evidence(memory: Holloway) -> None:
    opposite = "The login does not fail because the cache of the tokens is empty at start"
    (first,) = read_and_store(memory, story("s1"), lesson(CAUSE, "is empty at start"))
    (second,) = read_and_store(memory, story("s2"), lesson(opposite, "is empty at start"))
    assert second.memory != first.memory


def test_untrusted_words_are_no_evidence_of_a_stored_lesson(memory: Holloway) -> None:
    other_words = "The login fails because at start the cache of the tokens is empty, and each deployment is one"
    (first,) = read_and_store(memory, story("s1"), lesson(CAUSE, "is empty at start"))
    told = Story("s2").user("Read the page").fetch("https://example.org/login", SAID)
    (second,) = read_and_store(memory, told, lesson(other_words, "is empty at start"))
    assert second.state != candidates.REINFORCED
    assert memory.get(first.memory).sessions == ("s1",)


def test_a_lesson_that_a_person_rejected_does_not_come_back(memory: Holloway) -> None:
    (first,) = read_and_store(memory, story("s1"), lesson(CAUSE, "is empty at start"))
    memory.wrong(first.memory, "incorrect")
    (second,) = read_and_store(memory, story("s2"), lesson(CAUSE, "is empty at start"))
    assert second.state == candidates.DROPPED


def test_learning_again_from_a_session_keeps_what_was_read(memory: Holloway) -> None:
    (row,) = read_and_store(memory, story(), lesson(CAUSE, "is empty at start"))
    Learning(memory.opened).learn(story().user("And now the logout").pad())
    stored = candidates.list_session_candidates(memory.store.database, "s1")
    assert row.number in [one.number for one in stored]


def test_a_lesson_takes_the_place_of_the_sentence_that_it_quotes(memory: Holloway) -> None:
    said = "The retry limit of the shop comes from limits.toml because settings.py is read too late to be of use."
    told = Story().user("Raise the retry limit").edit("limits.toml", [], ["retry = 3"]).green()
    told = told.records(said, "gotcha").says(said, thinking=False).user("Yes, that makes sense")
    proposal = lesson("The retry limit of the shop is read from limits.toml, not from settings.py", said)
    (row,) = read_and_store(memory, told.green(), proposal)
    kept = memory.get(row.memory)
    assert kept.is_alive
    others = [one for one in memory.store.memories.find_memories(Filter(session="s1"), limit=-1) if one.id != kept.id]
    assert said not in [one.content for one in others]


def test_a_lesson_waits_until_the_history_has_the_code_that_it_names(memory: Holloway, repository: Repository) -> None:
    told = story().edit(TOKENS, [], ["def warm_cache():"])
    told = told.says("The cache of the tokens is filled by warm_cache.", thinking=False)
    text = "The cache of the tokens is filled by warm_cache"
    read_and_store(memory, told, lesson(text, text, files=(TOKENS,)))
    repository.commit(TOKENS, "def other():\n    pass\n")
    Learning(memory.opened).settle_held()
    states = [
        one.state for one in candidates.list_session_candidates(memory.store.database, "s1") if one.number > 1_000
    ]
    assert states == [candidates.HELD]
