"""Choice of the embedding provider from the settings. It contacts no server, loads no model, and has no fallback.

A provider that is down stays chosen: switching to another would embed everything again, and back.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from holloway.embeddings.builtin_model import BuiltinEmbedder, build_missing_error, list_absent_packages

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holloway.config import Settings
    from holloway.domain.ports import Embedder
    from holloway.embeddings.remote_providers import ApiFormat


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """The chosen embedder, or a readable reason why nothing can embed."""

    embedder: Embedder | None
    reason: str = ""


def choose_embedder(settings: Settings, environment: Mapping[str, str] = os.environ) -> EmbedderChoice:
    """Return the embedder that the settings name."""
    provider = settings.get_text("embedding.provider")
    if provider == "off":
        return EmbedderChoice(None, "`embedding.provider` is off: search goes by words only.")
    if provider != "builtin":
        return _choose_remote(provider, settings, environment)
    if absent := list_absent_packages():
        error = build_missing_error(absent)
        return EmbedderChoice(None, f"{error.message} {error.hint}")
    return EmbedderChoice(BuiltinEmbedder())


def _choose_remote(provider: str, settings: Settings, environment: Mapping[str, str]) -> EmbedderChoice:
    # Loads urllib and ssl, which the built-in model does not need.
    from holloway.embeddings.remote_providers import OLLAMA, OPENAI, RemoteEmbedder

    wire = {"ollama": OLLAMA, "openai": OPENAI}[provider]
    base_url = settings.get_text("embedding.base_url")
    variable = settings.get_text("embedding.key_env")
    key = environment.get(variable, "").strip() if variable else ""
    if reason := _check_address(base_url) or _check_key(wire, base_url, variable, key):
        return EmbedderChoice(None, reason)
    model, dims = settings.get_text("embedding.model"), settings.get_number("embedding.dims")
    return EmbedderChoice(RemoteEmbedder(wire, model=model, base_url=base_url, key=key, dims=dims))


def _check_address(base_url: str) -> str:
    if not base_url:
        return ""
    try:
        parts = urlsplit(base_url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return "`embedding.base_url` is not an address."
    if parts.username or parts.password:
        return "`embedding.base_url` has a password in it: `embedding.key_env` names the variable for a key."
    if not is_valid or parts.query or parts.fragment or not base_url.isascii() or " " in base_url:
        return f"`embedding.base_url` is not an address of a server: {base_url!r}."
    return ""


def _check_key(wire: ApiFormat, base_url: str, variable: str, key: str) -> str:
    if variable and not key:
        return f"The variable {variable}, which `embedding.key_env` names, is not set."
    if not key.isascii() or not key.isprintable():
        return f"The key in {variable} contains invalid characters."
    if not variable and not base_url and wire.base_url.startswith("https:"):
        return f"{wire.name} needs a key: `holloway config set embedding.key_env NAME` with the variable that holds it."
    return ""
