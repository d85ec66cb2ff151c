"""Adapter for pydantic-ai: a capability that injects the brief, observes tool calls and adds context between steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holloway.domain import event as events
from holloway.extras import PackageMissing

try:
    from pydantic_ai import ToolReturn
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import TextPart, ThinkingPart
except ModuleNotFoundError as error:
    raise PackageMissing("pydantic-ai-slim", "pydantic-ai") from error

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pydantic_ai import RunContext
    from pydantic_ai.messages import ModelResponse, ToolCallPart
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.tools import ToolDefinition

    from holloway.service.session import Session


class HollowayCapability(AbstractCapability[Any]):
    """Capability for `Agent(..., capabilities=[HollowayCapability(session)])`. A session may span several runs."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._brief = session.brief()
        self._waiting: list[str] = []
        """Context for the next request; the framework itself reports a failed tool's error to the model."""

    def get_instructions(self) -> str | None:
        """Return the brief, always the same text so that the prompt cache works."""
        return self._brief or None

    async def before_run(self, ctx: RunContext[Any]) -> None:
        """Observe the prompt; context for its task is injected with the first request."""
        if isinstance(ctx.prompt, str):
            self.session.observe(events.Prompt(self.session.now(), ctx.prompt))
            self._waiting.append(self.session.context_for(ctx.prompt))

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Inject pending context and context between two steps."""
        waiting, self._waiting = self._waiting, []
        if context := "\n".join(filter(None, [*waiting, self.session.before_step(request_context.messages)])):
            ctx.enqueue(context)
        return request_context

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Observe the agent's messages and their token usage."""
        at = self.session.now()
        for part in response.parts:
            if isinstance(part, TextPart | ThinkingPart) and part.content:
                self.session.observe(events.Said(at, part.content, isinstance(part, ThinkingPart)))
        usage = response.usage
        self.session.observe(events.Usage(at, usage.input_tokens, usage.output_tokens, usage.input_tokens))
        return response

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: Callable[[dict[str, Any]], Awaitable[Any]],
    ) -> Any:
        """Observe a tool call; add context about its file, failure or search to the result."""
        try:
            result = await handler(args)
        except Exception as error:
            context = self.session.used(call.tool_name, args, str(error), ok=False, call=call.tool_call_id)
            self._waiting.append(context)
            raise
        context = self.session.used(call.tool_name, args, result, call=call.tool_call_id)
        if not context or isinstance(result, ToolReturn):
            self._waiting.append(context)
            return result
        return f"{result}\n\n{context}" if isinstance(result, str) else ToolReturn(result, content=context)
