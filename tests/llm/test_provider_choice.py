"""Nothing is sent that the user did not choose."""

import pytest

from holloway import Holloway
from holloway.config import Settings
from holloway.llm.provider_choice import choose_writer


@pytest.mark.promise("nothing-is-sent")
def test_a_key_in_the_environment_is_no_consent(memory: Holloway) -> None:
    environment = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
    assert choose_writer(memory.settings, environment).writer is None


@pytest.mark.parametrize(
    ("settings", "environment", "reason"),
    [
        ({"llm.provider": "openai"}, {}, "openai wants a key"),
        ({"llm.provider": "anthropic", "llm.base_url": "http://127.0.0.1:1"}, {}, "anthropic wants a key"),
        ({"llm.provider": "openai", "llm.key_env": "MY_KEY"}, {}, "MY_KEY"),
        ({"llm.provider": "openai", "llm.key_env": "MY_KEY"}, {"MY_KEY": "schlüssel"}, "characters that no key has"),
        ({"llm.provider": "openai", "llm.key_env": "MY_KEY"}, {"MY_KEY": "a\nb"}, "characters that no key has"),
        ({"llm.provider": "openai", "llm.base_url": "http://127.0.0.1:11434/v1"}, {}, ""),
        ({"llm.provider": "anthropic", "llm.key_env": "MY_KEY"}, {"MY_KEY": "k"}, ""),
    ],
)
def test_a_choice_is_complete_or_says_what_is_missing(
    settings: dict[str, str], environment: dict[str, str], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key, value in settings.items():
        monkeypatch.setenv("HOLLOWAY_" + key.upper().replace(".", "_"), value)
    chosen = choose_writer(Settings.load_settings(), environment)
    assert (chosen.writer is None) == bool(reason)
    assert reason in chosen.reason
