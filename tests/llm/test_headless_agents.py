"""What agents print becomes an answer, a failure or a rate limit. The real ones are tested in the journeys."""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING

import pytest

from holloway.config import SETTINGS
from holloway.llm import codex_provider
from holloway.llm.codex_provider import CodexProviderUnreadable
from holloway.llm.headless_agents import (
    AGENT_KINDS,
    HeadlessAgent,
    build_environment,
    find_program,
    hide_mentions,
    show_mentions,
)
from holloway.llm.providers import USUAL_MODEL, NotAsked, RateLimited, WriterFailed

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.name != "posix", reason="agents are run on POSIX systems")

CLAUDE_RESULT = {
    "type": "result",
    "is_error": False,
    "result": "[1]",
    "usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2, "output_tokens": 4},
    "modelUsage": {"some-model": {}},
}
CODEX_ANSWER = {"type": "item.completed", "item": {"type": "agent_message", "text": "[1]"}}
CODEX_END = {"type": "turn.completed", "usage": {"input_tokens": 17, "output_tokens": 4}}
ONE_CALL = ["thread_started", "inference_started", "inference_completed"]


@pytest.fixture
def answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))

    def complete(name: str, *printed: object, trace: list[str] = ONE_CALL, code: int = 0) -> tuple[str, int, int]:
        lines = "\n".join(text if isinstance(text, str) else json.dumps(text) for text in printed)
        rows = "\n".join(json.dumps({"payload": {"type": kind}}) for kind in trace)
        (tmp_path / "printed").write_text(lines)
        (tmp_path / "trace").write_text(rows)
        program = tmp_path / "agent"
        program.write_text(
            f"#!/bin/sh\ncat {tmp_path}/printed\n"
            '[ -z "$CODEX_ROLLOUT_TRACE_ROOT" ] || { mkdir -p "$CODEX_ROLLOUT_TRACE_ROOT/t";'
            f' cp {tmp_path}/trace "$CODEX_ROLLOUT_TRACE_ROOT/t/trace.jsonl"; }}\n'
            f"echo trouble >&2\nexit {code}\n"
        )
        program.chmod(stat.S_IRWXU)
        return HeadlessAgent(AGENT_KINDS[name], str(program)).complete("p", max_tokens=9, deadline_s=20)

    return complete


def assistant(*blocks: dict[str, object]) -> dict[str, object]:
    return {"type": "assistant", "message": {"content": list(blocks)}}


def test_an_answer_comes_with_all_the_tokens_that_were_read(answer) -> None:  # type: ignore[no-untyped-def]
    said = assistant({"type": "thinking"}, {"type": "text", "text": "[1]"})
    assert answer("claude-code", "no json", "[]", said, CLAUDE_RESULT) == ("[1]", 17, 4)
    assert answer("codex", CODEX_ANSWER, CODEX_END) == ("[1]", 17, 4)


@pytest.mark.parametrize(
    ("name", "printed", "reason"),
    [
        ("claude-code", [], "trouble"),
        ("claude-code", [CLAUDE_RESULT | {"result": " "}], "empty answer"),
        ("claude-code", [CLAUDE_RESULT | {"modelUsage": {}}], r"\[1\]"),
        ("claude-code", [CLAUDE_RESULT | {"is_error": True, "result": "Invalid API key"}], "Invalid API key"),
        ("claude-code", [assistant({"type": "tool_use", "name": "Bash"}), CLAUDE_RESULT], "called a tool"),
        ("claude-code", [assistant({"type": "server_tool_use"}), CLAUDE_RESULT], "called a tool"),
        ("claude-code", [CLAUDE_RESULT | {"permission_denials": [{}]}], "called a tool"),
        ("claude-code", ["[" * 100_000, '{"type": "result", "usage": 3}'], "no model was asked"),
        ("codex", [], "empty answer"),
        ("codex", [CODEX_ANSWER, {"type": "turn.failed", "error": {"message": "it broke"}}], "it broke"),
        ("codex", [{"type": "item.completed", "item": {"type": "command_execution"}}, CODEX_ANSWER], "called a tool"),
    ],
)
def test_everything_else_is_a_failure_with_its_reason(  # type: ignore[no-untyped-def]
    answer, name: str, printed: list[object], reason: str
) -> None:
    with pytest.raises(WriterFailed, match=reason) as caught:
        answer(name, *printed)
    assert not isinstance(caught.value, RateLimited)


def test_a_failed_exit_is_a_failure_even_with_an_answer(answer) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(WriterFailed, match="trouble") as caught:
        answer("claude-code", CLAUDE_RESULT, code=1)
    assert caught.value.usage == (17, 4)


@pytest.mark.parametrize(
    ("trace", "reason"),
    [
        ([*ONE_CALL, "tool_call_started"], "called a tool"),
        ([*ONE_CALL, "inference_started"], "called a tool"),
        ([], "cannot be ruled out"),
    ],
)
def test_an_answer_of_codex_counts_only_if_its_trace_shows_no_tool_call(  # type: ignore[no-untyped-def]
    answer, trace: list[str], reason: str
) -> None:
    with pytest.raises(WriterFailed, match=reason):
        answer("codex", CODEX_ANSWER, CODEX_END, trace=trace)


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("claude-code", CLAUDE_RESULT | {"is_error": True, "api_error_status": 429, "result": "Request rejected"}),
        ("claude-code", CLAUDE_RESULT | {"is_error": True, "result": "Claude usage limit reached"}),
        ("codex", {"type": "turn.failed", "error": {"message": "You've hit your usage limit. Try again later."}}),
    ],
)
def test_a_rate_limit_has_a_class_of_its_own(answer, name: str, event: object) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(RateLimited, match="refuses calls for now"):
        answer(name, event)


def test_mentions_are_hidden_and_shown_again() -> None:
    text = "see @src/a.py, $SHELL and a@b.example"
    hidden = hide_mentions(text, "@$")
    assert not set("@$") & set(hidden)
    assert show_mentions(hidden, "@$") == text


def test_an_agent_sees_no_trace_of_the_session_that_started_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CODEX_THREAD_ID", "OTEL_EXPORTER_OTLP_ENDPOINT"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://gateway.example")
    monkeypatch.setenv("CLAUDE_CODE_USE_BEDROCK", "1")
    environment = build_environment(AGENT_KINDS["claude-code"].environment, tmp_path, 500)
    assert not environment.keys() & {"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CODEX_THREAD_ID"}
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" not in environment
    assert (environment["ANTHROPIC_BASE_URL"], environment["CLAUDE_CODE_USE_BEDROCK"]) == (
        "https://gateway.example",
        "1",
    )
    assert (environment["HOLLOWAY_READER"], environment["CLAUDE_CODE_MAX_OUTPUT_TOKENS"]) == ("1", "4500")


def test_only_a_program_that_is_there_is_found(tmp_path: Path) -> None:
    assert find_program(AGENT_KINDS["codex"], str(tmp_path)) == ""
    (tmp_path / "codex").touch(mode=0o700)
    assert find_program(AGENT_KINDS["codex"], str(tmp_path)) == str(tmp_path / "codex")


def test_the_setting_offers_what_can_be_used() -> None:
    assert set(SETTINGS["reader.provider"].choices) == {"off", *AGENT_KINDS, *USUAL_MODEL}


@pytest.mark.parametrize("line", ['experimental_bearer_token = "k"', 'http_headers = { X = "k" }'])
def test_a_provider_with_a_secret_in_the_file_is_not_put_on_a_command_line(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    (tmp_path / "config.toml").write_text(f'model_provider = "mine"\n[model_providers.mine]\n{line}\n')
    with pytest.raises(CodexProviderUnreadable, match=r"experimental_bearer_token|http_headers"):
        codex_provider.read_provider_settings()
    agent = HeadlessAgent(AGENT_KINDS["codex"], "/bin/true")
    with pytest.raises(NotAsked, match="was not asked"):
        agent.complete("x", max_tokens=5, deadline_s=10)
