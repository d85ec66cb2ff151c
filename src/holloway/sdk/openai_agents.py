"""OpenAI Agents SDK: hooks that watch an agent's tools, and a filter that puts what is known before the model."""

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

FAILED = "An error occurred while running the tool"
"""How the SDK begins what it tells the model of a tool that raised."""
Item = Any


class Memory(RunHooks[Any]):
    """`Runner.run(agent, prompt, hooks=memory, run_config=RunConfig(call_model_input_filter=memory.before_model))`.

    The session is the caller's: it may see several runs. What was said stays where it was said in the model's input,
    because the SDK does not keep what a filter adds, and because a prompt cache holds only so.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._brief = session.brief()
        self._said: list[tuple[int, str]] = []
        """After how many items of the input each text stands."""
        self._pending: list[str] = []
        self._seen = 0

    def before_model(self, data: CallModelData[Any]) -> ModelInputData:
        """The model's input with the brief, what belongs to its prompts and results, and a word between steps."""
        items = list(data.model_data.input)
        if len(items) < self._seen:
            self._begin_anew()
        new = items[self._seen :]
        self._seen = len(items)
        texts = [*self._pending, *map(self._asked, _prompts(new)), self.session.before_step(items)]
        self._pending.clear()
        self._said += [(len(items), text) for text in texts if text]
        instructions = "\n\n".join(filter(None, [data.model_data.instructions, self._brief]))
        return ModelInputData(input=_with(items, self._said), instructions=instructions or None)

    async def on_tool_end(self, context: RunContextWrapper[Any], agent: Agent[Any], tool: Tool, result: object) -> None:
        """A tool's result is noted; what is known of it goes before the next call of the model."""
        text = result if isinstance(result, str) else str(result)
        call = str(getattr(context, "tool_call_id", "") or "")
        arguments = _arguments(getattr(context, "tool_arguments", ""))
        self._pending.append(self.session.used(tool.name, arguments, text, ok=not text.startswith(FAILED), call=call))

    async def on_llm_end(self, context: RunContextWrapper[Any], agent: Agent[Any], response: ModelResponse) -> None:
        """The agent's own words and what they took."""
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
        """Another run began, or the input was cut: nothing that was said stands in it."""
        self._said.clear()
        self._seen = 0
        self.session.compacted()


def _prompts(items: Sequence[Item]) -> list[str]:
    """What the user said in these items."""
    return [text for item in items if isinstance(item, dict) and item.get("role") == "user" and (text := _words(item))]


def _words(item: dict[str, Any]) -> str:
    content = item.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(
        str(part["text"]) for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)
    )


def _with(items: list[Item], said: Sequence[tuple[int, str]]) -> list[Item]:
    """The items with each text after as many of them as there were when it was said."""
    found: list[Item] = []
    for place in range(len(items) + 1):
        found += [{"role": "user", "content": text} for after, text in said if after == place]
        found += items[place : place + 1]
    return found


def _arguments(given: object) -> dict[str, object]:
    try:
        found = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
