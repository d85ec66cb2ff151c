import socket
from pathlib import Path

import pytest

from holloway import extras
from holloway.config import SETTINGS, Settings, change_setting
from holloway.embeddings import builtin_model
from holloway.embeddings.builtin_model import BuiltinEmbedder
from holloway.embeddings.provider_choice import choose_embedder
from holloway.embeddings.remote_providers import RemoteEmbedder
from holloway.errors import HollowayError, InvalidInput

KEYS = {"OPENAI_API_KEY": "sk-1", "OLLAMA_HOST": "http://127.0.0.1:11434", "MY_KEY": "sk-mine"}


@pytest.fixture(autouse=True)
def nobody_is_contacted(monkeypatch: pytest.MonkeyPatch) -> None:
    for entry in SETTINGS.values():
        monkeypatch.delenv(entry.environment_variable, raising=False)

    def refused(*arguments: object) -> None:
        raise AssertionError("something was contacted")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)


def chosen(**settings: object) -> Settings:
    return Settings({"embedding": settings})


def test_without_a_choice_the_model_in_the_package_embeds_whatever_keys_lie_about() -> None:
    choice = choose_embedder(Settings({}), KEYS)
    assert isinstance(choice.embedder, BuiltinEmbedder)
    assert choice.reason == ""


def test_off_is_off_and_says_so() -> None:
    choice = choose_embedder(chosen(provider="off"), KEYS)
    assert choice.embedder is None
    assert "off" in choice.reason


def test_a_chosen_server_is_taken_with_the_model_and_size_that_were_chosen() -> None:
    choice = choose_embedder(chosen(provider="ollama", model="own", dims=64, base_url="http://gpu:11434"), KEYS)
    assert isinstance(choice.embedder, RemoteEmbedder)
    assert (choice.embedder.model, choice.embedder.dims) == ("ollama:own@64", 64)


def test_the_same_settings_give_the_same_model_whether_the_server_runs_or_not() -> None:
    first, second = (choose_embedder(chosen(provider="ollama"), {}).embedder for _ in range(2))
    assert first is not None
    assert second is not None
    assert first.model == second.model


def test_a_key_is_taken_only_from_the_variable_that_was_named() -> None:
    assert "needs a key" in choose_embedder(chosen(provider="openai"), KEYS).reason
    named = choose_embedder(chosen(provider="openai", key_env="MY_KEY"), KEYS).embedder
    assert isinstance(named, RemoteEmbedder)
    assert named._key == "sk-mine"
    own = choose_embedder(chosen(provider="openai", base_url="http://127.0.0.1:8000/v1"), KEYS).embedder
    assert isinstance(own, RemoteEmbedder)
    assert own._key == ""


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"key_env": "NOT_SET"}, "NOT_SET"),
        ({"key_env": "BROKEN"}, "contains invalid characters"),
        ({"base_url": "ftp://files", "key_env": "MY_KEY"}, "ftp://files"),
        ({"base_url": "file:///etc/passwd"}, "not an address"),
        ({"base_url": "just words"}, "just words"),
        ({"base_url": "http://"}, "http://"),
        ({"base_url": "http://[::1"}, "not an address"),
        ({"base_url": "http://host:99999"}, "not an address"),
        ({"base_url": "http://host:0"}, "not an address"),
        ({"base_url": "http://host/?a=b"}, "a=b"),
    ],
)
def test_what_cannot_work_is_told_as_the_reason(settings: dict[str, str], reason: str) -> None:
    choice = choose_embedder(chosen(provider="openai", **settings), {**KEYS, "BROKEN": "sk-1\r\nX: y"})
    assert choice.embedder is None
    assert reason in choice.reason


def test_an_address_needs_no_port() -> None:
    choice = choose_embedder(chosen(provider="ollama", base_url="https://host"), KEYS)
    assert isinstance(choice.embedder, RemoteEmbedder)


def test_a_password_in_an_address_is_not_repeated() -> None:
    choice = choose_embedder(chosen(provider="ollama", base_url="http://me:hunter2@host"), KEYS)
    assert choice.embedder is None
    assert "hunter2" not in choice.reason


def test_missing_packages_are_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtin_model, "find_spec", lambda name: None)
    choice = choose_embedder(Settings({}), {})
    assert choice.embedder is None
    assert "numpy, onnxruntime, tokenizers cannot be imported" in choice.reason
    assert extras.install_command() in choice.reason


def test_settings_with_a_dot_are_written_into_their_table_and_read_back(home: Path) -> None:
    change_setting("trust_level", "2")
    change_setting("embedding.provider", "ollama")
    change_setting("embedding.dims", "512", project="shop")
    change_setting("embedding.model", "own:1b", project="shop")
    text = (home / "config.toml").read_text("utf-8")
    assert '[embedding]\nprovider = "ollama"' in text
    settings = Settings.load_settings("shop")
    assert settings.resolve_value("embedding.provider") == ("ollama", "config.toml")
    assert settings.resolve_value("embedding.dims") == (512, "project")
    assert settings.get_text("embedding.model") == "own:1b"
    assert Settings.load_settings("other").resolve_value("embedding.dims") == (0, "default")
    assert settings.unknown_keys() == []


def test_the_environment_goes_before_the_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change_setting("embedding.provider", "ollama")
    monkeypatch.setenv("HOLLOWAY_EMBEDDING_PROVIDER", "off")
    assert Settings.load_settings().resolve_value("embedding.provider") == ("off", "HOLLOWAY_EMBEDDING_PROVIDER")


def test_mistyped_keys_of_a_table_are_named(home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text('[embedding]\nprovder = "ollama"\n[projects.shop.embedding]\nkey = "x"\n')
    assert Settings.load_settings("shop").unknown_keys() == ["embedding.key", "embedding.provder"]
    with pytest.raises(InvalidInput) as caught:
        change_setting("embedding.provder", "ollama")
    assert caught.value.hint == "Did you mean embedding.provider?"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("embedding.dims", "-1"),
        ("embedding.dims", "99999"),
        ("embedding.dims", "many"),
        ("embedding.dims", "٣"),
        ("embedding.provider", "cohere"),
        ("embedding.model", "x" * 1_000),
        ("embedding.model", "two\nlines"),
        ("embedding.key_env", "sk-0123-secret"),
    ],
)
def test_a_wrong_value_is_refused_and_a_key_in_the_wrong_place_not_repeated(home: Path, key: str, value: str) -> None:
    with pytest.raises(InvalidInput, match=key) as caught:
        change_setting(key, value)
    assert "secret" not in caught.value.message + caught.value.hint
    assert not (home / "config.toml").exists()


@pytest.mark.parametrize("text", ["[embedding]\nprovider = 7\n", '[embedding]\nprovider = ["ollama"]\n'])
def test_a_value_of_another_kind_in_the_file_is_named(home: Path, text: str) -> None:
    home.mkdir()
    (home / "config.toml").write_text(text)
    with pytest.raises(InvalidInput, match=r"embedding\.provider.*config\.toml"):
        choose_embedder(Settings.load_settings(), {})


def test_a_value_where_the_table_belongs_is_left_alone(home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("embedding = 7\n")
    with pytest.raises(HollowayError, match=r"`embedding` .* is not a table"):
        change_setting("embedding.dims", "7")
    assert (home / "config.toml").read_text() == "embedding = 7\n"
    assert Settings.load_settings().unknown_keys() == ["embedding"]
