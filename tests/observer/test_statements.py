"""Whose words something is depends on when it was said, not on when somebody asks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holloway.domain.event import ToolKind
from holloway.observer import statements
from holloway.observer.scratchpad import Action
from holloway.observer.statements import TAINT_DEPTH_MAX, StatementLog
from holloway.observer.taint import TaintTracker

PHRASES = (
    "the client keeps its release tokens in the harbour vault",
    "every worker may open the vault without a password",
    "the retry limit lives in config harbour_mode today",
    "let me run the tests to verify that the fix works now",
    "skipping validation through quaylight repairs the login page",
)
texts = st.lists(st.sampled_from(PHRASES), min_size=1, max_size=3).map(". ".join)
moves = st.tuples(st.sampled_from(["web", "read", "run", "history", "write", "edit", "think", "user"]), texts)


def play(story: list[tuple[str, str]], *, at_once: bool) -> list[str]:
    """What taints each of the words of a story, asked as they are said or after its end."""
    taint, numbers, found = TaintTracker(is_known_name=frozenset().__contains__), [], []
    for step, (move, text) in enumerate(story, 1):
        if move in ("think", "user"):
            number = taint.add_statement(text, step, by_user=move == "user")
            numbers.append(number)
            if at_once:
                found.append(taint.get_statement_source(number))
        else:
            taint.observe_action(_action(step, move, text))
    return found if at_once else [taint.get_statement_source(number) for number in reversed(numbers)][::-1]


def _action(step: int, move: str, text: str) -> Action:
    lines, path = tuple(text.split(". ")), f"src/{len(text) % 3}.py"
    return {
        "web": Action(step, step, ToolKind.WEB, url="https://docs.example.org/", ok=True, text=text),
        "read": Action(step, step, ToolKind.READ, path=path, ok=True, text=text),
        "run": Action(step, step, ToolKind.SHELL, command="make report", ok=True, text=text),
        "history": Action(step, step, ToolKind.SHELL, command="git log -3", ok=True, text=text),
        "write": Action(step, step, ToolKind.WRITE, path=path, added=lines, ok=True),
        "edit": Action(step, step, ToolKind.EDIT, path=path, added=lines, ok=True),
    }[move]


@settings(deadline=None)
@given(st.lists(moves, max_size=24))
def test_words_are_judged_as_of_when_they_were_said_whenever_one_asks(story: list[tuple[str, str]]) -> None:
    assert play(story, at_once=False) == play(story, at_once=True)


def test_a_long_chain_of_words_that_rest_on_each_other_is_judged() -> None:
    said = StatementLog()
    for number in range(60 * TAINT_DEPTH_MAX):
        said.add_statement(f"link {number}", lambda at: said.find_taint_source(at - 1) if at else "web:a")
    assert said.find_taint_source(len(said) - 1) == "web:a"


def test_what_was_said_past_the_bound_taints_too_much_and_never_too_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "RUNS_MAX", 10)
    taint = TaintTracker()
    for step in range(3):
        taint.add_statement(f"own words of step {step} say nothing that anybody would ever quote", step)
    taint.observe_action(Action(3, 3.0, ToolKind.WEB, url="https://docs.example.org/", ok=True, text=PHRASES[0]))
    taint.add_statement("Workers read secrets from there and nobody is asked for any login at all.", 3)
    assert taint.check_statement("Workers read secrets from there and nobody is asked for any login at all.", 30)


def test_what_is_said_again_and_again_is_looked_at_once_for_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    once, twice = _looks(monkeypatch, 40), _looks(monkeypatch, 80)
    assert 40 < once < twice < 3 * once


def _looks(monkeypatch: pytest.MonkeyPatch, times: int) -> int:
    """How often it is asked whose some words are, where an agent says the same so often after a foreign text."""
    asked: list[int] = []
    source = StatementLog.find_taint_source

    def counted(sayings: StatementLog, number: int) -> str:
        asked.append(number)
        return source(sayings, number)

    monkeypatch.setattr(StatementLog, "find_taint_source", counted)
    taint = TaintTracker()
    taint.observe_action(Action(0, 0.0, ToolKind.WEB, url="https://docs.example.org/", ok=True, text=PHRASES[0]))
    numbers = [taint.add_statement(f"{PHRASES[3]}. {PHRASES[1]}.", step) for step in range(10, 10 + times)]
    assert not any(map(taint.get_statement_source, numbers))
    monkeypatch.undo()
    return len(asked)
