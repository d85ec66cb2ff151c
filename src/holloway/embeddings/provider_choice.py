"""Choice of the embedding provider from the settings. It contacts no server, loads no model, and has no fallback.

A provider that is down stays chosen: switching to another would embed everything again, and back.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from holloway.embeddings.builtin_model import Builtin, absent_packages, missing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holloway.config import Settings
    from holloway.domain.ports import Embedder
    from holloway.embeddings.api_formats import Wire


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen embedder, or a readable reason why nothing can embed."""

    embedder: Embedder | None
    reason: str = ""


def choose(settings: Settings, environment: Mapping[str, str] = os.environ) -> Choice:
    """Return the embedder that the settings name."""
    provider = settings.text("embedding.provider")
    if provider == "off":
        return Choice(None, "`embedding.provider` is off: search goes by words only.")
    if provider != "builtin":
        return _remote(provider, settings, environment)
    if absent := absent_packages():
        error = missing(absent)
        return Choice(None, f"{error.message} {error.hint}")
    return Choice(Builtin())


def _remote(provider: str, settings: Settings, environment: Mapping[str, str]) -> Choice:
    # Loads urllib and ssl, which the built-in model does not need.
    from holloway.embeddings.api_formats import OLLAMA, OPENAI
    from holloway.embeddings.remote_providers import Remote

    wire = {"ollama": OLLAMA, "openai": OPENAI}[provider]
    base_url = settings.text("embedding.base_url")
    variable = settings.text("embedding.key_env")
    key = environment.get(variable, "").strip() if variable else ""
    if reason := _wrong_address(base_url) or _wrong_key(wire, base_url, variable, key):
        return Choice(None, reason)
    model, dims = settings.text("embedding.model"), settings.number("embedding.dims")
    return Choice(Remote(wire, model=model, base_url=base_url, key=key, dims=dims))


def _wrong_address(base_url: str) -> str:
    if not base_url:
        return ""
    try:
        parts = urlsplit(base_url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return "`embedding.base_url` is not an address."
    if parts.username or parts.password:
        return "`embedding.base_url` has a password in it: `embedding.key_env` names the variable for a key."
    if not is_valid or parts.query or parts.fragment or not base_url.isascii() or " " in base_url:
        return f"`embedding.base_url` is not an address of a server: {base_url!r}."
    return ""


def _wrong_key(wire: Wire, base_url: str, variable: str, key: str) -> str:
    if variable and not key:
        return f"The variable {variable}, which `embedding.key_env` names, is not set."
    if not key.isascii() or not key.isprintable():
        return f"The key in {variable} contains invalid characters."
    if not variable and not base_url and wire.base_url.startswith("https:"):
        return f"{wire.name} needs a key: `holloway config set embedding.key_env NAME` with the variable that holds it."
    return ""
