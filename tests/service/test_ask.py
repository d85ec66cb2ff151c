"""A question to the memory: the answer cites what was found, and without a model the evidence is the answer."""

import pytest

from holloway import Holloway
from holloway.domain.memory import Relation, RelationType
from holloway.llm.providers import WriterFailed
from holloway.service.ask import ask
from holloway.testing import FakeWriter
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
