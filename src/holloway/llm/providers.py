"""Clients of the HTTP APIs of OpenAI-compatible services and of Anthropic, and the choice of one from the settings."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from holloway.config import LLM_ANSWER_BYTES_MAX, LLM_ANSWER_CHARS_MAX, LLM_ERROR_CHARS_MAX
from holloway.domain.ports import Completion
from holloway.errors import HollowayError
from holloway.http_client import AddressUnreadable, RequestCancelled, RequestFailed, Response, post_json, quote_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holloway.config import Settings
    from holloway.domain.ports import Writer


ANTHROPIC_VERSION = "2023-06-01"
MALFORMED = (ValueError, TypeError, AttributeError, KeyError, IndexError, RecursionError)
"""Errors raised while parsing a response that does not have the documented shape."""
RATE_LIMIT_STATUSES = (429, 529)
USUAL_MODEL = {"openai": "gpt-5-mini", "anthropic": "claude-haiku-4-5"}


class WriterFailed(HollowayError):
    """The provider did not answer, answered too late, or answered nonsense. Callers continue without it.

    `usage` has the tokens that the failed call took in and gave out, where the provider reported them.
    """

    def __init__(self, message: str, hint: str = "", usage: tuple[int, int] | None = None) -> None:
        super().__init__(message, hint)
        self.usage = usage


class NotAsked(WriterFailed):
    """Nothing was sent: the address of the provider or of a proxy cannot be read."""


class CapReached(WriterFailed):
    """A token cap is reached: no further call of this period can succeed."""


class RateLimited(WriterFailed):
    """The provider refuses calls for now: a rate limit, or the allowance of a subscription is used up."""


class Stopped(WriterFailed):
    """A person turned the reader off during the call."""


class Access(NamedTuple):
    """The model, the base URL of its API, the key, and the function that cancels a call by returning True."""

    model: str
    base_url: str = ""
    key: str = ""
    is_stopped: Callable[[], bool] | None = None


class OpenAI:
    """Any service with OpenAI's chat API: OpenAI itself, Ollama, vLLM, LM Studio, OpenRouter."""

    provider = "openai"

    def __init__(self, access: Access) -> None:
        self._access = access
        self.model = access.model

    def complete(self, prompt: str, *, max_tokens: int, deadline_s: float, system: str = "") -> Completion:
        """Return one answer; raise WriterFailed if none arrives before the deadline."""
        url = f"{(self._access.base_url or 'https://api.openai.com/v1').rstrip('/')}/chat/completions"
        headers = {"Authorization": f"Bearer {self._access.key}"} if self._access.key else {}
        messages = [{"role": "system", "content": system}] if system else []
        messages.append({"role": "user", "content": prompt})
        body = {"model": self.model, "messages": messages, "max_completion_tokens": max_tokens}
        response = _post_json(self.provider, self._access, url, body, headers, deadline_s)
        try:
            choices = response["choices"]
            usage = response.get("usage") or {}
            text = choices[0]["message"]["content"] if choices else ""
            return _build_completion(text, usage.get("prompt_tokens"), usage.get("completion_tokens"), self.provider)
        except MALFORMED as error:
            raise _malformed_response(self.provider, error) from None


class Anthropic:
    """Anthropic's models."""

    provider = "anthropic"

    def __init__(self, access: Access) -> None:
        self._access = access
        self.model = access.model

    def complete(self, prompt: str, *, max_tokens: int, deadline_s: float, system: str = "") -> Completion:
        """Return one answer; raise WriterFailed if none arrives before the deadline."""
        url = f"{(self._access.base_url or 'https://api.anthropic.com').rstrip('/')}/v1/messages"
        headers = {"x-api-key": self._access.key, "anthropic-version": ANTHROPIC_VERSION}
        body: dict[str, object] = {"model": self.model, "max_tokens": max_tokens}
        body |= {"system": system} if system else {}
        body["messages"] = [{"role": "user", "content": prompt}]
        response = _post_json(self.provider, self._access, url, body, headers, deadline_s)
        try:
            text = "".join(block["text"] for block in response["content"] if block["type"] == "text")
            usage = response.get("usage") or {}
            return _build_completion(text, usage.get("input_tokens"), usage.get("output_tokens"), self.provider)
        except MALFORMED as error:
            raise _malformed_response(self.provider, error) from None


def _post_json(
    provider: str, access: Access, url: str, body: Mapping[str, object], headers: Mapping[str, str], deadline_s: float
) -> Any:
    """Return the JSON of a response; raise WriterFailed with one sentence that does not contain the key."""
    key = access.key
    data = json.dumps(body).encode()
    try:
        response = post_json(url, data, headers, deadline_s, LLM_ANSWER_BYTES_MAX, access.is_stopped)
    except RequestCancelled:
        raise Stopped("The reader was turned off during a call.", "") from None
    except AddressUnreadable as error:
        hint = "Look at the base URL in the settings (`llm.base_url`, `reader.base_url`), and at the proxy variables."
        raise NotAsked(f"{provider} was not asked: {error}.", hint) from None
    except RequestFailed as error:
        raise _writer_failure(provider, quote_text(str(error), key, LLM_ERROR_CHARS_MAX)) from None
    if response.status in RATE_LIMIT_STATUSES:
        message = f"{provider} refuses calls for now: {_describe_refusal(response, key)}."
        raise RateLimited(message, "It is asked again later.")
    if not 200 <= response.status < 300:
        raise _writer_failure(provider, _describe_refusal(response, key))
    try:
        return json.loads(response.body)
    except MALFORMED as error:
        raise _malformed_response(provider, error) from None


def _describe_refusal(response: Response, key: str) -> str:
    if 300 <= response.status < 400:
        location = quote_text(response.location, key, LLM_ERROR_CHARS_MAX) or "elsewhere"
        return f"{response.status}, it redirects to {location}, which is not followed"
    body = quote_text(response.body.decode("utf-8", "replace"), key, LLM_ERROR_CHARS_MAX)
    return f"{response.status}{f' ({body})' if body else ''}"


def _writer_failure(provider: str, reason: str) -> WriterFailed:
    return WriterFailed(f"{provider} did not answer: {reason}.", "Everything else goes on without it.")


def _malformed_response(provider: str, error: Exception) -> WriterFailed:
    reason = f"{type(error).__name__}, this is not what its API answers"
    return WriterFailed(f"{provider} did not answer: {reason}.", "Look at the base URL in the settings.")


def _build_completion(text: object, tokens_in: object, tokens_out: object, provider: str) -> Completion:
    if not isinstance(text, str) or not text.strip():
        raise WriterFailed(f"{provider} gave an empty answer.", "Everything else goes on without it.")
    return Completion(text.strip()[:LLM_ANSWER_CHARS_MAX], _token_count(tokens_in), _token_count(tokens_out))


def _token_count(tokens: object) -> int:
    return tokens if isinstance(tokens, int) and tokens >= 0 else 0


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
