"""What a hook hands over with a prompt, an error and a search; and the loop from a session's end to the next one."""

import json
import time

import pytest

import holloway
from holloway.service import jobs, project_finder
from holloway.service.session_learning import Learning
from holloway.store import session_ledger
from holloway.testing import FakeClock
from tests.conftest import Repository
from tests.hooks.asking import Answer, Asking, event, hook
from tests.observer.story import Story

REFUSED = "E   redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused.\n1 failed"


def shell(repository: Repository, command: str, answered: str, *, session: str, failed: bool) -> Answer:
    name = "PostToolUseFailure" if failed else "PostToolUse"
    call = f"{session}-{hash(command + answered)}"
    given = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": call}
    told = {"error": answered} if failed else {"tool_response": {"stdout": answered, "stderr": ""}}
    return hook(event(repository, name, session, **given, **told))


@pytest.fixture
def solved(memory: holloway.Holloway) -> str:
    """A memory of an error and its fix, seen twice."""
    for session in ("before-1", "before-2"):
        told = Story(session).edit("README.md").shell("pytest -q", REFUSED, ok=False)
        done = Learning(memory.opened).learn(told.shell("REDIS_URL=fake:// pytest -q", "3 passed in 0.1s").pad())
    return next(each.memory for each in done.promotion.candidates if each.signal.name == "error_retry")


@pytest.mark.promise("fix-with-error")
def test_the_known_fix_arrives_with_the_error(repository: Repository, solved: str) -> None:
    met = shell(repository, "pytest -q", REFUSED, session="s1", failed=True)
    assert "REDIS_URL" in met.context
    assert f"hw:{solved}" in met.context


@pytest.mark.promise("fix-with-error")
def test_it_arrives_where_a_pipe_hides_the_failure(repository: Repository, solved: str) -> None:
    met = shell(repository, "pytest -q | tail -5", REFUSED, session="s1", failed=False)
    assert f"hw:{solved}" in met.context


def test_it_arrives_once(repository: Repository, solved: str) -> None:
    assert shell(repository, "pytest -q", REFUSED, session="s1", failed=True).context
    assert shell(repository, "pytest -q", REFUSED, session="s1", failed=True).context == ""


def test_another_error_is_met_with_silence(repository: Repository, solved: str) -> None:
    met = shell(repository, "pytest -q", "E   KeyError: 'colour'\n1 failed", session="s1", failed=True)
    assert met.context == ""


def test_a_run_that_passed_is_met_with_silence(repository: Repository, solved: str) -> None:
    assert shell(repository, "pytest -q", "3 passed in 0.1s", session="s1", failed=False).context == ""


@pytest.mark.promise("answer-with-search")
def test_a_search_is_answered_by_what_a_person_taught(repository: Repository, memory: holloway.Holloway) -> None:
    memory.remember("refresh tokens are rotated by refresh() only", files=["src/shop/auth/tokens.py"])
    given = {"tool_name": "Grep", "tool_input": {"pattern": "refresh.*tokens"}, "tool_response": {"filenames": []}}
    met = hook(event(repository, "PostToolUse", "s1", **given))
    assert "rotated by refresh()" in met.context


@pytest.mark.promise("place-with-prompt")
def test_a_prompt_is_met_with_where_the_task_happens(repository: Repository, memory: holloway.Holloway) -> None:
    memory.map.update()
    memory.remember("refresh() burns the token; call it once", files=["src/shop/auth/tokens.py"])
    asked = "The refresh function in tokens.py returns the old token, please fix refresh"
    met = hook(event(repository, "UserPromptSubmit", "s1", prompt=asked))
    assert "src/shop/auth/tokens.py" in met.context
    assert "burns the token" in met.context


PLAN = """Implement the following plan:

# Total of an invoice in cents

## Context

Sums of items are floats today.

## Steps

1. `total()` returns integer cents
2. the invoice rounds once
"""
TRACE = """why does this happen?

Traceback (most recent call last):
  File "/srv/app/src/shop/billing/invoice.py", line 2, in total
    return sum(items)
TypeError: unsupported operand type(s) for +: 'int' and 'str'
"""
LISTED = """Please go through these and make them consistent:

- src/shop/billing/invoice.py
- src/shop/auth/session.py
"""


@pytest.mark.promise("place-with-prompt")
def test_a_plan_below_a_heading_is_heard(repository: Repository, memory: holloway.Holloway) -> None:
    memory.map.update()
    first = hook(event(repository, "UserPromptSubmit", "s1", prompt=PLAN)).context.split("\n")[1]
    assert first.startswith("- src/shop/billing/invoice.py")


@pytest.mark.promise("place-with-prompt")
def test_the_memories_of_a_listed_file_come_without_its_path(repository: Repository, memory: holloway.Holloway) -> None:
    memory.map.update()
    memory.remember("a total is rounded once", files=["src/shop/billing/invoice.py"])
    context = hook(event(repository, "UserPromptSubmit", "s1", prompt=LISTED)).context
    assert "a total is rounded once" in context
    assert "src/shop/billing/invoice.py" not in context


@pytest.mark.promise("place-with-prompt")
def test_a_file_that_a_stack_trace_names_by_another_root_comes_with_its_path_and_memories(
    repository: Repository, memory: holloway.Holloway
) -> None:
    memory.map.update()
    memory.remember("a total is rounded once", files=["src/shop/billing/invoice.py"])
    context = hook(event(repository, "UserPromptSubmit", "s1", prompt=TRACE)).context
    assert "a total is rounded once" in context
    assert "- src/shop/billing/invoice.py" in context


@pytest.mark.promise("place-with-prompt")
@pytest.mark.parametrize("asked", ["go on", "yes", "", "ok thanks"])
def test_a_prompt_without_a_task_is_met_with_silence(
    repository: Repository, memory: holloway.Holloway, asked: str
) -> None:
    memory.map.update()
    assert hook(event(repository, "UserPromptSubmit", "s1", prompt=asked)).context == ""


@pytest.mark.promise("place-with-prompt")
def test_only_the_prompt_that_a_session_begins_with_is_met_with_the_work_at_hand(
    repository: Repository, memory: holloway.Holloway
) -> None:
    (repository.root / "src/shop/auth/tokens.py").write_text("def refresh(token): return None\n", "utf-8")
    memory.map.update()
    first, later = "please make the tests pass again", "now please make all tests pass again"
    for session, prompt, expected in (("s1", first, True), ("s1", later, False), ("s2", later, True)):
        met = hook(event(repository, "UserPromptSubmit", session, prompt=prompt))
        assert ("src/shop/auth/tokens.py (changed on this branch" in met.context) is expected


@pytest.mark.promise("validated")
def test_a_session_that_hooks_watched_teaches_the_next_one(repository: Repository, memory: holloway.Holloway) -> None:
    """Nothing is seeded: one session meets an error and solves it, the next one is handed the fix with the error."""
    hook(event(repository, "SessionStart", "one", source="startup"))
    hook(event(repository, "UserPromptSubmit", "one", prompt="Make the login tests pass again please"))
    edit = {"file_path": str(repository.root / "README.md"), "old_string": "# shop", "new_string": "# The shop"}
    hook(event(repository, "PostToolUse", "one", tool_name="Edit", tool_input=edit, tool_use_id="e1"))
    shell(repository, "pytest -q", REFUSED, session="one", failed=True)
    shell(repository, "REDIS_URL=fake:// pytest -q", "3 passed in 0.12s", session="one", failed=False)
    hook(event(repository, "SessionEnd", "one", reason="exit"))
    with holloway.open(repository.root) as now:  # with the clock that the hooks have
        jobs.learn_ended(now, 60.0)
    met = shell(repository, "pytest -q", REFUSED, session="two", failed=True)
    assert "REDIS_URL" in met.context
    assert json.loads(met.stdout)["hookSpecificOutput"]["hookEventName"] == "PostToolUseFailure"


ASKED = "The refresh of a token returns the old token, it should rotate the session"


@pytest.mark.promise("tokens-saved")
def test_what_a_prompt_was_answered_with_is_counted_as_saved_once_the_session_is_learned_from(
    repository: Repository, memory: holloway.Holloway, ask: Asking
) -> None:
    memory.map.update()
    found = "src/shop/auth/tokens.py:1: refresh\n" * 50
    Learning(memory.opened).learn(
        Story("earlier").shell("grep -rn refresh src", found).read("src/shop/auth/tokens.py").pad()
    )
    ask(event(repository, "SessionStart", source="startup"))
    assert "src/shop/auth/tokens.py" in ask(event(repository, "UserPromptSubmit", prompt=ASKED)).context
    ask(event(repository, "PostToolUse"))
    ask(event(repository, "SessionEnd", reason="exit"))
    with holloway.open(repository.root) as now:  # with the clock that the hooks have
        jobs.learn_ended(now, 60.0)
        assert session_ledger.load_session_record(now.store.database, "s1")["saved_tokens"] > 0


def test_where_nothing_is_captured_the_answer_to_a_prompt_leaves_no_trace(
    repository: Repository, memory: holloway.Holloway, ask: Asking
) -> None:
    memory.map.update()
    project_finder.pause(str(repository.root), "capture")
    assert "src/shop/auth/tokens.py" in ask(event(repository, "UserPromptSubmit", prompt=ASKED)).context
    assert list(memory.project.journal_folder.glob("*.jsonl")) == []


@pytest.mark.promise("rules-for-good")
@pytest.mark.parametrize("level", ["1", "2", "3", "4"])
def test_a_rule_for_good_is_told_from_the_next_session_on_with_its_day_at_every_trust_level(
    repository: Repository, memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch, level: str
) -> None:
    monkeypatch.setenv("HOLLOWAY_TRUST_LEVEL", level)
    story = Story("s0", at=1_762_905_600.0).user("Never commit generated files, they are built in CI")
    Learning(memory.opened).learn(story.user("Don't commit the lock file in this PR").green().pad())
    started = hook(event(repository, "SessionStart", "s1", source="startup"))
    assert "you said on 12 Nov: Never commit generated files, they are built in CI [hw:" in started.context
    assert "lock file" not in started.context
    (rule,) = memory.memories()
    memory.wrong(rule.id, "incorrect")
    assert "generated files" not in hook(event(repository, "SessionStart", "s2", source="startup")).context


@pytest.mark.promise("learned-dead-ends")
def test_a_learned_dead_end_comes_within_two_steps_of_its_file(
    repository: Repository, memory: holloway.Holloway, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock.advance(seconds=time.time() - clock.now().timestamp())  # the hook is a process with a clock of its own
    monkeypatch.setenv("HOLLOWAY_TRUST_LEVEL", "2")
    story = Story("s0", task="Keep the sessions in a store")
    for number in range(22):
        story.edit(("src/shop/auth/tokens.py", "src/shop/auth/session.py")[number % 2])
    story.says("Keeping the sessions in Redis is a dead end because CI has no Redis. Let me use SQLite instead.")
    story.edit("src/shop/billing/invoice.py").edit("src/shop/billing/invoice.py")
    Learning(memory.opened).learn(story.green().pad())
    opened = hook(event(repository))
    assert "dead end: " in opened.context
    assert "Keeping the sessions in Redis" in opened.context
    assert "CI has no Redis" in opened.context
