"""A question to the memory: the answer cites what was found, and without a model the evidence is the answer."""

import pytest

from holloway import Holloway
from holloway.domain.memory import Relation, RelationType
from holloway.llm.providers import WriterFailed
from holloway.service.ask import NOTHING_CITED, NOTHING_SUPPORTS, TURNS_KEPT, Conversation, ask
from holloway.testing import FakeWriter
from tests.service.learned import learn, solved
from tests.store.test_memories import taught


def test_an_answer_cites_what_was_found_and_nothing_else(memory: Holloway) -> None:
    known = taught(memory, "Money is stored as integer cents")
    memory.map.update()
    writer = FakeWriter(f"In cents [hw:{known.id}, taught]. And in gold [hw:ffffff].")
    answer = ask(memory, "how is money stored", writer=writer)
    assert answer.text == f"In cents [hw:{known.id}]. And in gold ."
    assert answer.cited == (known.id,)
    assert "Money is stored as integer cents" in writer.asked[0]
    assert answer.model == "fake"


@pytest.mark.promise("without-a-model")
def test_without_a_model_or_when_it_fails_the_evidence_is_the_answer(memory: Holloway) -> None:
    known = taught(memory, "Money is stored as integer cents")
    memory.map.update()
    plain = ask(memory, "how is money stored")
    failed = ask(memory, "how is money stored", writer=FakeWriter(WriterFailed("it is down", "")))
    for answer in (plain, failed):
        assert answer.text == ""
        assert answer.results[0].memory.id == known.id
    assert "No language model" in plain.note
    assert failed.note == "it is down"


@pytest.mark.promise("required-together")
def test_what_a_memory_is_required_with_is_evidence_too(memory: Holloway) -> None:
    other = taught(memory, "Restart the worker afterwards")
    known = taught(memory, "Money is stored as integer cents")
    with_it = (Relation(RelationType.REQUIRED_WITH, memory=other.id),)
    memory.store.memories.update_memory(known, "related", relations=with_it)
    memory.map.update()
    writer = FakeWriter(f"In cents [hw:{known.id}]; restart [hw:{other.id}].")
    assert ask(memory, "how is money stored", writer=writer).cited == (known.id, other.id)
    assert "Restart the worker afterwards" in writer.asked[0]


@pytest.mark.promise("branches")
def test_what_another_branch_keeps_to_itself_is_no_evidence_here(memory: Holloway) -> None:
    other = taught(memory, "Restart the worker afterwards")
    known = taught(memory, "Money is stored as integer cents")
    with_it = (Relation(RelationType.REQUIRED_WITH, memory=other.id),)
    memory.store.memories.update_memory(known, "related", relations=with_it)
    memory.store.memories.update_memory(other, "edited", branch_only="elsewhere")
    memory.map.update()
    writer = FakeWriter("In cents.")
    ask(memory, "how is money stored", writer=writer)
    assert "Money is stored as integer cents" in writer.asked[0]
    assert "Restart the worker afterwards" not in writer.asked[0]


def test_a_question_that_nothing_supports_is_refused_without_asking_a_model(memory: Holloway) -> None:
    writer = FakeWriter("It is blue.")
    answer = ask(memory, "what is the colour of the sky", writer=writer)
    assert (answer.refused, answer.text, answer.note) == (True, "", NOTHING_SUPPORTS)
    assert writer.asked == []


def test_an_answer_that_cites_nothing_stored_is_not_shown(memory: Holloway) -> None:
    known = taught(memory, "Money is stored as integer cents")
    memory.map.update()
    answer = ask(memory, "how is money stored", writer=FakeWriter("In gold [hw:ffffff]."))
    assert (answer.refused, answer.text, answer.note) == (True, "", NOTHING_CITED)
    assert answer.results[0].memory.id == known.id


def test_an_answer_may_rest_on_a_file(memory: Holloway) -> None:
    memory.map.update()
    answer = ask(memory, "where is refresh of the token", writer=FakeWriter("In src/shop/auth/tokens.py."))
    assert (answer.refused, answer.text) == (False, "In src/shop/auth/tokens.py.")


def test_a_conversation_understands_a_question_from_the_turns_before_it(memory: Holloway) -> None:
    money = taught(memory, "Money is stored as integer cents")
    taught(memory, "The night job rounds invoices once")
    memory.map.update()
    writer = FakeWriter(f"In cents [hw:{money.id}].", f"Because of VAT [hw:{money.id}].")
    conversation = Conversation()
    first = conversation.ask(memory, "how is money stored", writer=writer)
    second = conversation.ask(memory, "and why?", writer=writer)
    assert (first.answer.cited, second.answer.cited) == ((money.id,), (money.id,))
    assert money.id in [result.memory.id for result in second.answer.results]
    assert "Earlier in this conversation" not in writer.asked[0]
    assert "- asked: how is money stored" in writer.asked[1]
    assert "  answered: In cents" in writer.asked[1]
    assert [turn.question for turn in conversation.turns] == ["how is money stored", "and why?"]


def test_a_conversation_forgets_what_was_forgotten_and_its_oldest_turns(memory: Holloway) -> None:
    money = taught(memory, "Money is stored as integer cents")
    memory.map.update()
    conversation = Conversation()
    conversation.ask(memory, "how is money stored", writer=FakeWriter(f"In cents [hw:{money.id}]."))
    memory.forget([money])
    turn = conversation.ask(memory, "and why?", writer=FakeWriter("x"))
    assert money.id not in [result.memory.id for result in turn.answer.results]
    for number in range(TURNS_KEPT):
        conversation.ask(memory, f"question {number} about money")
    assert len(conversation.turns) == TURNS_KEPT
    assert conversation.turns[0].question == "question 0 about money"


def test_files_that_were_only_active_lately_support_no_answer(memory: Holloway) -> None:
    memory.map.update()
    learn(memory, solved("s1"))
    assert memory.map.locate("zzzz qqqq").files, "the latest session opened them"
    writer = FakeWriter("Anything.")
    answer = ask(memory, "zzzz qqqq", writer=writer)
    assert (answer.refused, answer.located.files, writer.asked) == (True, (), [])
