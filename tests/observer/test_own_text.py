"""Nothing that holloway renders for an agent is left in a text that is observed."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.codemap.modules.overview import Overview, OverviewModule
from holloway.domain.memory import MemoryType, State
from holloway.injection import memory_text
from holloway.injection.session_start import BriefFacts, render_brief
from holloway.mcp.server import MCP_TOOLS
from holloway.observer.own_text import is_own_output, strip_own_text
from holloway.retrieval.pack import pack_memories
from tests.retrieval.made import made

TRAP = "refresh() burns the token; store the new one first"
ROW: dict[str, object] = {
    "id": "7f3a2c",
    "type": "gotcha",
    "summary": TRAP,
    "path": "src/auth/tokens.py",
    "state": "confirmed",
    "source": "observer_inferred",
    "sessions": '["a", "b", "c"]',
    "updated_at": "2026-10-12T00:00:00.000Z",
    "stated_at": "",
    "origin": "",
}
OVERVIEW = Overview(
    files=40,
    source_files=30,
    languages=(("Python", 28),),
    modules=(OverviewModule("auth", "src/auth", 4, ("src/auth/tokens.py",), "tests/auth"),),
    build=("uv sync",),
    test=("uv run pytest -q",),
)
RULE: dict[str, object] = {**ROW, "id": "000001", "type": "decision", "summary": "money is integer cents"}
SPOKEN: dict[str, object] = {**ROW, "id": "c2d1a1", "state": "unconfirmed", "source": "agent_concluded"}
BRIEF = render_brief(BriefFacts(OVERVIEW, 14, [RULE], [{**ROW, "id": "000002"}, SPOKEN], indexing="12 of 40")).text
WITH_TOOL = memory_text.render_rows([ROW, {**ROW, "id": "c2d1a0", "state": "unconfirmed"}, SPOKEN])[0]
PACK = pack_memories(
    [made(3, summary=TRAP), replace(made(4, MemoryType.ERROR_PATTERN, "EADDRINUSE on 8080"), state=State.UNCONFIRMED)]
).text
LINES = f"holloway: briefed from 14 sessions, 5 memories; 3 to review\nholloway: learned: {TRAP} (holloway review)"
RENDERED = {"brief": BRIEF, "tool result": WITH_TOOL, "pack": PACK, "lines for the person": LINES}
OURS = ("burns", "token", "integer cents", "EADDRINUSE", "src/auth", "holloway", "hw:")

WRAPPED = {
    "as it is": "{}",
    "in a reminder": "<system-reminder>\nPostToolUse:Read hook additional context: {}\n</system-reminder>",
    "in a reminder on one line": "<system-reminder>SessionStart hook success: {}</system-reminder>",
    "with carriage returns": "\r\n{}\r\n",
}


def leaks(text: str) -> list[str]:
    return [word for word in OURS if word in text]


@pytest.mark.parametrize("wrapped", WRAPPED)
@pytest.mark.parametrize("rendered", RENDERED)
def test_what_we_rendered_goes_however_the_host_wraps_it(rendered: str, wrapped: str) -> None:
    around = f"1 def total(items):\n{WRAPPED[wrapped].replace('{}', RENDERED[rendered])}\n2     return sum(items)"
    left = strip_own_text(around)
    assert leaks(left) == []
    assert "def total(items):" in left
    assert "return sum(items)" in left


@pytest.mark.parametrize("rendered", ["brief", "tool result"])
def test_what_is_escaped_in_json_goes_and_what_stands_before_it_stays(rendered: str) -> None:
    left = strip_own_text(json.dumps({"stdout": "2 passed", "additionalContext": RENDERED[rendered]}))
    assert leaks(left) == []
    assert "2 passed" in left


def test_a_pack_that_is_escaped_in_json_goes() -> None:
    assert leaks(strip_own_text(json.dumps({"additionalContext": PACK}))) == []


def test_what_follows_the_brief_on_its_last_line_stays() -> None:
    assert "3 failed" in strip_own_text(json.dumps({"context": BRIEF, "stdout": "3 failed"}))


@given(st.integers(1, 2_000))
def test_a_brief_that_was_cut_short_leaves_nothing_of_a_memory(length: int) -> None:
    assert "burns" not in strip_own_text("before\n" + BRIEF[:length])
    assert "integer cents" not in strip_own_text("before\n" + BRIEF[:length])


@given(st.integers(len("holloway on x"), len(WITH_TOOL)))
def test_a_trap_that_was_cut_short_leaves_nothing(length: int) -> None:
    assert "burns" not in strip_own_text(WITH_TOOL[:length])


@given(st.integers(0, len(BRIEF) - 1))
def test_a_brief_without_its_beginning_leaves_no_whole_memory(start: int) -> None:
    assert "[hw:" not in strip_own_text(BRIEF[start:])
    assert "Known traps" not in strip_own_text(BRIEF[start:])


def test_a_sentence_that_names_a_memory_is_ours_in_whatever_words() -> None:
    said = "As HW: 7f3a2c warns, the old token is dead after a refresh. I will now change session.py. It has no test."
    assert strip_own_text(said) == "I will now change session.py. It has no test."


def test_a_citation_in_brackets_takes_its_whole_line() -> None:
    said = "Memory says the token burns. Store it first [hw:7f3a2c, 3 sessions].\nThe test now passes."
    assert strip_own_text(said) == "The test now passes."


@pytest.mark.parametrize(
    "said",
    [
        "The parser drops the last line because the file has no newline at its end.",
        "Modules: auth, billing\nBuild and test: make",
        "- gotcha: the cache is shared",
        "colour: #hw1234 and hw:zzzz",
        "",
    ],
)
def test_what_is_not_ours_stays_as_it_is(said: str) -> None:
    assert strip_own_text(said) == said


@given(st.text(st.sampled_from("holway :[]hw7f3a2c.\n\\n-<>/sytem"), max_size=200))
def test_what_is_stripped_stays_stripped(text: str) -> None:
    once = strip_own_text(text)
    assert len(once) <= len(text)
    assert "[hw:7f3a2c" not in strip_own_text(text + " [hw:7f3a2c]")


def test_a_call_of_holloway_answers_with_holloways_words() -> None:
    assert is_own_output("mcp__holloway__recall")
    assert is_own_output("mcp__plugin_holloway-mcp_holloway__recall")
    for tool in MCP_TOOLS:
        assert is_own_output(f"mcp_holloway_{tool}")
        assert is_own_output(f"mcp__holloway_{tool}")
    assert not is_own_output("mcp_holloway_evil_locate")
    assert is_own_output("Bash", "cd src && holloway recall tokens | head -5")
    assert not is_own_output("Bash", "holloway recall tokens && pytest -q")
    assert not is_own_output("Bash", "cat holloway.txt")
    assert not is_own_output("Read")


def test_a_sentence_that_cites_a_memory_goes_with_its_lower_case_rest() -> None:
    text = "The port is taken. As hw:7f3a2c says, e.g. in the logs. Now I try 8081."
    assert strip_own_text(text) == "The port is taken. Now I try 8081."
