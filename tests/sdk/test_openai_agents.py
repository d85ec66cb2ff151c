"""The OpenAI Agents SDK with a scripted model in the place of a real one."""

from typing import Any

import pytest
from agents.run import CallModelData, ModelInputData

from examples.openai_agent import main
from holloway.sdk.openai_agents import HollowayHooks
from holloway.service.holloway import Holloway
from tests.conftest import Repository

FILE = "src/shop/auth/tokens.py"
TRAP = "refresh() burns the token; call it once"


def words(items: list[Any]) -> list[str]:
    return [str(item.get("content") or item.get("output") or "") for item in items if isinstance(item, dict)]


@pytest.mark.promise("sdk")
def test_brief_prompt_and_trap_reach_the_model_and_stay_where_they_were_said(
    memory: Holloway, repository: Repository
) -> None:
    memory.remember(TRAP, files=[FILE])
    memory.remember("money is integer cents", type="decision")
    memory.map.update()
    first, second = main(str(repository.root), FILE, f"Explain refresh() in {FILE}")
    for instructions, _ in (first, second):
        assert instructions.startswith("You explain code.\n\nholloway: shared memory of this repository")
        assert "money is integer cents [hw:" in instructions
    told = words(first[1])
    assert told[0].startswith("Explain refresh()")
    assert sum(TRAP in text for text in told) == 1
    assert words(second[1])[: len(told)] == told, "what was said before stays as it was"


@pytest.mark.promise("sdk")
def test_what_the_agent_did_is_noted_and_a_trap_comes_with_the_result(memory: Holloway, repository: Repository) -> None:
    memory.remember(TRAP, files=[FILE])
    _, second = main(str(repository.root), FILE, "Say hello")
    told = words(second[1])
    assert told[-1].startswith(f"holloway on {FILE}: {TRAP}")
    assert memory.store.database.fetch_value("SELECT json_extract(record, '$.tool_calls') FROM sessions") == 1


def test_a_tool_that_fails_is_noted_as_a_failure(memory: Holloway, repository: Repository) -> None:
    main(str(repository.root), "no/such/file.py")
    assert memory.store.database.fetch_value("SELECT json_extract(record, '$.errors') FROM sessions") == 1


def test_another_run_begins_anew(memory: Holloway) -> None:
    memory.remember(TRAP, files=[FILE])
    memory.map.update()
    hooks = HollowayHooks(memory.session())
    asked = {"role": "user", "content": [{"type": "input_text", "text": f"Explain refresh() in {FILE}"}]}
    made = []
    for items in ([asked], [asked, {"type": "reasoning"}, {"odd": 1}], [asked]):
        given: Any = CallModelData(ModelInputData(list(items), None), None, None)  # type: ignore[arg-type]
        made.append(words(hooks.before_model(given).input))
    assert all(sum(TRAP in text for text in each) == 1 for each in made)


def test_a_run_that_is_as_long_as_the_one_before_begins_anew_too(memory: Holloway) -> None:
    memory.remember(TRAP, files=[FILE])
    memory.map.update()
    hooks = HollowayHooks(memory.session())

    def ask(*prompts: str) -> list[str]:
        items: Any = [{"role": "user", "content": prompt} for prompt in prompts]
        given: Any = CallModelData(ModelInputData(items, None), None, None)  # type: ignore[arg-type]
        return words(hooks.before_model(given).input)

    assert len(ask("Say hello")) == 1
    first = f"Explain refresh() in {FILE}"
    assert [TRAP in text for text in ask(first)] == [False, True]
    longer = ask("Say hello again", "and again")
    assert longer == ["Say hello again", "and again"], "nothing of the run before is in it"
    assert sum(TRAP in text for text in ask(first, "go on")) == 1
