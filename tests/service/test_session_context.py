"""What a session in process is told, and when: the points, their budgets, and each memory once."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest

from holloway.config import (
    STEP_TOKENS_MAX,
    STEP_TOKENS_PER_SESSION_MAX,
    TOOL_RESULT_MEMORIES_MAX,
    TOOL_RESULT_TOKENS_MAX,
)
from holloway.domain.memory import State
from holloway.errors import HollowayError
from holloway.injection.project_map import ProjectMap
from holloway.observer import own_text
from holloway.retrieval.locate import LocateResult
from holloway.service.holloway import Holloway
from holloway.service.session import EARLY_FROM_SUBTASKS, Session
from holloway.testing import FakeClock
from holloway.text.tokens import MARGIN, estimate_tokens
from tests.conftest import Repository

TOKENS = "src/shop/auth/tokens.py"
INVOICE = "src/shop/billing/invoice.py"
TRAP = "refresh() burns the token; call it once"
REFUSED = "redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused."
RECIPE = {
    "task": "add a payment provider",
    "steps": [
        {"description": "Write the provider", "file": "src/shop/billing/provider.py"},
        {"description": "Register it", "file": INVOICE},
        {"description": "Run `pytest tests/billing`"},
        {"description": "Note it in the readme", "file": "README.md"},
    ],
}


def taught(memory: Holloway, text: str = TRAP, path: str = TOKENS, kind: str = "gotcha", **more: object) -> str:
    done = memory.remember(text, type=kind, files=[path] if path else [], **more)  # type: ignore[arg-type]
    assert done.memory is not None
    return done.memory.id


def cost(text: str) -> float:
    return estimate_tokens(text) * MARGIN


def searched(memory: Holloway) -> None:
    """A session that searched for a file before it opened it."""
    with memory.session("searching") as session:
        session.used("Grep", {"pattern": "refresh"}, f"{TOKENS}:1: refresh\n" * 50)
        session.used("Read", {"file_path": TOKENS}, "def refresh(token): ...")


def steps(session: Session, number: int, start: int = 0) -> list[str]:
    """So many steps in which nothing is opened."""
    said = []
    for step in range(number):
        session.used("bash", {"command": f"echo {start + step}"}, "")
        said.append(session.before_step())
    return said


@pytest.mark.promise("trap-with-file")
def test_a_trap_comes_with_the_file_it_is_about_and_only_once(memory: Holloway) -> None:
    told = taught(memory)
    session = memory.session(task="Rotate tokens")
    first = session.used("Read", {"file_path": TOKENS}, "def refresh(token): ...")
    assert first.startswith(f"holloway on {TOKENS}: {TRAP} [hw:{told}")
    assert session.used("Edit", {"file_path": TOKENS}, "ok") == ""
    assert session.augment("Read", {"file_path": TOKENS}, "") == ""


@pytest.mark.promise("trap-with-file")
@pytest.mark.parametrize("way", ["used", "augment"])
def test_a_patch_brings_the_traps_of_all_its_files(memory: Holloway, way: str) -> None:
    taught(memory, "Money is integer cents", INVOICE)
    taught(memory)
    patch = f"*** Begin Patch\n*** Update File: README.md\n+a\n*** Update File: {INVOICE}\n+b\n"
    patch += f"*** Update File: {TOKENS}\n+c\n*** End Patch"
    said = getattr(memory.session(), way)("apply_patch", {"input": patch}, "Done")
    assert f"{INVOICE}: Money is integer cents" in said
    assert f"{TOKENS}: {TRAP}" in said


@pytest.mark.promise("once")
def test_after_compaction_a_trap_may_come_again(memory: Holloway) -> None:
    taught(memory)
    session = memory.session()
    assert TRAP in session.augment("Read", {"file_path": TOKENS}, "")
    session.compacted()
    assert TRAP in session.augment("Read", {"file_path": TOKENS}, "")
    assert session.augment("Read", {"file_path": TOKENS}, "") == ""


@pytest.mark.promise("fix-with-error")
def test_a_failed_command_brings_the_known_fix(memory: Holloway) -> None:
    for number in range(2):
        with memory.session(f"s{number}") as before:
            before.used("Edit", {"file_path": TOKENS, "old_string": "a", "new_string": "b"}, "ok")
            before.used("bash", {"command": "pytest -q"}, REFUSED, ok=False)
            before.used("bash", {"command": "REDIS_URL=fake:// pytest -q"}, "12 passed in 0.3s")
    session = memory.session("later")
    said = session.used("bash", {"command": "pytest -q tests"}, REFUSED, ok=False)
    assert said.startswith("holloway: this error was solved before: ")
    assert "-> set REDIS_URL" in said
    assert "2 sessions" in said
    assert session.used("bash", {"command": "pytest -q tests"}, "ok: nothing failed") == ""


def test_a_fix_stands_as_long_as_one_of_the_files_where_it_helped(memory: Holloway, repository: Repository) -> None:
    finding = "{}:2:5: PLW1510 `run` without explicit `check` argument\n1 error"
    for path in (TOKENS, INVOICE, "src/shop/auth/session.py"):
        with memory.session(path) as before:
            before.used("bash", {"command": "ruff check src"}, finding.format(path), ok=False)
            change = {"old_string": "    run(token)", "new_string": "    run(token, check=True)"}
            before.used("Edit", {"file_path": path, **change}, "ok")
            before.used("bash", {"command": "ruff check src"}, "All checks passed!")
            before.used("bash", {"command": "git commit -qam linted"}, "[main 1a2b3c4] linted")
    (repository.root / INVOICE).unlink()
    said = memory.session("later").used("bash", {"command": "ruff check src"}, finding.format("src/new.py"), ok=False)
    assert "run(token, check=True)" in said


@pytest.mark.promise("fix-with-error")
def test_any_tool_that_fails_brings_the_known_fix(memory: Holloway) -> None:
    for number in range(2):
        with memory.session(f"s{number}") as before:
            before.used("Edit", {"file_path": TOKENS, "old_string": "a", "new_string": "b"}, "ok")
            before.used("bash", {"command": "pytest -q"}, REFUSED, ok=False)
            before.used("bash", {"command": "REDIS_URL=fake:// pytest -q"}, "12 passed in 0.3s")
    session = memory.session("later")
    assert session.used("run_suite", {"suite": "auth"}, REFUSED) == ""
    assert "-> set REDIS_URL" in session.used("run_suite", {"suite": "auth"}, REFUSED, ok=False)


@pytest.mark.promise("answer-with-search")
def test_a_search_is_answered_where_the_answer_is_known_and_still_true(
    memory: Holloway, repository: Repository
) -> None:
    taught(memory, "refresh tokens are made in refresh()", TOKENS)
    assert "refresh tokens are made" in (memory.session("a").search_first("refresh") or "")
    assert "refresh tokens are made" in memory.session("b").augment("Grep", {"pattern": r"\brefresh\b"}, "")
    assert memory.session("c").search_first("invoice") is None
    (repository.root / TOKENS).write_text("def renew(token): ...\n", "utf-8")
    assert memory.session("d").search_first("refresh") is None


@pytest.mark.promise("withheld")
def test_a_memory_that_names_a_file_that_is_gone_is_withheld_and_waits_for_a_person(
    memory: Holloway, repository: Repository
) -> None:
    told = memory.remember(TRAP, type="gotcha", files=[TOKENS, INVOICE]).memory
    assert told is not None
    (repository.root / INVOICE).unlink()
    session = memory.session()
    assert session.used("Read", {"file_path": TOKENS}, "") == ""
    assert session.before_step() == ""
    session.finish()
    assert memory.get(told.id).stale_at
    assert memory.get(told.id).state is State.STALE
    assert told.id in {each.id for each in memory.to_review()}


@pytest.mark.promise("points")
def test_a_dead_end_reaches_the_agent_within_two_steps_of_the_file_being_read(memory: Holloway) -> None:
    told = taught(memory, "Redis for test sessions was tried; CI has none", TOKENS, "dead_end")
    session = memory.session(task="Make the session tests faster")
    assert session.before_step() == ""
    said = session.used("bash", {"command": f"sed -n 1,80p {TOKENS}"}, "def refresh(token): ...")
    assert "dead end: Redis for test sessions" in said
    assert f"[hw:{told}" in said
    assert session.before_step() == ""


@pytest.mark.promise("trap-with-file")
def test_a_file_that_a_command_reads_brings_its_traps_with_the_output(memory: Holloway) -> None:
    taught(memory)
    session = memory.session()
    assert TRAP in session.used("bash", {"command": f"cat {TOKENS}"}, "def refresh(token): ...")
    assert session.used("bash", {"command": f"cat {TOKENS}"}, "def refresh(token): ...") == ""


def overflowing(memory: Holloway) -> list[str]:
    """Teach one trap more than fits the result of a tool."""
    return [taught(memory, f"trap number {number} of the tokens") for number in range(TOOL_RESULT_MEMORIES_MAX + 1)]


def test_in_the_first_steps_only_a_dead_end_is_worth_a_word(memory: Holloway) -> None:
    overflowing(memory)
    session = memory.session()
    session.used("bash", {"command": f"cat {TOKENS}"}, "")
    assert steps(session, 8) == [""] * 8, "a file of an earlier step is no longer in play"
    taught(memory, "Redis for test sessions was tried; CI has none", TOKENS, "dead_end")
    early = memory.session()
    early.augment("Read", {"file_path": TOKENS}, "")
    early.compacted()
    early._activity.add_call({"tool_name": "Read", "tool_input": {"file_path": TOKENS}})
    said = early.before_step()
    assert "dead end: Redis" in said
    assert "trap number" not in said


def test_a_trap_that_did_not_fit_the_result_comes_before_a_later_step(memory: Holloway) -> None:
    told = overflowing(memory)
    session = memory.session()
    steps(session, 5)
    first = session.used("bash", {"command": f"cat {TOKENS}"}, "")
    late = session.before_step()
    assert [f"hw:{each}" in first for each in told].count(True) == TOOL_RESULT_MEMORIES_MAX
    assert all((f"hw:{each}" in first) is not (f"hw:{each}" in late) for each in told)
    assert steps(session, 5) == [""] * 5


def test_what_the_messages_cite_is_not_said_again(memory: Holloway) -> None:
    told = overflowing(memory)
    session = memory.session()
    steps(session, 5)
    first = session.used("bash", {"command": f"cat {TOKENS}"}, "")
    (left,) = [each for each in told if f"hw:{each}" not in first]
    messages: list[object] = [{"role": "user", "content": f"as noted [hw:{left}]"}]
    assert session.before_step(messages) == ""
    session._activity.add_call({"tool_name": "Read", "tool_input": {"file_path": TOKENS}})
    assert session.before_step(messages) == ""
    session._activity.add_call({"tool_name": "Read", "tool_input": {"file_path": TOKENS}})
    assert f"hw:{left}" in session.before_step([])


def test_the_agents_own_notes_come_back_once(memory: Holloway) -> None:
    session = memory.session()
    steps(session, 6)
    session.record("the retry limit is read from limits.toml", type="gotcha")
    assert session.before_step() == "holloway: noted in this session:\n- the retry limit is read from limits.toml"
    assert session.before_step() == ""
    session.compacted()
    assert "limits.toml" in session.before_step()


def test_a_search_in_a_shell_is_answered_with_its_output(memory: Holloway) -> None:
    taught(memory, "refresh tokens are made in refresh()", TOKENS)
    session = memory.session()
    steps(session, 6)
    said = session.used("bash", {"command": "rg 'refresh' src"}, f"{TOKENS}:1:def refresh")
    assert said.startswith('holloway: known about "refresh": ')
    assert session.before_step() == ""


@pytest.mark.promise("points")
def test_a_recipes_next_step_comes_when_it_is_due(memory: Holloway) -> None:
    told = memory.remember("Adding a payment provider", type="workflow_recipe", details=RECIPE).memory
    assert told is not None
    session = memory.session(task="Add a second payment provider for invoices")
    steps(session, 6)
    session.used("Write", {"file_path": "src/shop/billing/provider.py", "content": "x"}, "ok")
    assert session.before_step() == (
        'holloway: of the recipe "add a payment provider", step 2 of 4 comes next: '
        f"Register it ({INVOICE}) [hw:{told.id}]"
    )
    assert session.before_step() == ""
    session.compacted()
    session.used("Edit", {"file_path": INVOICE, "old_string": "a", "new_string": "b"}, "ok")
    assert "step 3 of 4 comes next: Run `pytest tests/billing`" in session.before_step()
    session.used("bash", {"command": "pytest tests/billing -q"}, "1 failed", ok=False)
    assert session.before_step() == "", "a command that failed does not complete its step"
    session.used("bash", {"command": "pytest tests/billing -q"}, "3 passed")
    assert "step 4 of 4" in session.before_step()
    session.used("Edit", {"file_path": "README.md", "old_string": "a", "new_string": "b"}, "ok")
    assert session.before_step() == ""


@pytest.mark.promise("points")
def test_budgets_hold_over_a_hundred_steps(memory: Holloway, repository: Repository) -> None:
    long = "the quick brown fox jumps over the lazy dog while parsing configuration, " * 2
    for number in range(100):
        path = f"src/shop/part{number}.py"
        (repository.root / path).write_text("x = 1\n", "utf-8")
        for each in range(6):
            taught(memory, f"{number}.{each}: {long}"[:158], path)
    dead_end = taught(memory, "caching the parts was tried; they change too often", "src/shop/part99.py", "dead_end")
    session = memory.session()
    said: list[str] = []
    for number in range(100):
        session._activity.add_call({"tool_name": "Read", "tool_input": {"file_path": f"src/shop/part{number}.py"}})
        said.append(session.before_step())
    assert max(map(cost, said)) <= STEP_TOKENS_MAX
    assert sum(map(cost, said[:-1])) <= STEP_TOKENS_PER_SESSION_MAX
    assert said[50] == ""
    assert f"[hw:{dead_end}" in said[-1]
    results = [memory.session("other").augment("Read", {"path": f"src/shop/part{n}.py"}, "") for n in range(100)]
    assert 0 < max(map(cost, results)) <= TOOL_RESULT_TOKENS_MAX


def mapped(memory: Holloway) -> Holloway:
    memory.map.update()
    return memory


@pytest.mark.promise("place-with-prompt")
def test_a_prompt_brings_files_with_reasons_tests_traps_and_dead_ends(memory: Holloway) -> None:
    taught(mapped(memory))
    taught(memory, "Rotating refresh tokens in a background thread was tried; it raced", "", "dead_end")
    said = memory.session().context_for("Make refresh() in auth/tokens.py rotate the refresh token")
    first, *rest = said.split("\n")
    assert first == "holloway: files for this task:"
    assert rest[0] == f"- {TOKENS} (refresh)"
    assert any(line.startswith("- tests tests/auth/: test_tokens.py (run: ") for line in rest)
    assert any(line.startswith(f"- Trap: {TRAP} [hw:") for line in rest)
    assert any(line.startswith("- Dead end (seen 5 Jan): Rotating refresh tokens in a background") for line in rest)


@pytest.mark.promise("place-with-prompt")
def test_a_prompt_about_nothing_here_brings_nothing(memory: Holloway) -> None:
    taught(mapped(memory))
    session = memory.session()
    for prompt in ("thanks, that looks good", "yes", "What is the capital of France?", "", "go on please\n" * 50):
        assert session.context_for(prompt) == ""


@pytest.mark.promise("place-with-prompt")
def test_a_session_that_begins_without_naming_a_place_is_told_of_the_work_at_hand(
    memory: Holloway, repository: Repository
) -> None:
    repository.git("checkout", "-q", "-b", "feature")
    repository.commit(INVOICE, "def total(): ...\n")
    (repository.root / TOKENS).write_text("def refresh(token): return None\n", "utf-8")
    session = mapped(memory).session()
    head, *rest = session.context_for("please make the tests pass again").split("\n")
    assert head == "holloway: the prompt names no place; the work at hand, from git and earlier sessions:"
    assert f"- {INVOICE} (changed on this branch)" in rest
    assert any(line.startswith(f"- {TOKENS} (changed on this branch") for line in rest)
    assert session.context_for("please make the tests pass again") == ""


def test_a_prompt_of_two_words_gets_no_answer_and_a_hosts_tags_are_ignored(memory: Holloway) -> None:
    taught(mapped(memory))
    assert memory.session("a").context_for(f"fix {TOKENS}") == ""
    assert TRAP in memory.session("b").context_for(f"please fix {TOKENS}")
    told = f"<system-reminder>{TOKENS} was opened</system-reminder>\nWhat is the capital of France?"
    assert memory.session("c").context_for(told) == ""


def test_a_prompt_brings_a_recipe_that_fits(memory: Holloway) -> None:
    memory.remember("Adding a payment provider", type="workflow_recipe", details=RECIPE)
    said = memory.session().context_for("We want to add a new payment provider")
    assert "- Done before (once): add a payment provider [hw:" in said
    assert f"-   2. Register it ({INVOICE})" in said


@pytest.mark.promise("loop-goes-on")
def test_a_locked_store_leaves_the_agent_without_our_word_and_not_without_its_own(memory: Holloway) -> None:
    taught(memory, "Redis was tried; CI has none", TOKENS, "dead_end")
    session = memory.session()
    with memory.store.database.write_transaction():
        memory.store.database.execute("UPDATE meta SET value = value")
        assert session.used("Read", {"file_path": TOKENS}, "") == ""
        assert session.before_step() == ""
        assert session.context_for("was Redis tried for the sessions of the tests") == ""
        assert session.brief() == ""
        session.compacted()
    assert session.failed == 5
    assert "dead end: Redis was tried" in session.used("bash", {"command": f"cat {TOKENS}"}, "")


def test_tools_that_run_in_threads_are_noted_and_answered(memory: Holloway, repository: Repository) -> None:
    paths = [f"src/shop/part{number}.py" for number in range(16)]
    for number, path in enumerate(paths):
        (repository.root / path).write_text("x = 1\n", "utf-8")
        taught(memory, f"part {number} is odd", path)
    session = memory.session()
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda path: session.used("Read", {"path": path}, "x = 1"), paths * 2))
    assert sum("is odd" in each for each in said) + session.failed >= 16
    assert all(sum(f"part {number} is odd" in each for each in said) <= 1 for number in range(16))
    assert sorted(action.step for action in session.pad.actions) == list(range(1, 33))


@pytest.mark.promise("sdk")
def test_a_session_is_told_the_same_whichever_thread_asks(memory: Holloway) -> None:
    taught(mapped(memory))
    taught(memory, "Money is integer cents", "", "decision")
    taught(memory, "Rotating refresh tokens in a thread was tried; it raced", "", "dead_end")
    prompt = f"Make refresh() in {TOKENS} rotate the refresh token"

    def told(session: Session) -> list[str]:
        said = [session.brief(), session.context_for(prompt), session.planner_context(), session.spec_context()]
        said += [str(session.step_limit(10)), str(session.prefetch([TOKENS]))]
        assert session.failed == 0
        return said

    with ThreadPoolExecutor(1) as pool:
        session = pool.submit(memory.session, "beside", task=prompt).result()
        beside = pool.submit(told, session).result()
        assert "Money is integer cents" in beside[0]
        assert TRAP in beside[1]
        assert beside[1:] == told(memory.session("here", task=prompt))[1:]  # a brief counts the sessions before it
        session.used("bash", {"command": "pytest -q"}, "12 passed in 0.3s")
        done = [pool.submit(session.subtask_done, f"part {n}", validated=True) for n in range(EARLY_FROM_SUBTASKS + 1)]
        early = done[-1].result()
        assert early is not None
        assert early.session.id == "beside"
        pool.submit(session.finish).result()  # its thread has the connection, and no other may close it
        assert pool.submit(session.finish).result().session.id == "beside"


def test_a_memory_that_another_thread_asks_says_what_to_do(memory: Holloway) -> None:
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(memory.recall, "tokens")
        with pytest.raises(HollowayError, match="opened by another thread") as caught:
            asked.result()
    assert "in the thread that uses it" in caught.value.hint


@pytest.mark.promise("own-words")
def test_what_a_session_was_told_is_no_evidence(memory: Holloway) -> None:
    taught(mapped(memory))
    taught(memory, "Rotating refresh tokens in a thread was tried; it raced", "", "dead_end")
    memory.remember("Adding a payment provider", type="workflow_recipe", details=RECIPE)
    session = memory.session()
    prompt = f"Make refresh() in {TOKENS} rotate the refresh token"
    for said in (session.context_for(prompt), session.context_for("add a payment provider")):
        assert said.count("\n") >= 2
        assert own_text.strip_own_text(f"Well then.\n{said}\nAnd so on.") == "Well then.\nAnd so on."


@pytest.mark.promise("tokens-saved")
@pytest.mark.parametrize(
    ("prompt", "saves"),
    [
        ("The refresh of a token returns the old token, it should rotate the session", True),
        (f"The refresh in {TOKENS} returns the old token, it should rotate the session", False),
    ],
)
def test_a_file_that_the_prompt_names_itself_is_no_search_saved(
    memory: Holloway, clock: FakeClock, prompt: str, saves: bool
) -> None:
    memory.map.update()
    searched(memory)
    clock.advance(seconds=300)
    with memory.session("s1") as session:
        assert (TOKENS in session.context_for(prompt)) is saves
        session.used("Read", {"file_path": TOKENS}, "def refresh(token): ...")
    assert session.learned is not None
    assert (session.learned.record["saved_tokens"] > 0) is saves


@pytest.mark.promise("tokens-saved")
def test_what_searching_costs_is_told_by_sessions_before_this_one(memory: Holloway) -> None:
    memory.map.update()
    with memory.session("first") as session:
        session.context_for("The refresh of a token returns the old token, it should rotate the session")
        session.used("Read", {"file_path": TOKENS}, "def refresh(token): ...")
        searched(memory)
    assert session.learned is not None
    assert session.learned.record["saved_tokens"] is None


@pytest.mark.parametrize(
    "prompt", ["thanks, that looks good", "yes please go on with it", "run the tests again", "now commit all of it"]
)
def test_small_talk_is_not_searched_for(memory: Holloway, monkeypatch: pytest.MonkeyPatch, prompt: str) -> None:
    memory.map.update()
    asked: list[str] = []
    locate = ProjectMap.locate

    def located(
        project: ProjectMap, connection: sqlite3.Connection, task: str, now: datetime, limit: int
    ) -> LocateResult | None:
        asked.append(task)
        return locate(project, connection, task, now, limit)

    monkeypatch.setattr(ProjectMap, "locate", located)
    session = memory.session()
    session.context_for("The refresh of a token returns the old token")
    assert len(asked) == 1
    assert session.context_for(prompt) == ""
    assert len(asked) == 1
