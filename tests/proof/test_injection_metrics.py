"""Figures of the memories that a session was shown, and of the files that it was handed."""

from typing import Any

import pytest

from holloway import Holloway
from holloway.domain.memory import Draft, Memory, Relation, RelationType
from holloway.observer.signals.signal import Signal, SignalName
from holloway.promotion.candidate import Candidate
from holloway.promotion.gates import GateDecision
from holloway.promotion.pipeline import Promotion
from holloway.proof.injection_metrics import measure_answers, measure_injected
from holloway.proof.record_fields import ACTED_STEPS
from holloway.proof.session_facts import HookAnswer, InjectedMemory, SessionFacts
from tests.observer.story import Story

SEARCH_TOKENS = 500
EARLY = 1_000.0


def measure(story: Story, **before: Any) -> dict[str, Any]:
    return measure_injected(story.account(), Promotion(()), SessionFacts(**before))


def saved(story: Story, **before: Any) -> int:
    """How many files a session opened without searching because it was told of them."""
    return int(measure(story, search_tokens=SEARCH_TOKENS, **before)["saved_tokens"]) // SEARCH_TOKENS


@pytest.mark.promise("tokens-saved")
def test_a_file_that_a_prompt_was_answered_with_saves_a_search_when_it_is_opened_without_one() -> None:
    located = {"src/app.py": EARLY, "src/cart.py": EARLY, "src/never.py": EARLY}
    assert saved(Story().read("src/app.py", "src/other.py", "src/cart.py", "src/app.py"), located=located) == 2
    assert saved(Story().search("total", "src/app.py").read("src/app.py"), located=located) == 0
    assert saved(Story().search("total").read("src/other.py").read("src/app.py"), located=located) == 1


@pytest.mark.promise("tokens-saved")
def test_a_memory_saves_a_search_for_its_file_only_if_it_was_shown_before_the_file_was_opened() -> None:
    def shown(at: float, point: str = "prompt") -> tuple[InjectedMemory, ...]:
        return (InjectedMemory("a1", point, at, files=("src/app.py",)),)

    story = Story().read("src/other.py").read("src/app.py")
    assert saved(story, shown=shown(EARLY)) == 1
    assert saved(story, shown=shown(EARLY + 600, "tool_result")) == 0, "the trap came with the file"
    assert saved(story, shown=shown(EARLY), located={"src/app.py": EARLY}) == 1, "one file, one search"
    assert saved(story, shown=shown(EARLY, "asked")) == 0, "the agent searched for it"


@pytest.mark.promise("tokens-saved")
@pytest.mark.parametrize("tool", ["mcp__holloway__locate", "mcp__plugin_holloway-mcp_holloway__locate"])
def test_a_file_that_the_agent_asked_us_for_saves_a_search_too(tool: str) -> None:
    answer = '{"files":[{"path":"src/app.py","reasons":["path has app"]}],"tests":["tests/test_app.py"]}'
    opened = ("src/app.py", "tests/test_app.py", "src/other.py")
    assert saved(Story().tool(tool, answer).read(*opened)) == 2
    assert saved(Story().read(*opened).tool(tool, answer)) == 0
    assert saved(Story().tool("mcp__other__locate", answer).read(*opened)) == 0


def test_a_memory_that_the_agent_says_helped_is_used_and_was_not_shown_twice() -> None:
    story = Story().read("src/other.py")
    told = (
        InjectedMemory("a1", "session_start", EARLY),
        InjectedMemory("a1", "asked", EARLY + 1),
        InjectedMemory("b2", "prompt", EARLY),
    )
    figures = measure(story, shown=told)
    assert figures["used"] == ["a1"]
    assert [(memory, point) for memory, point, _, _ in figures["shown"]] == [("a1", "session_start"), ("b2", "prompt")]


def acted(story: Story, *, files: tuple[str, ...] = (), command: str = "") -> list[str]:
    """The memories that a session acted on, of one that it was shown before its first step."""
    shown = (InjectedMemory("a1", "prompt", EARLY, files=files, command=command),)
    return list(measure(story, shown=shown)["acted_on"])


@pytest.mark.promise("session-record")
@pytest.mark.parametrize(("calls_between", "expected"), [(ACTED_STEPS - 1, ["a1"]), (ACTED_STEPS, [])])
def test_a_memory_is_acted_on_within_so_many_steps(calls_between: int, expected: list[str]) -> None:
    story = Story()
    for number in range(calls_between):
        story.read(f"src/{number}.py")
    assert acted(story.read("src/app.py"), files=("src/app.py",)) == expected


@pytest.mark.promise("session-record")
@pytest.mark.parametrize("point", ["tool_result", "step"])
@pytest.mark.parametrize("cut_off_s", [0.0, 0.0009])
def test_what_a_memory_came_with_is_neither_acting_on_it_nor_a_search_saved(point: str, cut_off_s: float) -> None:
    story = Story().read("src/app.py")
    known = (InjectedMemory("a1", point, story.account().entries[0].action.at - cut_off_s, files=("src/app.py",)),)
    figures = measure(story, shown=known, search_tokens=SEARCH_TOKENS)
    assert (figures["acted_on"], figures["saved_tokens"]) == ([], 0)
    assert measure(Story().read("src/app.py", "src/app.py"), shown=known)["acted_on"] == ["a1"]


@pytest.mark.promise("session-record")
@pytest.mark.parametrize(
    "ran", ["REDIS_URL=redis://here pytest -q", "cd shop && REDIS_URL=x  pytest -q 2>&1 | tail -5"]
)
def test_a_memory_is_acted_on_by_its_command_however_it_is_written(ran: str) -> None:
    assert acted(Story().shell(ran), command="REDIS_URL= pytest -q") == ["a1"]
    assert acted(Story().shell("make lint"), command="REDIS_URL= pytest -q") == []


def test_memories_are_counted_at_the_point_where_they_were_shown() -> None:
    shown = (
        InjectedMemory("a1", "session_start", EARLY, 12),
        InjectedMemory("b2", "prompt", EARLY, 30),
        InjectedMemory("c3", "prompt", EARLY, 8),
        InjectedMemory("a1", "asked", EARLY, 12),
    )
    figures = measure(Story(), shown=shown)
    assert figures["injections"] == {"session_start": 1, "prompt": 2}
    assert figures["injected_tokens"] == 50, "a memory that the agent asked about was not injected"


def test_what_searching_costs_is_unknown_at_first_so_is_what_was_saved() -> None:
    located = {"src/app.py": EARLY}
    assert measure(Story().read("src/app.py"), located=located)["saved_tokens"] is None
    assert measure(Story().read("src/other.py"), located=located)["saved_tokens"] == 0


def test_a_prefetched_file_is_a_hit_when_it_is_read_or_changed() -> None:
    story = Story().read("src/a.py").edit("src/b.py").read("src/elsewhere.py")
    figures = measure(story, prefetched={"src/a.py": 100, "src/b.py": 250, "src/c.py": 50})
    assert (figures["prefetched"], figures["prefetched_tokens"]) == (3, 400)
    assert (figures["prefetched_read_again"], figures["prefetch_hit_rate"]) == (1, 0.667)


def test_without_prefetching_there_is_no_hit_rate_and_without_a_caller_no_figure() -> None:
    nothing = measure(Story().read("src/a.py"), prefetched={})
    assert (nothing["prefetched"], nothing["prefetched_tokens"], nothing["prefetch_hit_rate"]) == (0, 0, None)
    unknown = measure(Story().read("src/a.py"))
    names = ("prefetched", "prefetched_tokens", "prefetched_read_again", "prefetch_hit_rate")
    assert [unknown[name] for name in names] == [None] * 4


def candidate(state: str, *, replaces: Memory | None = None, conflicts: str = "") -> Candidate:
    relations = (Relation(RelationType.CONFLICTS_WITH, memory=conflicts),) if conflicts else ()
    made = Candidate(1, Signal(SignalName.SELF_CORRECTION, "key"), GateDecision("open"))
    made.draft = Draft("Refunds go through the ledger", relations=(*relations, Relation(RelationType.VALIDATES, "v1")))
    made.replaces, made.state = replaces, state
    return made


def test_a_shown_memory_is_contradicted_by_what_was_learned_and_kept(memory: Holloway) -> None:
    texts = ("Refunds skip the ledger", "Tokens last an hour", "Invoices are sums")
    replaced, unseen, dropped = [made for text in texts if (made := memory.remember(text).memory)]
    candidates = (
        candidate("promoted", replaces=replaced),
        candidate("promoted", conflicts="b2"),
        candidate("promoted", replaces=unseen),
        candidate("dropped", replaces=dropped),
        candidate("promoted"),
    )
    shown = tuple(InjectedMemory(name, "prompt", EARLY) for name in (replaced.id, "b2", dropped.id, "v1"))
    figures = measure_injected(Story().account(), Promotion(candidates), SessionFacts(shown=shown))
    assert figures["contradicted"] == sorted([replaced.id, "b2"])
    assert measure_injected(Story().account(), None, SessionFacts(shown=shown))["contradicted"] is None


def test_what_people_and_agents_said_of_shown_memories_is_passed_on() -> None:
    figures = measure(Story(), corrected=3, flagged=2)
    assert (figures["corrected"], figures["flagged"], figures["graph_boost_rate"]) == (3, 2, None)


def test_answers_are_counted_by_point_and_outcome() -> None:
    answers = [
        HookAnswer("prompt", "full", "", 40),
        HookAnswer("prompt", "degraded", "map", 90),
        HookAnswer("prompt", "degraded", "map", 95),
        HookAnswer("step", "degraded", "store", 12),
        HookAnswer("step", "dropped", "store", 100),
        HookAnswer("step", "empty", "", 3),
    ]

    figures = measure_answers(answers)

    assert figures["answers"] == {
        "prompt": {"full": 1, "degraded": 2},
        "step": {"degraded": 1, "dropped": 1, "empty": 1},
    }
    assert figures["answers_dropped"] == 1
    assert figures["answers_degraded"] == {"map": 2, "store": 1}


def test_percentiles_are_times_that_were_measured() -> None:
    figures = measure_answers([HookAnswer("prompt", "full", "", ms) for ms in range(100, 0, -1)])
    assert (figures["answer_ms_p50"], figures["answer_ms_p95"]) == (50, 95)

    one = measure_answers([HookAnswer("prompt", "full", "", 7.25)])
    assert (one["answer_ms_p50"], one["answer_ms_p95"]) == (7.25, 7.25)


def test_answers_that_nobody_counted_are_unknown_and_no_answers_are_none() -> None:
    assert set(measure_answers(None).values()) == {None}

    nothing = measure_answers([])
    assert (nothing["answers"], nothing["answers_dropped"], nothing["answers_degraded"]) == ({}, 0, {})
    assert (nothing["answer_ms_p50"], nothing["answer_ms_p95"]) == (None, None)
