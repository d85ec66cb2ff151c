"""Coding agents that the user already has, as language models: run once per prompt, without tools, hooks or memory."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from holloway.config import LLM_ANSWER_CHARS_MAX, LLM_ERROR_CHARS_MAX, READER_VARIABLE
from holloway.domain.ports import Completion
from holloway.llm.agent_process import PAST_DEADLINE, TOO_LARGE, TURNED_OFF, AgentRun, run_agent, run_folder
from holloway.llm.codex_provider import CodexProviderUnreadable, read_provider_settings
from holloway.llm.providers import NotAsked, RateLimited, Stopped, WriterFailed
from holloway.text.sanitize import clean_text, one_line

if TYPE_CHECKING:
    from typing import Any

SYSTEM_FILE = "system.md"
THINKING_TOKENS = 4_000
"""Tokens that a model may use for thinking before it answers, where an agent limits both together."""
DEFAULT_SYSTEM = "Answer the request. Use no tools."

_RATE_LIMIT = re.compile(
    r"usage limit|rate.?limit|too many requests|\b429\b|quota|high demand|overloaded", re.IGNORECASE
)
_SESSION_VARIABLES = re.compile(
    r"CLAUDECODE|CLAUDE_CODE_(ENTRYPOINT|SSE_PORT|SESSION_ID|SIMPLE|SAFE_MODE|CHILD_SESSION)|CLAUDE_ENV_FILE|CLAUDE_EFFORT"
    r"|CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_\w+|CODEX_(THREAD_ID|SESSION_ID|SANDBOX\w*|CI)|OTEL_\w+|RUST_LOG"
)
"""Variables of the session that may have started this process, and of telemetry."""


class AgentAnswer(NamedTuple):
    """The answer in what an agent printed: its text, usage, whether it called a tool, and an error if it failed."""

    text: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    has_tool_call: bool = False
    error: str = ""
    is_rate_limited: bool = False


@dataclass(frozen=True, slots=True)
class AgentKind:
    """Agent that can be run without a person: its program, options and answer format."""

    name: str
    label: str
    program: str
    usual_model: str
    overhead_tokens: int
    """Tokens that the agent may add to a prompt and an answer."""
    mention_characters: str
    """Characters that make the agent attach a file or a skill to a prompt."""
    build_command: Callable[[str, Path, str], list[str]]
    environment: Mapping[str, str]
    parse_answer: Callable[[AgentRun, Path], AgentAnswer]


class HeadlessAgent:
    """An agent as a `Writer`. `is_stopped` is asked during a run; once it returns True, the run ends."""

    def __init__(self, kind: AgentKind, program: str, model: str = "", is_stopped: Callable[[], bool] | None = None):
        self.kind = kind
        self.provider = kind.name
        self.model = model or kind.usual_model or "default"
        self._program = program
        self._model = model or kind.usual_model
        self._is_stopped = is_stopped or (lambda: False)

    def complete(self, prompt: str, *, max_tokens: int, deadline_s: float, system: str = "") -> Completion:
        """Return the answer to one prompt.

        Raises NotAsked if the agent cannot be started, RateLimited, Stopped if the reader was turned off, and
        WriterFailed if there is no answer before the deadline or a tool was called.
        """
        with run_folder() as folder:
            (folder / SYSTEM_FILE).write_text(system or DEFAULT_SYSTEM, "utf-8")
            try:
                run = run_agent(
                    self.kind.build_command(self._program, folder, self._model),
                    folder,
                    hide_mentions(prompt, self.kind.mention_characters),
                    build_environment(self.kind.environment, folder, max_tokens),
                    deadline_s=deadline_s,
                    is_stopped=self._is_stopped,
                )
            except (OSError, CodexProviderUnreadable) as error:
                raise NotAsked(f"{self.kind.label} was not asked: {error}.", "`holloway reader status`") from None
            self._check_end(run, deadline_s)
            answer = self.kind.parse_answer(run, folder)
        return self._accept_answer(answer, run)

    def _check_end(self, run: AgentRun, deadline_s: float) -> None:
        """Raise if a run was cut short."""
        if run.cut_short == TURNED_OFF:
            raise Stopped("The reader was turned off during a run.", "")
        if run.cut_short == PAST_DEADLINE:
            raise self._failure(f"no answer within {deadline_s:.0f} s")
        if run.cut_short == TOO_LARGE:
            raise self._failure("it printed too much")

    def _accept_answer(self, answer: AgentAnswer, run: AgentRun) -> Completion:
        """Return the completion; raise if the agent failed, called a tool or said nothing."""
        usage = (answer.tokens_in, answer.tokens_out) if answer.tokens_in or answer.tokens_out else None
        if answer.is_rate_limited:
            message = f"{self.kind.label} refuses calls for now: {quote_output(answer.error)}."
            raise RateLimited(message, "The reader goes on later.", usage)
        if answer.has_tool_call:
            raise self._failure("it called a tool, so its answer is discarded", usage)
        if answer.error or run.exit_code:
            raise self._failure(quote_output(answer.error or run.complaint) or f"exit code {run.exit_code}", usage)
        if not answer.text.strip():
            raise self._failure("an empty answer", usage)
        text = show_mentions(answer.text, self.kind.mention_characters).strip()[:LLM_ANSWER_CHARS_MAX]
        return Completion(text, answer.tokens_in, answer.tokens_out)

    def _failure(self, reason: str, usage: tuple[int, int] | None = None) -> WriterFailed:
        return WriterFailed(
            f"{self.kind.label} did not answer: {reason}.", "Everything else goes on without it.", usage
        )


def find_program(kind: AgentKind, path: str | None = None) -> str:
    """Return the path of an agent's program; empty if it is not installed."""
    usual_folders = [str(Path.home() / folder) for folder in (".local/bin", ".claude/local")]
    folders = path if path is not None else os.pathsep.join([os.environ.get("PATH", os.defpath), *usual_folders])
    return shutil.which(kind.program, path=folders) or ""


def hide_mentions(text: str, characters: str) -> str:
    """Replace characters that an agent takes as a mention by their full-width forms, so that it attaches nothing."""
    return text.translate({ord(char): ord(char) + _FULL_WIDTH for char in characters})


def show_mentions(text: str, characters: str) -> str:
    """Restore the characters that `hide_mentions` replaced."""
    return text.translate({ord(char) + _FULL_WIDTH: ord(char) for char in characters})


_FULL_WIDTH = 0xFEE0
"""Distance from a printable ASCII character to its full-width form."""


def build_environment(agent_variables: Mapping[str, str], folder: Path, max_tokens: int) -> dict[str, str]:
    """Return the environment of a run: the user's, without traces of a session, and with this run's own settings."""
    inherited = {name: value for name, value in os.environ.items() if not _SESSION_VARIABLES.fullmatch(name)}
    values = {"FOLDER": str(folder), "MAX_TOKENS": str(max_tokens + THINKING_TOKENS)}
    settings = {name: value.format_map(values) for name, value in agent_variables.items()}
    return {**inherited, **settings, READER_VARIABLE: "1", "TMPDIR": str(folder / "tmp")}


def quote_output(text: str) -> str:
    """Return an agent's message in one printable line."""
    return one_line(clean_text(text[: LLM_ERROR_CHARS_MAX * 4]), LLM_ERROR_CHARS_MAX).rstrip(".")


def _read_events(output: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects that an agent printed, one per line."""
    for line in output.splitlines():
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
            yield event


def _build_claude_command(program: str, folder: Path, model: str) -> list[str]:
    """Return the command of Claude Code: its login and endpoint as usual, everything else off.

    `--safe-mode` turns off hooks, plugins, MCP servers, skills, memory and instruction files.
    """
    return [
        *(program, "--print", "--safe-mode", "--no-session-persistence", "--disable-slash-commands", "--no-chrome"),
        *("--tools", "", "--strict-mcp-config", "--permission-mode", "dontAsk"),
        *("--output-format", "stream-json", "--verbose"),
        *("--system-prompt-file", str(folder / SYSTEM_FILE), "--model", model),
    ]


def _parse_claude_answer(run: AgentRun, folder: Path) -> AgentAnswer:
    """Parse the events that Claude Code printed."""
    has_tool_call, result = False, {}
    for event in _read_events(run.output):
        if event.get("type") == "result":
            result = event
        elif event.get("type") == "assistant":
            blocks = _as_dict(event.get("message")).get("content")
            has_tool_call |= any(_as_dict(block).get("type") not in _PROSE for block in _as_list(blocks))
    if not result:
        return AgentAnswer(has_tool_call=has_tool_call, error=run.complaint or "it printed no result")
    usage = _as_dict(result.get("usage"))
    tokens_in = sum(_count(usage.get(name)) for name in _CLAUDE_INPUT)
    text = str(result.get("result") or "")
    is_failed = bool(result.get("is_error")) or not _as_dict(result.get("modelUsage"))
    status = result.get("api_error_status")
    return AgentAnswer(
        text,
        tokens_in,
        _count(usage.get("output_tokens")),
        has_tool_call or bool(result.get("permission_denials")),
        text or "no model was asked" if is_failed else "",
        is_failed and (status in (429, 529) or (status is None and bool(_RATE_LIMIT.search(text)))),
    )


_PROSE = ("text", "thinking", "redacted_thinking")
_CLAUDE_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def _build_codex_command(program: str, folder: Path, model: str) -> list[str]:
    """Return the command of Codex: the login and provider of the user's configuration, everything else off."""
    settings = {
        **read_provider_settings(),
        **CODEX_SETTINGS,
        **{f"features.{name}": False for name in CODEX_FEATURES_OFF},
        "model_instructions_file": str(folder / SYSTEM_FILE),
        "sqlite_home": str(folder / "tmp"),
        "log_dir": str(folder / "tmp"),
        **({"model": model} if model else {}),
    }
    overrides = [
        word for key, value in settings.items() for word in ("-c", f"{key}={json.dumps(value, ensure_ascii=False)}")
    ]
    options = ("--json", "--ephemeral", "--skip-git-repo-check", "--ignore-user-config", "--ignore-rules")
    return [program, "exec", *options, "--sandbox", "read-only", *overrides, "-"]


CODEX_FEATURES_OFF = (
    *("hooks", "memories", "plugins", "remote_plugin", "apps", "shell_tool", "unified_exec", "view_image"),
    *("multi_agent", "multi_agent_v2", "goals", "sleep_tool", "tool_suggest", "browser_use", "computer_use"),
    *("in_app_browser", "image_generation", "skill_mcp_dependency_install", "shell_snapshot"),
    *("workspace_dependencies", "request_permissions_tool"),
)
CODEX_SETTINGS: Mapping[str, object] = {
    "approval_policy": "never",
    "web_search": "disabled",
    "project_doc_max_bytes": 0,
    "history.persistence": "none",
    "skills.include_instructions": False,
    "skills.bundled.enabled": False,
    "agents.enabled": False,
    "include_environment_context": False,
    "include_permissions_instructions": False,
    "include_apps_instructions": False,
    "include_collaboration_mode_instructions": False,
    "check_for_update_on_startup": False,
    "analytics.enabled": False,
}


def _parse_codex_answer(run: AgentRun, folder: Path) -> AgentAnswer:
    """Parse the events that Codex printed, and its trace, the only list of every tool call."""
    text, error, usage = "", "", {}
    has_tool_call = False
    for event in _read_events(run.output):
        if event.get("type") == "turn.completed":
            usage = _as_dict(event.get("usage"))
        elif event.get("type") == "turn.failed":
            error = str(_as_dict(event.get("error")).get("message") or "the turn failed")
        elif event.get("type") == "item.completed":
            item = _as_dict(event.get("item"))
            text = str(item.get("text") or "") if item.get("type") == "agent_message" else text
            has_tool_call |= item.get("type") not in ("agent_message", "reasoning", "error")
    trace_error, has_traced_call = _inspect_codex_trace(folder)
    return AgentAnswer(
        text,
        _count(usage.get("input_tokens")),
        _count(usage.get("output_tokens")),
        has_tool_call or has_traced_call,
        error or (trace_error if text else ""),
        bool(_RATE_LIMIT.search(error)),
    )


def _inspect_codex_trace(folder: Path) -> tuple[str, bool]:
    """Return why the trace of a run cannot be used, and whether it has a tool call or more than one model call."""
    kinds: list[str] = []
    for file in (folder / "tmp").glob("trace/*/trace.jsonl"):
        events = _read_events(file.read_text("utf-8", "replace"))
        kinds += [str(_as_dict(event.get("payload")).get("type")) for event in events]
    if "inference_started" not in kinds:
        return "this release writes no trace, so a tool call cannot be ruled out", False
    return "", kinds.count("inference_started") > 1 or any(kind.startswith("tool_call") for kind in kinds)


def _as_dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _as_list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _count(value: object) -> int:
    return value if isinstance(value, int) and value >= 0 else 0


AGENT_KINDS = {
    kind.name: kind
    for kind in (
        AgentKind(
            "claude-code",
            "Claude Code",
            "claude",
            "sonnet",
            1_500 + THINKING_TOKENS,
            "@",
            _build_claude_command,
            {
                "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",
                "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "CLAUDE_CODE_ENABLE_TELEMETRY": "0",
                "CLAUDE_CODE_MAX_OUTPUT_TOKENS": "{MAX_TOKENS}",
                "CLAUDE_CODE_MAX_RETRIES": "0",
                "CLAUDE_CODE_TMPDIR": "{FOLDER}/tmp",
                "DISABLE_AUTOUPDATER": "1",
            },
            _parse_claude_answer,
        ),
        AgentKind(
            "codex",
            "Codex",
            "codex",
            "",
            5_000,
            "@$",
            _build_codex_command,
            {"CODEX_ROLLOUT_TRACE_ROOT": "{FOLDER}/tmp/trace"},
            _parse_codex_answer,
        ),
    )
}
"""The agents that were tested as readers, by name."""
