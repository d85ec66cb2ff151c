from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from holloway import config
from holloway.config import SETTINGS, Settings, change_setting
from holloway.errors import HollowayError, InvalidInput


@pytest.mark.promise("settings")
def test_settings_fall_back_from_environment_to_project_to_general_to_default(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Settings.load_settings("shop").resolve_value("trust_level") == ("auto", "default")
    change_setting("trust_level", "2")
    assert Settings.load_settings("shop").resolve_value("trust_level") == (2, "config.toml")
    change_setting("trust_level", "3", project="shop")
    assert Settings.load_settings("shop").resolve_value("trust_level") == (3, "project")
    assert Settings.load_settings("other").resolve_value("trust_level") == (2, "config.toml")
    monkeypatch.setenv("HOLLOWAY_TRUST_LEVEL", "4")
    assert Settings.load_settings("shop").resolve_value("trust_level") == (4, "HOLLOWAY_TRUST_LEVEL")


@pytest.mark.promise("settings")
def test_a_persons_comments_and_order_stay(home: Path) -> None:
    home.mkdir()
    path = home / "config.toml"
    path.write_text('# mine\ntrust_level = 2 # because\n\n[projects."a.b"]\nsynchronous = "full"\n')
    change_setting("synchronous", "full")
    change_setting("trust_level", "3", project="a.b")
    text = path.read_text()
    assert "# mine\ntrust_level = 2 # because\n" in text
    assert Settings.load_settings("a.b").get_value("trust_level") == 3
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(("key", "value"), [("trust_level", "9"), ("synchronous", "maybe"), ("trust_level", "")])
def test_a_wrong_value_is_named_with_what_is_allowed(home: Path, key: str, value: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        change_setting(key, value)
    assert repr(value) in caught.value.message
    assert str(SETTINGS[key].choices[0]) in caught.value.hint
    assert not (home / "config.toml").exists()


@pytest.mark.promise("settings")
def test_a_mistyped_key_is_answered_with_the_closest(home: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        change_setting("trust_levle", "2")
    assert caught.value.hint == "Did you mean trust_level?"


def test_a_wrong_value_in_the_file_or_environment_names_its_place(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.mkdir()
    (home / "config.toml").write_text('synchronous = "sometimes"')
    with pytest.raises(InvalidInput, match=r"config\.toml"):
        Settings.load_settings().get_value("synchronous")
    monkeypatch.setenv("HOLLOWAY_SYNCHRONOUS", "never")
    with pytest.raises(InvalidInput, match="HOLLOWAY_SYNCHRONOUS"):
        Settings.load_settings().get_value("synchronous")


@pytest.mark.promise("durability")
def test_durability_reaches_the_database(memory: object, home: Path, repository: object) -> None:
    import holloway
    from tests.conftest import Repository

    assert isinstance(repository, Repository)
    change_setting("synchronous", "full")
    with holloway.open(repository.root) as opened:
        assert opened.store.database.fetch_value("PRAGMA synchronous") == 2
    change_setting("synchronous", "normal")
    with holloway.open(repository.root) as opened:
        assert opened.store.database.fetch_value("PRAGMA synchronous") == 1


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_DATA_HOME": "/x/data"}, "/x/data/holloway"),
        ("linux", {"HOME": "/home/ada"}, "/home/ada/.local/share/holloway"),
        ("darwin", {"HOME": "/Users/ada"}, "/Users/ada/Library/Application Support/holloway"),
        ("win32", {"LOCALAPPDATA": "/c/local"}, "/c/local/holloway"),
        ("linux", {"HOLLOWAY_HOME": "/chosen"}, "/chosen"),
    ],
)
def test_the_data_folder_is_where_the_platform_keeps_such_things(
    monkeypatch: pytest.MonkeyPatch, platform: str, variables: dict[str, str], expected: str
) -> None:
    for name in ("HOLLOWAY_HOME", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", platform)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert config.data_home() == expected


@pytest.mark.parametrize(("value", "expected"), [("5", 5.0), ("nonsense", 1.0), ("-3", 0.1), ("1e9", 100.0)])
def test_patience_is_bounded(monkeypatch: pytest.MonkeyPatch, value: str, expected: float) -> None:
    monkeypatch.setenv("HOLLOWAY_PATIENCE", value)
    assert config.deadline_factor() == expected


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fails(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fails)
    with pytest.raises(HollowayError, match="No space left"):
        config.replace_file(str(path), b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_settings_that_cannot_be_read_are_an_error_that_names_the_file(home: Path) -> None:
    (home / "config.toml").mkdir(parents=True)
    with pytest.raises(HollowayError, match=r"config\.toml cannot be read"):
        Settings.load_settings()


def test_threads_that_write_one_file_leave_one_of_their_texts_whole(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    texts = [bytes([65 + number]) * 200_000 for number in range(4)]

    def write(text: bytes) -> None:
        for _ in range(25):
            config.replace_file(str(file), text)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, texts))
    assert file.read_bytes() in texts
    assert list(tmp_path.iterdir()) == [file]


def test_a_setting_is_not_written_into_something_that_is_no_table(home: Path) -> None:
    home.mkdir(exist_ok=True)
    file = home / "config.toml"
    for text, project, name in (("projects = 3\n", "shop", "projects"), ("llm = 3\n", "", "llm")):
        file.write_text(text)
        with pytest.raises(HollowayError, match=f"`{name}` in .* is not a table|{name}"):
            config.change_setting("llm.provider", "off", project)
        assert file.read_text() == text


def test_a_setting_of_a_group_is_written_into_its_table(home: Path) -> None:
    config.change_setting("embedding.provider", "off")
    config.change_setting("synchronous", "full", "shop")
    text = (home / "config.toml").read_text()
    assert "[embedding]" in text
    assert Settings.load_settings().get_text("embedding.provider") == "off"
    assert Settings.load_settings("shop").get_text("synchronous") == "full"
    assert Settings.load_settings().get_text("synchronous") == "normal"


@pytest.mark.parametrize(("value", "level"), [("1", 1), ("4", 4), ("0", 0), ("5", 0), ("two", 0), ("", 0)])
def test_the_environment_may_choose_a_trust_level(monkeypatch: pytest.MonkeyPatch, value: str, level: int) -> None:
    monkeypatch.setenv("HOLLOWAY_TRUST_LEVEL", value)
    assert config.trust_override() == level
