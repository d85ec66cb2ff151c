"""The part of a user's Codex configuration that says where Codex sends prompts: a reader must not go elsewhere."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

_KEYS = (
    *("model_provider", "model", "openai_base_url", "chatgpt_base_url", "cli_auth_credentials_store"),
    *("forced_login_method", "forced_chatgpt_workspace_id"),
)
_PROVIDER_KEYS = (
    *("name", "base_url", "env_key", "env_key_instructions", "wire_api", "query_params", "env_http_headers"),
    *("requires_openai_auth", "request_max_retries", "stream_max_retries", "stream_idle_timeout_ms"),
    *("supports_websockets", "websocket_connect_timeout_ms"),
)
"""Settings of a provider that hold no secret: they are given on the command line, which other processes can read."""


class CodexProviderUnreadable(Exception):
    """The user's Codex configuration cannot be read, or has a provider that cannot be passed on."""


def read_provider_settings() -> dict[str, object]:
    """Return the provider settings of the user's Codex configuration. Raises CodexProviderUnreadable."""
    path = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / "config.toml"
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise CodexProviderUnreadable(f"{path} cannot be read ({type(error).__name__})") from None
    profile = _table(_table(data.get("profiles")).get(str(data.get("profile", ""))))
    chosen = {**data, **profile}
    settings = {key: chosen[key] for key in _KEYS if isinstance(chosen.get(key), str)}
    name = settings.get("model_provider", "")
    provider = _table(_table(data.get("model_providers")).get(name))
    if unsupported := sorted(set(provider) - set(_PROVIDER_KEYS)):
        raise CodexProviderUnreadable(f"`model_providers.{name}` in {path} has {', '.join(unsupported)}")
    nested = {f"model_providers.{name}.{key}": value for key, value in provider.items() if not isinstance(value, dict)}
    for key, table in provider.items():
        if isinstance(table, dict):
            nested |= {f"model_providers.{name}.{key}.{inner}": value for inner, value in table.items()}
    return {**settings, **nested}


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
