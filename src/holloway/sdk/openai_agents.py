"""Adapter for the OpenAI Agents SDK: hooks that observe tool calls, and an input filter that injects context."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from holloway.domain import event as events
from holloway.extras import PackageMissing

try:
    from agents import ItemHelpers, ModelResponse, RunHooks
    from agents.run import CallModelData, ModelInputData
except ModuleNotFoundError as error:
    raise PackageMissing("openai-agents", "openai-agents") from error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agents import Agent, RunContextWrapper, Tool

    from holloway.service.session import Session

FAILURE_PREFIX = "An error occurred while running the tool"
"""Prefix of the SDK's message to the model about a tool that raised."""
Item = Any


class HollowayHooks(RunHooks[Any]):
    """`Runner.run(agent, prompt, hooks=memory, run_config=RunConfig(call_model_input_filter=memory.before_model))`.

    A session may span several runs. Injected text keeps its position in the model's input, because the SDK does not
    store what a filter adds, and because the prompt cache needs an unchanged prefix.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._brief = session.brief()
        self._said: list[tuple[int, str]] = []
        """Injected texts, each with the number of input items before it."""
        self._pending: list[str] = []
        self._items: list[Item] = []
        """The items of the last input, which the next input of the same run begins with."""

    def before_model(self, data: CallModelData[Any]) -> ModelInputData:
        """Return the model's input with the brief, and with context for prompts, results and the next step."""
        items = list(data.model_data.input)
        if items[: len(self._items)] != self._items:
            self._begin_anew()
        new = items[len(self._items) :]
        self._items = items
        texts = [*self._pending, *map(self._asked, _user_prompts(new)), self.session.before_step(items)]
        self._pending.clear()
        self._said += [(len(items), text) for text in texts if text]
        instructions = "\n\n".join(filter(None, [data.model_data.instructions, self._brief]))
        return ModelInputData(input=_merge_injected(items, self._said), instructions=instructions or None)

    async def on_tool_end(self, context: RunContextWrapper[Any], agent: Agent[Any], tool: Tool, result: object) -> None:
        """Observe a tool's result; its context is injected before the next model call."""
        text = result if isinstance(result, str) else str(result)
        call = str(getattr(context, "tool_call_id", "") or "")
        arguments = _parse_arguments(getattr(context, "tool_arguments", ""))
        self._pending.append(
            self.session.used(tool.name, arguments, text, ok=not text.startswith(FAILURE_PREFIX), call=call)
        )

    async def on_llm_end(self, context: RunContextWrapper[Any], agent: Agent[Any], response: ModelResponse) -> None:
        """Observe the agent's messages and their token usage."""
        at = self.session.now()
        for item in response.output:
            if words := ItemHelpers.extract_text(item) if getattr(item, "type", "") == "message" else "":
                self.session.observe(events.Said(at, words))
        spent = response.usage
        self.session.observe(events.Usage(at, spent.input_tokens, spent.output_tokens, spent.input_tokens))

    def _asked(self, prompt: str) -> str:
        self.session.observe(events.Prompt(self.session.now(), prompt))
        return self.session.context_for(prompt)

    def _begin_anew(self) -> None:
        """Reset after a new run or compaction: the input no longer has the injected texts."""
        self._said.clear()
        self._items = []
        self.session.compacted()


def _user_prompts(items: Sequence[Item]) -> list[str]:
    """Return the user's messages in these items."""
    return [
        text for item in items if isinstance(item, dict) and item.get("role") == "user" and (text := _item_text(item))
    ]


def _item_text(item: dict[str, Any]) -> str:
    content = item.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(
        str(part["text"]) for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)
    )


def _merge_injected(items: list[Item], injected: Sequence[tuple[int, str]]) -> list[Item]:
    """Merge injected texts into the items, each at its recorded position."""
    merged: list[Item] = []
    for position in range(len(items) + 1):
        merged += [{"role": "user", "content": text} for position_after, text in injected if position_after == position]
        merged += items[position : position + 1]
    return merged


def _parse_arguments(value: object) -> dict[str, object]:
    try:
        arguments = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return {}
    return arguments if isinstance(arguments, dict) else {}
