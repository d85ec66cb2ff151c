from dataclasses import fields
from datetime import timedelta

import pytest

from holloway.config import RECORD_DETAILS_CHARS_MAX
from holloway.domain import memory_details, memory_json
from holloway.domain.memory import Memory, MemoryType, Relation, RelationType, ReviewReason
from holloway.domain.memory_details import (
    Calibration,
    CausalDependency,
    DeadEnd,
    Decision,
    E2EKind,
    ErrorFix,
    Recipe,
    RecipeStep,
    WorkState,
)
from holloway.domain.work import WorkUnit
from holloway.errors import InvalidInput
from tests.domain.made import NOW, a_memory

EXAMPLES: dict[MemoryType, dict[str, object]] = {
    MemoryType.DECISION: {"reason": "the API comes first", "alternatives": ["server sessions"]},
    MemoryType.ERROR_PATTERN: {"error": "ECONNREFUSED 6379", "fix": "set REDIS_URL"},
    MemoryType.DEAD_END: {"approach": "Redis in tests", "reason": "not in CI", "alternative": "SQLite"},
    MemoryType.WORKFLOW_RECIPE: {"task": "add a route", "steps": [{"description": "edit urls.py", "line": 3}]},
    MemoryType.PREFETCH_PATTERN: {"module": "auth", "always": ["a.py"], "frequent": ["b.py"], "sessions": 5},
    MemoryType.CAUSAL_DEPENDENCY: {"when": "api.py", "then": "client.ts"},
    MemoryType.TASK_CALIBRATION: {"module": "auth", "actual_steps": 30, "planned_steps": 20, "samples": 4},
    MemoryType.CONTEXT_COST: {"module": "auth", "mean_tokens": 9000, "p90_tokens": 14000, "samples": 6},
    MemoryType.E2E_OBSERVATION: {"kind": "precondition", "tool": "browser_click"},
    MemoryType.WORK_STATE: {"task": "rotate tokens", "done": ["schema"], "open": ["tests"]},
    MemoryType.WORK_UNIT_OUTCOME: {"succeeded": False, "files": ["a.py"], "retries": 2, "failure": "race"},
}


def test_every_type_with_details_has_an_example_here() -> None:
    assert set(EXAMPLES) == set(memory_json.DETAILS)


@pytest.mark.parametrize("memory_type", list(EXAMPLES))
def test_details_survive_the_way_to_json_and_back(memory_type: MemoryType) -> None:
    parsed = memory_json.parse_details(memory_type, EXAMPLES[memory_type])
    assert parsed is not None
    assert memory_json.parse_details(memory_type, memory_json.details_json(parsed)) == parsed


@pytest.mark.promise("typed")
@pytest.mark.parametrize("memory_type", [kind for kind in MemoryType if kind not in memory_json.DETAILS])
def test_a_type_without_details_refuses_them_with_a_hint(memory_type: MemoryType) -> None:
    with pytest.raises(InvalidInput) as caught:
        memory_json.parse_details(memory_type, {"approach": "x"})
    assert "'approach'" in caught.value.message
    assert "dead_end" in caught.value.hint


@pytest.mark.promise("typed")
def test_an_unknown_field_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(InvalidInput) as caught:
        memory_json.parse_details(MemoryType.DEAD_END, {"aproach": "x", "reason": "y"})
    assert "'aproach'" in caught.value.message
    assert "approach" in caught.value.hint


@pytest.mark.parametrize(
    "given",
    [
        {"approach": ["x"] * 10_000, "reason": "y"},
        {"approach": "x", "reason": "y", "z" * 10_000: "w"},
    ],
)
def test_a_message_repeats_so_much_of_a_value_that_it_is_recognised(given: dict[str, object]) -> None:
    with pytest.raises(InvalidInput) as caught:
        memory_json.parse_details(MemoryType.DEAD_END, given)
    assert "…" in caught.value.message
    assert len(caught.value.message) < 200


def test_a_missing_field_is_named() -> None:
    with pytest.raises(InvalidInput, match="needs reason"):
        memory_json.parse_details(MemoryType.DEAD_END, {"approach": "x"})


def test_false_and_zero_are_values_not_gaps() -> None:
    outcome = memory_json.parse_details(MemoryType.WORK_UNIT_OUTCOME, {"succeeded": False})
    assert outcome is not None
    assert memory_json.details_json(outcome) == {"succeeded": False}


@pytest.mark.parametrize("memory_type", sorted(memory_json.NEEDED))
def test_figures_without_their_figures_are_refused(memory_type: MemoryType) -> None:
    with pytest.raises(InvalidInput, match="needs details"):
        memory_json.parse_details(memory_type, None)


def test_words_from_a_command_line_become_the_right_kind_of_value() -> None:
    given: dict[str, object] = {"module": "auth", "actual_steps": "30", "planned_steps": "20", "samples": "4"}
    parsed = memory_json.parse_details(MemoryType.TASK_CALIBRATION, given)
    assert parsed == Calibration("auth", 30.0, 20.0, 4)
    assert isinstance(parsed, Calibration)
    assert parsed.ratio == 1.5


def test_steps_of_a_recipe_may_be_plain_sentences() -> None:
    parsed = memory_json.parse_details(
        MemoryType.WORKFLOW_RECIPE, {"task": "add a route", "steps": ["edit urls.py", "run it"]}
    )
    assert parsed == Recipe("add a route", (RecipeStep("edit urls.py"), RecipeStep("run it")))


@pytest.mark.parametrize(
    ("memory_type", "values", "named"),
    [
        (MemoryType.TASK_CALIBRATION, {**EXAMPLES[MemoryType.TASK_CALIBRATION], "samples": "many"}, "'many'"),
        (MemoryType.TASK_CALIBRATION, {**EXAMPLES[MemoryType.TASK_CALIBRATION], "samples": True}, "True"),
        (MemoryType.CONTEXT_COST, {**EXAMPLES[MemoryType.CONTEXT_COST], "mean_tokens": float("nan")}, "nan"),
        (MemoryType.CONTEXT_COST, {**EXAMPLES[MemoryType.CONTEXT_COST], "mean_tokens": "inf"}, "'inf'"),
        (MemoryType.CONTEXT_COST, {**EXAMPLES[MemoryType.CONTEXT_COST], "mean_tokens": 10**400}, "1000"),
        (MemoryType.CONTEXT_COST, {**EXAMPLES[MemoryType.CONTEXT_COST], "samples": 10**16}, "1000"),
        (MemoryType.E2E_OBSERVATION, {"kind": "mood"}, "'mood'"),
        (MemoryType.DEAD_END, {"approach": 3, "reason": "y"}, "3"),
        (MemoryType.WORK_UNIT_OUTCOME, {"succeeded": "perhaps"}, "'perhaps'"),
        (MemoryType.WORKFLOW_RECIPE, {"task": "x", "steps": [7]}, "7"),
        (MemoryType.DEAD_END, {"approach": "x" * 5_000, "reason": "y"}, "5,000"),
        (MemoryType.WORKFLOW_RECIPE, {"task": "x", "steps": ["y"] * 1_000}, "1000"),
    ],
)
def test_a_wrong_value_is_named(memory_type: MemoryType, values: dict[str, object], named: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        memory_json.parse_details(memory_type, values)
    assert named in caught.value.message
    assert caught.value.hint


@pytest.mark.promise("typed")
def test_details_of_one_type_make_no_sense_for_another() -> None:
    with pytest.raises(InvalidInput, match="make no sense"):
        memory_json.check_details(MemoryType.DECISION, DeadEnd("x", "y"))


def test_all_texts_in_details_are_found_for_search() -> None:
    parsed = memory_json.parse_details(MemoryType.WORKFLOW_RECIPE, EXAMPLES[MemoryType.WORKFLOW_RECIPE])
    assert memory_json.details_texts(parsed) == ["add a route", "edit urls.py"]


def test_the_kinds_of_observation_are_those_of_the_design() -> None:
    assert set(E2EKind) == {"precondition", "test_sequence", "timing", "mcp_gotcha", "ui_behavior"}


def test_details_are_checked_against_their_type_before_they_are_stored() -> None:
    memory_json.check_details(MemoryType.DEAD_END, DeadEnd("x", "y"))
    memory_json.check_details(MemoryType.DEAD_END, None)
    with pytest.raises(InvalidInput, match="needs details"):
        memory_json.check_details(MemoryType.CONTEXT_COST, None)
    with pytest.raises(InvalidInput) as caught:
        memory_json.check_details(MemoryType.GOTCHA, DeadEnd("x", "y"))
    assert caught.value.hint == "That type has no details."


@pytest.mark.parametrize(("word", "value"), [("true", True), ("Yes", True), ("1", True), ("no", False), ("0", False)])
def test_a_word_for_true_or_false_is_understood(word: str, value: bool) -> None:
    outcome = memory_json.parse_details(MemoryType.WORK_UNIT_OUTCOME, {"succeeded": word})
    assert memory_json.details_json(outcome) == {"succeeded": value}


def test_a_required_figure_may_be_zero_but_not_missing() -> None:
    figures: dict[str, object] = {"module": "auth", "actual_steps": 0, "planned_steps": 0, "samples": 0}
    assert memory_json.parse_details(MemoryType.TASK_CALIBRATION, figures) == Calibration("auth", 0, 0, 0)
    with pytest.raises(InvalidInput, match="needs samples"):
        memory_json.parse_details(MemoryType.TASK_CALIBRATION, {**figures, "samples": None})


def test_an_optional_figure_may_be_none() -> None:
    steps = [{"description": "edit urls.py", "line": None}]
    recipe = memory_json.parse_details(MemoryType.WORKFLOW_RECIPE, {"task": "add a route", "steps": steps})
    assert recipe == Recipe("add a route", (RecipeStep("edit urls.py"),))


@pytest.mark.parametrize(
    ("details", "summary"),
    [
        (DeadEnd("Redis in tests", "not in CI"), "not in CI"),
        (DeadEnd("Redis in tests", "not in CI", "SQLite"), "not in CI; instead: SQLite"),
        (ErrorFix("ECONNREFUSED", "set REDIS_URL"), "fix: set REDIS_URL"),
        (Decision("the API comes first"), "the API comes first"),
        (CausalDependency("api.py", "client.ts", "generated"), "generated"),
        (WorkState("rotate tokens"), ""),
        (None, ""),
    ],
)
def test_a_one_line_view_adds_the_reason_the_alternative_or_the_fix(details: object, summary: str) -> None:
    assert memory_details.details_summary(details) == summary


def test_unfinished_work_is_shown_without_what_may_quote_a_page_or_a_tool() -> None:
    state = WorkState("rotate tokens", ("schema",), ("tests",), ("a.py",), "quoted failure", "quoted step")
    assert memory_json.shown_details(state) == {"task": "rotate tokens", "uncommitted": ["a.py"]}
    assert memory_json.shown_details(ErrorFix("ECONNREFUSED", "set REDIS_URL")) == {
        "error": "ECONNREFUSED",
        "fix": "set REDIS_URL",
    }
    assert memory_json.shown_details(None) == {}


def test_every_field_of_a_memory_is_there_and_confidence_is_the_faded_one() -> None:
    memory = a_memory(files=("a.py",), relations=(Relation(RelationType.SUPERSEDES, memory="123456"),))
    written = memory_json.memory_json(memory, NOW + timedelta(days=100))
    assert {entry.name for entry in fields(Memory)} - set(written) == {"review_after"}
    assert (written["id"], written["type"], written["files"]) == ("abcdef", "gotcha", ["a.py"])
    assert (written["base_confidence"], written["work_unit"], written["review"]) == (0.8, None, None)
    assert written["relations"] == [
        {"type": "supersedes", "memory": "123456", "path": "", "confidence": 1.0, "automatic": False}
    ]


def test_confidence_is_rounded_to_four_places() -> None:
    assert memory_json.memory_json(a_memory(confidence=1 / 3), NOW)["confidence"] == 0.3333


def test_a_work_unit_and_a_reason_for_review_are_plain_values() -> None:
    unit = WorkUnit("native", ("042", "3"), "Spec 042 / Subtask 3")
    written = memory_json.memory_json(a_memory(work_unit=unit, review=ReviewReason.TAINTED), NOW)
    assert written["work_unit"] == {"methodology": "native", "path": ["042", "3"], "label": "Spec 042 / Subtask 3"}
    assert written["review"] == "tainted"


def test_quotes_in_unfinished_work_are_left_out() -> None:
    memory = a_memory(MemoryType.WORK_STATE, details=WorkState("rotate", next_step="quoted"))
    assert memory_json.memory_json(memory, NOW)["details"] == {"task": "rotate"}


def test_the_details_of_a_record_are_dumped_and_loaded_under_the_names_of_their_fields() -> None:
    arguments = {"approach_tried": "Redis in tests", "details": {"why_it_failed": "not in CI", "alternative": "SQLite"}}
    text = memory_json.dump_record_details(arguments)
    assert memory_json.load_record_details(MemoryType.DEAD_END, text) == DeadEnd(
        "Redis in tests", "not in CI", "SQLite"
    )
    assert memory_json.dump_record_details({"details": ["no object"]}) == ""
    assert memory_json.dump_record_details({"details": {"reason": "x" * RECORD_DETAILS_CHARS_MAX}}) == ""


def test_the_relations_of_a_record_are_split_from_its_details() -> None:
    ids = {"required_with": ["[hw:7f3a2c]", 3], "validates": ["8e4b1d"]}
    text = memory_json.dump_record_details({"details": {"reason": "it is slow", **ids}})
    assert memory_json.load_record_details(MemoryType.DECISION, text) == Decision("it is slow")
    relations = memory_json.load_record_relations(text)
    assert relations == ((RelationType.REQUIRED_WITH, "7f3a2c"), (RelationType.VALIDATES, "8e4b1d"))
    assert memory_json.group_relations(relations) == {"required_with": ["7f3a2c"], "validates": ["8e4b1d"]}
    assert memory_json.load_record_relations("no json") == ()


@pytest.mark.parametrize("text", ["", "no json", "[1]", '{"unknown": 1}', "[" * 100_000])
def test_details_of_a_record_that_do_not_fit_are_left_out(text: str) -> None:
    assert memory_json.load_record_details(MemoryType.DEAD_END, text) is None
