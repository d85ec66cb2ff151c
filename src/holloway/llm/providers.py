"""Language models through their makers' own packages, loaded inside the call: each takes a second or two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from holloway.config import LLM_ANSWER_CHARS_MAX, LLM_ERROR_CHARS_MAX
from holloway.domain.ports import Completion
from holloway.extras import PackageMissing
from holloway.llm.llm_errors import NotAsked, WriterFailed

if TYPE_CHECKING:
    from collections.abc import Callable


class Access(NamedTuple):
    """Which model, where, and with which key."""

    model: str
    base_url: str = ""
    key: str = ""


class OpenAI:
    """Anything that speaks OpenAI's chat API: OpenAI itself, Ollama, vLLM, LM Studio, OpenRouter."""

    provider = "openai"

    def __init__(self, access: Access) -> None:
        self._access = access
        self.model = access.model

    def complete(self, prompt: str, *, max_tokens: int, deadline_s: float, system: str = "") -> Completion:
        """One answer, within a time."""
        try:
            import openai
        except ImportError as error:
            raise _missing("openai") from error
        client = _made(
            lambda: openai.OpenAI(
                # A server of one's own wants no key, and the package wants one.
                api_key=self._access.key or "none",
                base_url=self._access.base_url or None,
                timeout=deadline_s,
                max_retries=0,
            ),
            self.provider,
        )
        messages: list[Any] = [{"role": "user", "content": prompt}]
        if system:
            messages.insert(0, {"role": "system", "content": system})

        def asked() -> Completion:
            answer = client.chat.completions.create(
                model=self.model, messages=messages, max_completion_tokens=max_tokens
            )
            text = answer.choices[0].message.content if answer.choices else ""
            used = answer.usage
            return _completion(text, used and used.prompt_tokens, used and used.completion_tokens, self.provider)

        with client:
            return _tried(asked, openai.OpenAIError, self.provider, self._access.key)


class Anthropic:
    """Anthropic's models."""

    provider = "anthropic"

    def __init__(self, access: Access) -> None:
        self._access = access
        self.model = access.model

    def complete(self, prompt: str, *, max_tokens: int, deadline_s: float, system: str = "") -> Completion:
        """One answer, within a time."""
        try:
            import anthropic
        except ImportError as error:
            raise _missing("anthropic") from error
        client = _made(
            lambda: anthropic.Anthropic(
                api_key=self._access.key, base_url=self._access.base_url or None, timeout=deadline_s, max_retries=0
            ),
            self.provider,
        )

        def asked() -> Completion:
            answer = client.messages.create(
                model=self.model,
                max_tokens=max_tokens,
                system=system or anthropic.omit,
                messages=[{"role": "user", "content": prompt}],
            )
            text = "".join(block.text for block in answer.content if block.type == "text")
            return _completion(text, answer.usage.input_tokens, answer.usage.output_tokens, self.provider)

        with client:
            return _tried(asked, anthropic.AnthropicError, self.provider, self._access.key)


Client = TypeVar("Client")


def _made(make: Callable[[], Client], provider: str) -> Client:
    try:
        return make()
    except Exception as error:  # whatever a package raises for an address or a proxy that it cannot read
        shown = f"{type(error).__name__}, its address or a proxy's cannot be read"
        hint = "Look at `llm.base_url`, and at the variables that name a proxy."
        raise NotAsked(f"{provider} was not asked: {shown}.", hint) from None


NONSENSE = (ValueError, TypeError, AttributeError, KeyError, IndexError, RecursionError)
"""What the packages raise, or lead to, when an answer is not of the shape that it should have."""


def _tried(call: Callable[[], Completion], expected: type[Exception], provider: str, key: str) -> Completion:
    """Call, and say in one sentence what went wrong; the provider's words are bounded and the key is not among them."""
    try:
        return call()
    except expected as error:
        status = getattr(error, "status_code", None)
        whole = str(getattr(error, "message", error))
        said = " ".join((whole.replace(key, "…") if key else whole).split())[:LLM_ERROR_CHARS_MAX]
        shown = f"{type(error).__name__}{f' {status}' if status else ''}: {said}"
        raise WriterFailed(f"{provider} did not answer: {shown}", "Everything else goes on without it.") from None
    except NONSENSE as error:
        shown = f"{type(error).__name__}, this is not what its API answers"
        raise WriterFailed(f"{provider} did not answer: {shown}.", "Look at `llm.base_url`.") from None


def _completion(text: object, tokens_in: object, tokens_out: object, provider: str) -> Completion:
    if not isinstance(text, str) or not text.strip():
        raise WriterFailed(f"{provider} gave an empty answer.", "Everything else goes on without it.")
    return Completion(text.strip()[:LLM_ANSWER_CHARS_MAX], _count(tokens_in), _count(tokens_out))


def _count(said: object) -> int:
    return said if isinstance(said, int) and said >= 0 else 0


def _missing(package: str) -> NotAsked:
    error = PackageMissing(package, package)
    return NotAsked(error.message, error.hint)
