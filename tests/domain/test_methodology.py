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


def test_a_relay_is_found_by_giver_and_taker_and_an_unknown_one_is_refused() -> None:
    assert BMAD.relay("qa", "dev").types == {
        *(MemoryType.ERROR_PATTERN, MemoryType.REQUIREMENT, MemoryType.E2E_OBSERVATION)
    }
    assert BMAD.relay("dev", "qa").types == frozenset()
    with pytest.raises(InvalidInput) as caught:
        TDD.relay("coder", "tester")
    assert caught.value.message == "tdd hands nothing from 'coder' to 'tester'."
    assert caught.value.hint == "Known: tester to coder, coder to refactorer."
    with pytest.raises(InvalidInput, match=r"Known: none\."):
        PLAIN.relay("coder", "tester")


def test_a_type_that_a_methodology_adds_is_stored_as_one_of_ours_and_named_in_the_text() -> None:
    lean = Methodology("lean", "Lean", {}, types={"waste_found": MemoryType.GOTCHA})
    assert lean.typed("Waiting for CI", "waste_found") == ("Waste found: Waiting for CI", "gotcha")
    assert lean.typed("Waiting for CI", "decision") == ("Waiting for CI", "decision")


def test_a_methodology_can_be_registered_again_unchanged() -> None:
    lean = Methodology("lean-of-a-test", "Lean", {})
    methodology.register(lean)
    methodology.register(lean)
    assert methodology.find_methodology("lean-of-a-test") is lean


def test_a_name_without_end_is_repeated_in_part() -> None:
    with pytest.raises(InvalidInput) as caught:
        methodology.find_methodology("x" * 1_000)
    assert caught.value.message == f"There is no methodology {'x' * 60!r}."


def test_agile_sprints_are_a_methodology() -> None:
    agile = methodology.find_methodology("agile")
    assert agile.phase("Sprint Planning") is Phase.DEFINE
    assert agile.relay("tester", "developer").types == {MemoryType.ERROR_PATTERN, MemoryType.REQUIREMENT}
