import importlib
import sys

import pytest

from holloway import extras

ADAPTERS = {
    "pydantic_ai": ("pydantic_ai", "pydantic-ai"),
    "langchain": ("langchain.agents.middleware", "langchain"),
    "langgraph": ("langgraph.store.base", "langchain"),
    "anthropic_memory": ("anthropic.lib.tools", "anthropic"),
    "openai_agents": ("agents", "openai-agents"),
    "claude_agent": ("claude_agent_sdk", "claude-agent-sdk"),
}


@pytest.mark.promise("extras-named")
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_adapter_without_its_framework_names_what_to_install(adapter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package, extra = ADAPTERS[adapter]
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"holloway.sdk.{adapter}", raising=False)
    with pytest.raises(extras.PackageMissing) as raised:
        importlib.import_module(f"holloway.sdk.{adapter}")
    assert raised.value.hint == extras.install_command(extra)
