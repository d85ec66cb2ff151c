"""pydantic-ai: a capability that briefs an agent, watches its tools and speaks between its steps."""

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


class Memory(AbstractCapability[Any]):
    """`Agent(..., capabilities=[Memory(session)])`. The session is the caller's: it may see several runs."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._brief = session.brief()
        self._waiting: list[str] = []
        """What is known of a tool that failed; its error goes to the model as the framework sees fit."""

    def get_instructions(self) -> str | None:
        """The brief, the same text in every request so that a prompt cache holds."""
        return self._brief or None

    async def before_run(self, ctx: RunContext[Any]) -> None:
        """The prompt is noted, and what is known of its task waits for the first request."""
        if isinstance(ctx.prompt, str):
            self.session.observe(events.Prompt(self.session.now(), ctx.prompt))
            self._waiting.append(self.session.context_for(ctx.prompt))

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Between two steps."""
        waiting, self._waiting = self._waiting, []
        if said := "\n".join(filter(None, [*waiting, self.session.before_step(request_context.messages)])):
            ctx.enqueue(said)
        return request_context

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """The agent's own words and what they took."""
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
        """A tool's result, with what is known of its file, its failure or its search."""
        try:
            result = await handler(args)
        except Exception as error:
            said = self.session.used(call.tool_name, args, str(error), ok=False, call=call.tool_call_id)
            self._waiting.append(said)
            raise
        said = self.session.used(call.tool_name, args, result, call=call.tool_call_id)
        if not said or isinstance(result, ToolReturn):
            self._waiting.append(said)
            return result
        return f"{result}\n\n{said}" if isinstance(result, str) else ToolReturn(result, content=said)
