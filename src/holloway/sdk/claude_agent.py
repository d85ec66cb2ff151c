"""Claude Agent SDK: hooks that brief an agent, watch its tools and speak with their results."""

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
Answer = dict[str, Any]


def hooks(session: Session) -> dict[Any, list[HookMatcher]]:
    """`ClaudeAgentOptions(hooks=hooks(session))`. The session is the caller's: it may see several queries."""
    answering = Answering(session)
    named = {
        "UserPromptSubmit": answering.prompt,
        "PostToolUse": answering.tool,
        "PostToolUseFailure": answering.failure,
        "PreCompact": answering.compaction,
        "Stop": answering.stop,
    }
    return {name: [HookMatcher(hooks=[answer], timeout=TIMEOUT_S)] for name, answer in named.items()}


class Answering:
    """The callbacks for one session. None of them ever blocks a tool or a turn."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._briefed = False

    async def prompt(self, given: Mapping[str, Any], call: str | None, context: object) -> Answer:
        """With the first prompt the brief, with every prompt what is known of its task."""
        prompt = str(given.get("prompt", ""))
        self.session.observe(events.Prompt(self.session.now(), prompt))
        brief = "" if self._briefed else self.session.brief()
        self._briefed = True
        return _said(given, brief, self.session.context_for(prompt))

    async def tool(self, given: Mapping[str, Any], call: str | None, context: object) -> Answer:
        """With a tool's result, and before the next step."""
        said = self._used(given, call, shown(given.get("tool_response")), ok=True)
        return _said(given, said, self.session.before_step())

    async def failure(self, given: Mapping[str, Any], call: str | None, context: object) -> Answer:
        """With a tool's failure, and before the next step."""
        said = self._used(given, call, str(given.get("error", "")), ok=False)
        return _said(given, said, self.session.before_step())

    async def compaction(self, given: Mapping[str, Any], call: str | None, context: object) -> Answer:
        """The context is about to be cut: all may be said again, the brief with the next prompt."""
        self.session.compacted()
        self._briefed = False
        return {}

    async def stop(self, given: Mapping[str, Any], call: str | None, context: object) -> Answer:
        """The end of a turn: the agent's last words."""
        if words := given.get("last_assistant_message"):
            self.session.observe(events.Said(self.session.now(), str(words)))
        return {}

    def _used(self, given: Mapping[str, Any], call: str | None, output: str, *, ok: bool) -> str:
        arguments = given.get("tool_input")
        name = call or str(given.get("tool_use_id", ""))
        args = arguments if isinstance(arguments, dict) else {}
        return self.session.used(str(given.get("tool_name", "")), args, output, ok=ok, call=name)


def shown(response: object) -> str:
    """A tool's response as the agent reads it; its shape differs from tool to tool."""
    if not isinstance(response, dict):
        return "" if response is None else str(response)
    file = response.get("file")
    if isinstance(file, dict):
        return str(file.get("content", ""))
    parts = [response.get(name) for name in ("stdout", "stderr", "content", "result")]
    found = [part for part in parts if isinstance(part, str) and part]
    names = response.get("filenames")
    return "\n".join([*found, *map(str, names if isinstance(names, list) else [])])


def _said(given: Mapping[str, Any], *texts: str) -> Answer:
    text = "\n".join(filter(None, texts))
    name = given.get("hook_event_name")
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}} if text else {}
