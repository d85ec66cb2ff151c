import pytest

from holloway.domain import methodology
from holloway.domain.memory import MemoryType
from holloway.domain.methodology import BMAD, NATIVE, PLAIN, TDD, Methodology
from holloway.domain.work import Phase
from holloway.errors import InvalidInput


@pytest.mark.promise("methodologies")
@pytest.mark.parametrize(
    ("methodology", "name", "phase"),
    [
        (NATIVE, "planning", Phase.DEFINE),
        (NATIVE, "coding", Phase.IMPLEMENT),
        (NATIVE, "QA review", Phase.VALIDATE),
        (NATIVE, "qa-fix", Phase.REFINE),
        (TDD, "red", Phase.DEFINE),
        (TDD, "green", Phase.IMPLEMENT),
        (TDD, "refactor", Phase.REFINE),
        (BMAD, "architect", Phase.DEFINE),
        (BMAD, "dev", Phase.IMPLEMENT),
        (PLAIN, "validate", Phase.VALIDATE),
        (PLAIN, "whatever", Phase.EXPLORE),
    ],
)
def test_phases_of_a_methodology_map_onto_the_universal_ones(methodology: Methodology, name: str, phase: Phase) -> None:
    assert methodology.phase(name) is phase


def test_a_work_unit_is_named_from_the_outside_in() -> None:
    unit = NATIVE.work_unit("042", "3")
    assert (unit.path, unit.label) == (("042", "3"), "Spec 042 / Subtask 3")


def test_a_work_unit_without_a_name_is_an_error() -> None:
    with pytest.raises(InvalidInput, match="at least one name"):
        NATIVE.work_unit("")


def test_the_fixer_gets_errors_and_requirements_only() -> None:
    relay = next(each for each in NATIVE.relays if each.taker == "qa_fixer")
    assert relay.types == {MemoryType.ERROR_PATTERN, MemoryType.REQUIREMENT}


def test_a_methodology_of_ones_own_can_be_registered() -> None:
    kanban = Methodology("kanban-of-a-test", "Kanban", {"doing": Phase.IMPLEMENT}, ("card",))
    methodology.register(kanban)
    assert methodology.find_methodology("kanban-of-a-test").phase("doing") is Phase.IMPLEMENT


def test_a_known_methodology_is_not_overwritten() -> None:
    with pytest.raises(InvalidInput, match="exists already"):
        methodology.register(Methodology("tdd", "Mine", {}))
    assert methodology.find_methodology("tdd") is TDD


def test_an_unknown_methodology_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput) as caught:
        methodology.find_methodology("scrumfall")
    assert "native" in caught.value.hint


def test_the_roles_of_a_methodology_are_those_that_hand_memories_to_each_other() -> None:
    assert TDD.roles == {"tester", "coder", "refactorer"}
    assert methodology.PLAIN.roles == frozenset()
