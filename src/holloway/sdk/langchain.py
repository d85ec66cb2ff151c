"""Adapter for LangChain: middleware that injects the brief, observes tool calls and adds context between steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holloway.domain import event as events
from holloway.extras import PackageMissing

try:
    from langchain.agents.middleware import AgentMiddleware
    from langchain.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
except ModuleNotFoundError as error:
    raise PackageMissing("langchain", "langchain") from error

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from langchain.agents.middleware import AgentState, ModelRequest, ModelResponse
    from langchain.agents.middleware.types import ToolCallRequest
    from langchain_core.messages import AnyMessage
    from langgraph.runtime import Runtime
    from langgraph.types import Command

    from holloway.service.session import Session

NAME = "holloway"


class HollowayMiddleware(AgentMiddleware[Any, Any, Any]):
    """Middleware for `create_agent(..., middleware=[HollowayMiddleware(session)])`. A session may span several runs."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self._brief = session.brief()

    def before_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Observe the prompt and inject context for its task after it."""
        prompt = _last_text(state["messages"], HumanMessage)
        self.session.observe(events.Prompt(self.session.now(), prompt))
        return _make_message(self.session.context_for(prompt))

    async def abefore_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Async variant of `before_agent`."""
        return self.before_agent(state, runtime)

    def before_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Inject context between two steps."""
        return _make_message(self.session.before_step(state["messages"]))

    async def abefore_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Async variant of `before_model`."""
        return self.before_model(state, runtime)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Add the brief to every request, always the same text so that the prompt cache works."""
        return handler(self._briefed(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Async variant of `wrap_model_call`."""
        return await handler(self._briefed(request))

    def after_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Observe the agent's message and its token usage."""
        if isinstance(message := state["messages"][-1], AIMessage):
            at = self.session.now()
            if message.text:
                self.session.observe(events.Said(at, message.text))
            if usage := message.usage_metadata:
                spent = usage["input_tokens"], usage["output_tokens"], usage["input_tokens"]
                self.session.observe(events.Usage(at, *spent))
        return None

    async def aafter_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Async variant of `after_model`."""
        return self.after_model(state, runtime)

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Observe a tool call; add context about its file, failure or search to the result."""
        try:
            return self._used(request, handler(request))
        except Exception as error:
            self._failed(request, error)
            raise

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        """Async variant of `wrap_tool_call`."""
        try:
            return self._used(request, await handler(request))
        except Exception as error:
            self._failed(request, error)
            raise

    def _briefed(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        if not self._brief:
            return request
        system_text = "\n\n".join(filter(None, [request.system_prompt, self._brief]))
        return request.override(system_message=SystemMessage(system_text))

    def _used(self, request: ToolCallRequest, result: ToolMessage | Command[Any]) -> ToolMessage | Command[Any]:
        if not isinstance(result, ToolMessage):
            return result
        call = request.tool_call
        ok = result.status != "error"
        context = self.session.used(call["name"], call["args"], result.text, ok=ok, call=call["id"] or "")
        if not context or not isinstance(result.content, str):
            return result
        return result.model_copy(update={"content": f"{result.content}\n\n{context}"})

    def _failed(self, request: ToolCallRequest, error: Exception) -> None:
        call = request.tool_call
        self.session.used(call["name"], call["args"], str(error), ok=False, call=call["id"] or "")


def _make_message(text: str) -> dict[str, Any] | None:
    """Return a user message: some providers reject a system message in the middle of a conversation."""
    return {"messages": [HumanMessage(text, name=NAME)]} if text else None


def _last_text(messages: Sequence[AnyMessage], kind: type[HumanMessage]) -> str:
    matching_messages = [message for message in messages if isinstance(message, kind) and message.name != NAME]
    return str(matching_messages[-1].text) if matching_messages else ""
