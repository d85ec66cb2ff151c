"""Choice of a language model from the settings. It sends nothing; a key in the environment is not consent."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.llm.providers import Access, Anthropic, OpenAI

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holloway.config import Settings
    from holloway.domain.ports import Writer

USUAL_MODEL = {"openai": "gpt-5-mini", "anthropic": "claude-haiku-4-5"}


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen writer, or None with a reason to show to the user."""

    writer: Writer | None
    reason: str = ""


def choose_writer(settings: Settings, environment: Mapping[str, str] = os.environ) -> Choice:
    """Return the writer that the settings name, or the reason why there is no usable one."""
    provider = settings.get_text("llm.provider")
    if provider == "off":
        return Choice(None, "No language model is configured (`llm.provider` is off); everything else works without.")
    variable, base_url = settings.get_text("llm.key_env"), settings.get_text("llm.base_url")
    key = environment.get(variable, "").strip() if variable else ""
    if variable and not key:
        return Choice(None, f"The variable {variable}, which `llm.key_env` names, is not set.")
    if not key.isascii() or not key.isprintable():
        return Choice(None, f"The key in {variable} has characters that no key has.")
    if not key and (provider == "anthropic" or not base_url):
        return Choice(None, f"{provider} wants a key: `holloway config set llm.key_env NAME` with the variable's name.")
    access = Access(settings.get_text("llm.model") or USUAL_MODEL[provider], base_url, key)
    return Choice(Anthropic(access) if provider == "anthropic" else OpenAI(access))
