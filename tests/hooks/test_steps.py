"""Between two steps, when a subagent starts, when the host loads rules or cuts its context: the rarer hooks."""

import json
import time
from pathlib import Path

import pytest

import holloway
from holloway.capture import journal_reader as reader
from holloway.config import STEP_TOKENS_MAX, STEPS_WITHOUT_WORD, TOOL_RESULT_MEMORIES_MAX
from holloway.domain.event import Said, Summarized
from holloway.injection import session_state
from holloway.text.tokens import MARGIN, estimate_tokens
from tests.conftest import Repository
from tests.hooks.asking import TRAP, TRAP_FILE, Asked, Asking, event
from tests.service.test_session_context import INVOICE, RECIPE
from tests.store.test_memories import taught

TASK = "Add a payment provider for cards please"
ASKED = "Fix refresh in src/shop/auth/tokens.py: it returns the old token"


def call(repository: Repository, tool: str, **given: object) -> dict[str, object]:
    named = {name: str(repository.root / value) if name == "file_path" else value for name, value in given.items()}  # type: ignore[operator]
    return {"tool_name": tool, "tool_input": named, "tool_use_id": "t", "tool_response": "text"}


def step(ask: Asking, repository: Repository, *calls: dict[str, object], session: str = "s1", **more: object) -> Asked:
    """One step of the agent, with these calls."""
    return ask(event(repository, "PostToolBatch", session, tool_calls=list(calls), **more))


def idle(ask: Asking, repository: Repository, number: int) -> list[bytes]:
    """So many steps in which nothing is opened."""
    return [step(ask, repository, call(repository, "Bash", command=f"echo {each}")).printed for each in range(number)]


def test_a_step_in_which_nothing_is_opened_is_met_with_silence(repository: Repository, trap: str, ask: Asking) -> None:
    assert idle(ask, repository, 12) == [b""] * 12


@pytest.mark.promise("once")
def test_what_came_with_the_tools_result_is_not_said_again(repository: Repository, trap: str, ask: Asking) -> None:
    idle(ask, repository, STEPS_WITHOUT_WORD)
    assert TRAP in ask(event(repository)).context
    assert step(ask, repository, call(repository, "Read", file_path=TRAP_FILE)).printed == b""


def test_traps_that_did_not_fit_the_tools_result_come_before_a_later_step(
    repository: Repository, memory: holloway.Holloway, ask: Asking
) -> None:
    told = [taught(memory, f"trap number {each} of the tokens", files=[TRAP_FILE]).id for each in range(6)]
    first = ask(event(repository)).context
    assert first.count("hw:") == TOOL_RESULT_MEMORIES_MAX
    read = call(repository, "Read", file_path=TRAP_FILE)
    early = [step(ask, repository, read).printed for _ in range(STEPS_WITHOUT_WORD)]
    late = step(ask, repository, read)
    assert early == [b""] * STEPS_WITHOUT_WORD
    assert late.said["hookSpecificOutput"]["hookEventName"] == "PostToolBatch"
    assert estimate_tokens(late.context) * MARGIN <= STEP_TOKENS_MAX
    assert sorted(each for each in told if f"hw:{each}" in first + late.context) == sorted(told)
    assert step(ask, repository, read).printed == b""


@pytest.mark.parametrize(("mode", "first"), [("plan", "decision"), ("default", "gotcha")])
def test_decisions_come_before_traps_while_the_agent_only_plans(
    repository: Repository, memory: holloway.Holloway, ask: Asking, mode: str, first: str
) -> None:
    for kind in ("decision", "gotcha"):
        taught(memory, f"the {kind} about refreshing tokens", type=kind, files=[TRAP_FILE])
    text = ask(event(repository, permission_mode=mode)).context
    assert min(("gotcha", "decision"), key=lambda kind: text.index(f"the {kind} about")) == first


def test_a_dead_end_comes_in_the_first_steps_too(
    repository: Repository, memory: holloway.Holloway, ask: Asking
) -> None:
    taught(memory, "Redis for test sessions was tried; CI has none", type="dead_end", files=[TRAP_FILE])
    met = step(ask, repository, call(repository, "Bash", command=f"wc -l {TRAP_FILE}; sed -n 1,9p {TRAP_FILE}"))
    assert met.printed == b""
    met = step(ask, repository, call(repository, "Bash", command=f"sed -n 1,9p {TRAP_FILE}"))
    assert "dead end: Redis for test sessions" in met.context


def test_a_recipes_next_step_comes_when_the_one_before_is_done(
    repository: Repository, memory: holloway.Holloway, ask: Asking
) -> None:
    made = memory.remember("Adding a payment provider", type="workflow_recipe", details=RECIPE).memory
    assert made is not None
    assert "payment provider" in ask(event(repository, "UserPromptSubmit", prompt=TASK)).context
    idle(ask, repository, STEPS_WITHOUT_WORD)
    wrote = step(ask, repository, call(repository, "Write", file_path="src/shop/billing/provider.py", content="x"))
    assert "step 2 of 4 comes next: Register it" in wrote.context
    assert f"hw:{made.id}" in wrote.context
    assert idle(ask, repository, 2) == [b"", b""]
    edited = step(ask, repository, call(repository, "Edit", file_path=INVOICE))
    assert "step 3 of 4 comes next" in edited.context
    memory.wrong(made.id, "outdated")
    assert step(ask, repository, call(repository, "Bash", command="pytest tests/billing")).printed == b""


@pytest.mark.promise("trust-levels")
@pytest.mark.parametrize("level", [1, 2])
def test_a_recipe_that_nobody_confirmed_goes_on_unasked_only_where_the_trust_level_allows(
    repository: Repository, memory: holloway.Holloway, ask: Asking, level: int
) -> None:
    made = memory.remember("Adding a payment provider", type="workflow_recipe", details=RECIPE).memory
    assert made is not None
    with memory.store.database.write_transaction():
        change = "UPDATE memories SET state = 'unconfirmed', source = 'observer_inferred', half_life_days = NULL"
        memory.store.database.execute(change)
    memory.store.set_meta("trust_level", str(level))
    assert "payment provider" in ask(event(repository, "UserPromptSubmit", prompt=TASK)).context
    idle(ask, repository, STEPS_WITHOUT_WORD)
    wrote = step(ask, repository, call(repository, "Write", file_path="src/shop/billing/provider.py", content="x"))
    assert ("step 2 of 4 comes next" in wrote.context) is (level > 1)


def test_steps_are_counted_without_a_word_and_forgotten_with_the_session(
    repository: Repository, memory: holloway.Holloway, ask: Asking
) -> None:
    step(ask, repository, call(repository, "Bash", command="echo a-private-word"), agent_id="a1")
    idle(ask, repository, 3)
    kept = sorted(memory.project.journal_folder.glob(f"*{session_state.SUFFIX}"))
    assert [json.loads(path.read_text())["step"] for path in kept] == [3, 1]
    assert not any("private" in path.read_text() for path in memory.project.journal_folder.iterdir())
    assert not any(path.suffix == ".jsonl" for path in memory.project.journal_folder.iterdir())
    ask(event(repository, "SessionEnd", reason="other"))
    assert [path.name for path in memory.project.journal_folder.glob("s1.step")] == []


@pytest.mark.parametrize("kept", [b"", b"[]", b'{"step": "many", "told": -1}', b"\xff\xfe", b'{"step": 1e999}'])
def test_a_count_that_cannot_be_read_begins_anew(tmp_path: Path, kept: bytes) -> None:
    (tmp_path / "s1.step").write_bytes(kept)
    assert session_state.load_state(str(tmp_path), "s1")["step"] == 0


@pytest.mark.parametrize("calls", [None, "x", [], [7, None, "x"], [{"tool_name": 7, "tool_input": []}], [{}] * 500])
def test_a_step_of_another_form_is_met_with_silence(
    repository: Repository, trap: str, ask: Asking, calls: object
) -> None:
    assert ask(event(repository, "PostToolBatch", tool_calls=calls)).printed == b""


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("Explore", "burns the token"),
        ("general-purpose", "burns the token"),
        ("code-reviewer", "integer cents"),
        ("Plan", "Redis for test sessions"),
        ("debugger", "Redis for test sessions"),
    ],
)
def test_a_subagent_is_told_what_its_role_needs_for_the_sessions_task(
    repository: Repository, memory: holloway.Holloway, ask: Asking, kind: str, expected: str
) -> None:
    memory.map.update()
    taught(memory, TRAP, files=[TRAP_FILE])
    taught(memory, "amounts are integer cents", type="requirement", files=[TRAP_FILE])
    taught(memory, "Redis for test sessions was tried; CI has none", type="dead_end", files=[TRAP_FILE])
    ask(event(repository, "UserPromptSubmit", prompt=ASKED))
    met = ask(event(repository, "SubagentStart", agent_id="a1", agent_type=kind))
    assert expected in met.context
    assert met.said["hookSpecificOutput"]["hookEventName"] == "SubagentStart"


def test_a_subagent_of_a_session_without_a_task_is_left_alone(repository: Repository, trap: str, ask: Asking) -> None:
    assert ask(event(repository, "SubagentStart", agent_id="a1", agent_type="Explore")).printed == b""


def test_rules_that_the_host_has_loaded_are_not_injected_again(
    repository: Repository, memory: holloway.Holloway, ask: Asking
) -> None:
    where = "src/shop/auth/CLAUDE.md"
    repository.commit(where, "# Rules\n\n- Never edit a token by hand: it is generated\n")
    memory.import_rules()
    (made,) = [each for each in memory.memories(limit=-1) if "generated" in each.content]
    memory.confirm(made.id)
    assert "it is generated" in ask(event(repository, session="before")).context
    loaded = {"memory_type": "Project", "load_reason": "session_start"}
    told = ask(event(repository, "InstructionsLoaded", file_path=str(repository.root / where), **loaded))
    assert told.printed == b""
    assert ask(event(repository)).printed == b""
    assert memory.times_shown(made.id) == 1
    other = str(repository.root / "CLAUDE.md")
    ask(event(repository, "InstructionsLoaded", "s2", file_path=other, **loaded))
    assert "it is generated" in ask(event(repository, session="s2")).context


def test_after_a_compaction_that_no_start_follows_it_may_arrive_again(
    repository: Repository, trap: str, ask: Asking
) -> None:
    assert TRAP in ask(event(repository)).context
    ask(event(repository, "PreCompact", trigger="auto"))
    ask(event(repository, "PostCompact", trigger="auto", compact_summary="So far so good."))
    assert TRAP in ask(event(repository)).context


def test_a_compaction_that_a_start_has_told_of_is_not_counted_twice(
    repository: Repository, memory: holloway.Holloway, ask: Asking
) -> None:
    taught(memory, "a pinned trap", files=[TRAP_FILE], pin=True)
    ask(event(repository, "PreCompact", trigger="auto"))
    assert "a pinned trap" in ask(event(repository, "SessionStart", source="compact")).context
    ask(event(repository, "PostCompact", trigger="auto", compact_summary="So far so good."))
    assert ask(event(repository)).printed == b""


def test_the_summary_of_a_compaction_is_material(
    repository: Repository, memory: holloway.Holloway, ask: Asking
) -> None:
    ask(event(repository, "SessionStart", source="startup"))
    ask(event(repository, "PostCompact", trigger="auto", compact_summary="We chose JWT over server sessions."))
    ask(event(repository, "SubagentStop", agent_id="a1", last_assistant_message="Nothing else uses it."))
    (log,) = memory.project.journal_folder.glob("*.jsonl")
    events = [event for event in reader.read_session(log, repository.root) if isinstance(event, Said | Summarized)]
    assert [type(event) for event in events] == [Summarized, Said]
    assert [event.text for event in events] == ["We chose JWT over server sessions.", "Nothing else uses it."]


@pytest.mark.promise("light")
def test_a_step_costs_less_than_its_deadline(repository: Repository, trap: str, ask: Asking) -> None:
    """The decision itself is held to 5 ms by the benchmarks; here the whole way in CPU time, with room to spare."""
    calls = [call(repository, "Read", file_path=TRAP_FILE) for _ in range(20)]
    step(ask, repository, *calls)

    def cpu_s() -> float:
        started = time.process_time()
        step(ask, repository, *calls)
        return time.process_time() - started

    # Neighbours on the same core inflate one measurement, not all of them.
    assert min(cpu_s() for _ in range(3)) < 0.1
