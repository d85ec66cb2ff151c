"""Adapter for the Claude Agent SDK: hooks that inject the brief, observe tool calls and add context to results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holloway.domain import event as events
from holloway.extras import PackageMissing

try:
    from claude_agent_sdk import HookMatcher
except ModuleNotFoundError as error:
    raise PackageMissing("claude-agent-sdk", "claude-agent-sdk") from error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holloway.service.session import Session

TIMEOUT_S = 5
HookOutput = dict[str, Any]


def hooks(session: Session) -> dict[Any, list[HookMatcher]]:
    """Return hooks for `ClaudeAgentOptions(hooks=hooks(session))`. A session may span several queries."""
    answering = Answering(session)
    callbacks = {
        "UserPromptSubmit": answering.on_prompt,
        "PostToolUse": answering.on_tool,
        "PostToolUseFailure": answering.on_failure,
        "PreCompact": answering.on_compaction,
        "Stop": answering.on_stop,
    }
    return {name: [HookMatcher(hooks=[answer], timeout=TIMEOUT_S)] for name, answer in callbacks.items()}


class Answering:
    """Hook callbacks for one session; none of them blocks a tool or a turn."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._briefed = False

    async def on_prompt(self, hook_input: Mapping[str, Any], call: str | None, context: object) -> HookOutput:
        """Observe a prompt; inject the brief with the first one, and context for the task with each."""
        prompt = str(hook_input.get("prompt", ""))
        self.session.observe(events.Prompt(self.session.now(), prompt))
        brief = "" if self._briefed else self.session.brief()
        self._briefed = True
        return _make_output(hook_input, brief, self.session.context_for(prompt))

    async def on_tool(self, hook_input: Mapping[str, Any], call: str | None, context: object) -> HookOutput:
        """Observe a tool's result; inject context for it and for the next step."""
        result_text = self._observe_tool(hook_input, call, render_response(hook_input.get("tool_response")), ok=True)
        return _make_output(hook_input, result_text, self.session.before_step())

    async def on_failure(self, hook_input: Mapping[str, Any], call: str | None, context: object) -> HookOutput:
        """Observe a tool's failure; inject context for it and for the next step."""
        result_text = self._observe_tool(hook_input, call, str(hook_input.get("error", "")), ok=False)
        return _make_output(hook_input, result_text, self.session.before_step())

    async def on_compaction(self, hook_input: Mapping[str, Any], call: str | None, context: object) -> HookOutput:
        """Handle compaction: injected text may be repeated, and the brief comes with the next prompt."""
        self.session.compacted()
        self._briefed = False
        return {}

    async def on_stop(self, hook_input: Mapping[str, Any], call: str | None, context: object) -> HookOutput:
        """Observe the agent's last message at the end of a turn."""
        if words := hook_input.get("last_assistant_message"):
            self.session.observe(events.Said(self.session.now(), str(words)))
        return {}

    def _observe_tool(self, hook_input: Mapping[str, Any], call: str | None, output: str, *, ok: bool) -> str:
        arguments = hook_input.get("tool_input")
        name = call or str(hook_input.get("tool_use_id", ""))
        args = arguments if isinstance(arguments, dict) else {}
        return self.session.used(str(hook_input.get("tool_name", "")), args, output, ok=ok, call=name)


def render_response(response: object) -> str:
    """Return a tool's response as text; its structure differs between tools."""
    if not isinstance(response, dict):
        return "" if response is None else str(response)
    file = response.get("file")
    if isinstance(file, dict):
        return str(file.get("content", ""))
    parts = [response.get(name) for name in ("stdout", "stderr", "content", "result")]
    texts = [part for part in parts if isinstance(part, str) and part]
    names = response.get("filenames")
    return "\n".join([*texts, *map(str, names if isinstance(names, list) else [])])


def _make_output(hook_input: Mapping[str, Any], *texts: str) -> HookOutput:
    text = "\n".join(filter(None, texts))
    name = hook_input.get("hook_event_name")
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}} if text else {}
