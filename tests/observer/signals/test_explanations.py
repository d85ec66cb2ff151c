import pytest

from holloway.domain.event import Summarized
from holloway.domain.memory import MemoryType
from holloway.observer.signals.explanations import CONCLUSIONS_MAX, detect_explanations
from holloway.observer.signals.signal import Signal, SignalName
from tests.observer.story import Story

REASON = (
    "The cache must not use Redis because Redis is not available in CI, so `cache.py` falls back to SQLite instead."
)
COMMIT = f"cache: use SQLite\n\n{REASON}"
PULL_REQUEST = f"gh pr create --title 'Use SQLite' --body '{REASON}'"
RULE = "The importer should not create an invoice when the customer has no address, because the tax office rejects it."


def detect(story: Story) -> list[Signal]:
    return list(detect_explanations(story.account()))


def test_a_reason_in_a_commit_body_is_tied_to_its_sha_and_to_the_files_edited_before_it() -> None:
    story = Story().edit("other.py").commit("Change it", "1111111").edit("cache.py").commit(COMMIT, "deadbee")
    (signal,) = detect(story)
    assert (signal.name, signal.files) == (SignalName.COMMIT_AUTO, ("cache.py",))
    assert (signal.facts["sha"], signal.facts["text"]) == ("deadbee", REASON)
    assert signal.facts["context"] == "cache: use SQLite"


@pytest.mark.parametrize(
    "message", ["Fix typo", "Fix typo\n\nCo-Authored-By: Ada <ada@example.invalid>", "Add tests\n\nAdd tests for it."]
)
def test_a_commit_without_a_reason_is_none(message: str) -> None:
    assert detect(Story().edit("a.py").commit(message)) == []


def test_what_the_agent_says_counts_after_its_last_edit() -> None:
    (signal,) = detect(Story().edit("cache.py").says(REASON, thinking=False))
    assert (signal.name, signal.files) == (SignalName.CONCLUSION, ("cache.py",))
    assert detect(Story().says(REASON, thinking=False).edit("cache.py")) == []
    assert detect(Story().edit("cache.py").says(REASON, thinking=True)) == []


def test_one_session_leaves_a_bounded_number_of_conclusions() -> None:
    story = Story().edit("cache.py")
    for number in range(CONCLUSIONS_MAX + 3):
        story = story.says(REASON.replace("Redis", f"Redis{number}"), thinking=False)
    assert len(detect(story)) == CONCLUSIONS_MAX


def test_notes_and_pull_requests_are_notes_of_the_agent() -> None:
    (note,) = detect(Story().write("docs/decisions/0001-cache.md", ["# Cache", "", REASON]))
    (request,) = detect(Story().edit("cache.py").shell(PULL_REQUEST, "https://github.com/o/r/pull/1"))
    assert {note.name, request.name} == {SignalName.AGENT_NOTE}
    assert (note.facts["context"], request.facts["context"]) == ("Cache", "Use SQLite")
    assert detect(Story().write("docs/guide.md", ["# Cache", "", REASON])) == []
    assert detect(Story().shell(PULL_REQUEST, "no permission", ok=False)) == []


def test_a_summary_is_read_only_where_it_states_causes() -> None:
    told = f"1. Primary Request:\n   {RULE}\n\n4. Errors and fixes:\n   - {REASON}\n"
    (signal,) = detect(Story().event(Summarized(0.0, told)))
    assert (signal.name, signal.facts["text"]) == (SignalName.CONCLUSION, REASON)


def test_a_rule_of_the_person_is_their_statement_with_the_message_it_answers() -> None:
    (signal,) = detect(Story().says("Shall I bill customers without an address?", thinking=False).user(RULE))
    assert (signal.name, signal.type) == (SignalName.USER_STATEMENT, MemoryType.PREFERENCE)
    assert (signal.facts["said"], signal.quotes) == (RULE, (RULE,))
    assert signal.facts["answers"] == "Shall I bill customers without an address?"


@pytest.mark.parametrize("prompt", ["Please add a test for the login page.", f"Can you check this? {RULE}"])
def test_a_request_is_no_statement(prompt: str) -> None:
    assert detect(Story().user(prompt)) == []


@pytest.mark.promise("no-repository-prose")
@pytest.mark.parametrize(
    "prompt",
    [
        f"The vendor wrote this:\n\n{RULE}\n\nPlease translate it.",
        f"I got a mail:\n\nFrom: Ada\nSubject: bills\n\n{RULE[:-1]}, see https://zqx.example.com/a.\n\nTranslate it.",
        f"I got a mail.\n\n{RULE[:-1]}, says ada@zqx.example.com.",
    ],
)
def test_words_of_others_that_the_person_pasted_are_not_theirs(prompt: str) -> None:
    assert detect(Story().user(prompt)) == []


def test_what_is_a_correction_is_not_told_twice() -> None:
    assert detect(Story().user("No, we never use floats for money. Always use integer cents.")) == []
