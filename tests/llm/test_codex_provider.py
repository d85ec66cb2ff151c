from pathlib import Path

import pytest

from holloway.llm import codex_provider
from holloway.llm.codex_provider import CodexProviderUnreadable


@pytest.fixture(autouse=True)
def codex_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    return tmp_path


def test_codex_goes_where_the_users_configuration_sends_it(codex_home: Path) -> None:
    assert codex_provider.read_provider_settings() == {}
    (codex_home / "config.toml").write_text(
        'model = "m"\nmodel_provider = "other"\nprofile = "work"\nnotify = ["x"]\n'
        '[profiles.work]\nmodel_provider = "mine"\n'
        '[model_providers.mine]\nbase_url = "https://models.example/v1"\nenv_key = "MY_KEY"\n'
        '[model_providers.mine.query_params]\nversion = "3"\n'
        '[mcp_servers.x]\ncommand = "x"\n'
    )
    assert codex_provider.read_provider_settings() == {
        "model": "m",
        "model_provider": "mine",
        "model_providers.mine.base_url": "https://models.example/v1",
        "model_providers.mine.env_key": "MY_KEY",
        "model_providers.mine.query_params.version": "3",
    }


def test_the_configuration_is_looked_for_in_the_home_folder_without_a_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text('model = "m"\n')
    assert codex_provider.read_provider_settings() == {"model": "m"}


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("model = 3\nnotify = []\n", {}),
        ('model = "m"\nprofile = "none"\nprofiles = 3\n', {"model": "m"}),
        ('model_provider = "mine"\nmodel_providers = "x"\n', {"model_provider": "mine"}),
        ('[model_providers.other]\nexperimental_bearer_token = "k"\n', {}),
    ],
)
def test_a_setting_of_another_shape_or_of_another_provider_is_left_out(
    text: str, settings: dict[str, object], codex_home: Path
) -> None:
    (codex_home / "config.toml").write_text(text)
    assert codex_provider.read_provider_settings() == settings


@pytest.mark.parametrize("data", [b"model = ", b"\xff\xfe", b"a = " + b"[" * 5_000])
def test_a_configuration_that_cannot_be_read_is_named(data: bytes, codex_home: Path) -> None:
    (codex_home / "config.toml").write_bytes(data)
    with pytest.raises(CodexProviderUnreadable, match=r"config\.toml cannot be read"):
        codex_provider.read_provider_settings()


def test_settings_of_a_provider_that_are_not_passed_on_are_named(codex_home: Path) -> None:
    text = 'model_provider = "mine"\n[model_providers.mine]\nname = "n"\nhttp_headers = { X = "k" }\nauth = "a"\n'
    (codex_home / "config.toml").write_text(text)
    with pytest.raises(CodexProviderUnreadable, match=r"`model_providers\.mine` in .* has auth, http_headers$"):
        codex_provider.read_provider_settings()
