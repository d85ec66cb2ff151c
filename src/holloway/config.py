"""Where the data lives, every limit, and the settings that a user may change.

The hook process imports this module, so it loads nothing beyond `os` and `sys` until a setting is read.
"""

from __future__ import annotations

import os
import sys

from holloway.errors import HollowayError, InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Limits on what comes from outside.

CONTENT_BYTES_MAX = 2_048
SUMMARY_CHARS_MAX = 160
DETAIL_CHARS_MAX = 1_000
DETAIL_ITEMS_MAX = 40
TAG_CHARS_MAX = 64
TAGS_MAX = 32
FILES_MAX = 64
MODULES_MAX = 16
PATH_CHARS_MAX = 1_024
REASON_CHARS_MAX = 500
QUERY_CHARS_MAX = 4_096
QUERY_TERMS_MAX = 32
RESULTS_MAX = 200
IMPORT_BYTES_MAX = 64 * 1024 * 1024
IMPORT_ROWS_MAX = 200_000
RULE_FILE_BYTES_MAX = 256 * 1024
MAP_FILES_MAX = 200_000
MAP_CODE_BYTES_MAX = 1024 * 1024
MAP_TEXT_BYTES_MAX = 512 * 1024

HOOK_INPUT_BYTES_MAX = 4 * 1024 * 1024
JOURNAL_TEXT_CHARS_MAX = 4_000
JOURNAL_FILE_BYTES_MAX = 16 * 1024 * 1024
JOURNAL_KEEP_DAYS = 7
FAILURE_LOG_BYTES_MAX = 64 * 1024

# Budgets of what an agent reads, and deadlines of the processes that bring it.

BRIEF_TOKENS_MAX = 1_200
BRIEF_DECISIONS_MAX = 8
BRIEF_TRAPS_MAX = 5
BRIEF_MODULES_MAX = 12
TOOL_RESULT_TOKENS_MAX = 300
TOOL_RESULT_MEMORIES_MAX = 4

HOOK_TOOL_DEADLINE_MS = 150
HOOK_START_DEADLINE_MS = 1_000
GIT_TIMEOUT_S = 10.0

# How long things are kept.

GRACE_DAYS = 30
PRUNE_AFTER_HALF_LIVES = 3
BACKUPS_KEPT = 3
BACKUP_EVERY_HOURS = 24
VACUUM_ABOVE_WASTE_BYTES = 100 * 1024 * 1024
WAL_TRUNCATE_WAIT_MS = 5_000
ID_CHARS_MIN = 6

INJECTION_THRESHOLDS = {1: 0.80, 2: 0.65, 3: 0.55, 4: 0.45}
"""Least confidence that is injected, by trust level (1 cautious to 4 autonomous)."""


def home() -> str:
    """The user's data folder of holloway; `HOLLOWAY_HOME` overrides the platform's place for it."""
    if chosen := os.environ.get("HOLLOWAY_HOME"):
        return os.path.abspath(os.path.expanduser(chosen))
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    else:
        base = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(base, "holloway")


def patience() -> float:
    """How many times its usual deadline a hook may take: `HOLLOWAY_PATIENCE`, for machines that are slow."""
    try:
        return min(max(float(os.environ.get("HOLLOWAY_PATIENCE", "1")), 0.1), 100.0)
    except ValueError:
        return 1.0


def trust_override() -> int:
    """The trust level that the environment asks for, 0 where it does not; a hook has no time for a parser."""
    value = os.environ.get("HOLLOWAY_TRUST_LEVEL", "")
    return int(value) if value in ("1", "2", "3", "4") else 0


class Setting:
    """One key of `config.toml`: its default, the values it takes and what it means."""

    __slots__ = ("choices", "default", "key", "meaning")

    def __init__(self, key: str, default: str | int, choices: tuple[str | int, ...], meaning: str) -> None:
        self.key = key
        self.default = default
        self.choices = choices
        self.meaning = meaning

    @property
    def variable(self) -> str:
        """The environment variable that overrides it."""
        return "HOLLOWAY_" + self.key.upper()

    def parse(self, value: object, where: str) -> str | int:
        """The value as this setting holds it, or an error that names it."""
        for choice in self.choices:
            if value == choice or str(value).strip().lower() == str(choice):
                return choice
        allowed = ", ".join(str(choice) for choice in self.choices)
        raise InvalidInput(f"{self.key} cannot be {value!r} ({where}).", f"It takes one of: {allowed}.")


SETTINGS = {
    setting.key: setting
    for setting in (
        Setting(
            "synchronous",
            "normal",
            ("normal", "full"),
            "How hard a commit is pushed to the disk: `normal` survives the death of any process, `full` also a "
            "power cut.",
        ),
        Setting(
            "trust_level",
            1,
            (1, 2, 3, 4),
            "How sure a memory must be before it is handed to an agent unasked: 1 cautious (0.80), 2 standard "
            "(0.65), 3 confident (0.55), 4 autonomous (0.45).",
        ),
        Setting(
            "branch_scope",
            "branch",
            ("branch", "everywhere"),
            "Whether what is learned on an unmerged branch stays there until it is merged (`branch`) or is seen "
            "from every branch at once (`everywhere`).",
        ),
    )
}


def setting(key: str) -> Setting:
    """The setting of that name; an unknown one is an error that names the closest known key."""
    if key in SETTINGS:
        return SETTINGS[key]
    from difflib import get_close_matches  # only on the error path

    close = get_close_matches(key, SETTINGS, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"Known keys: {', '.join(SETTINGS)}."
    raise InvalidInput(f"There is no setting {key!r}.", hint)


class Settings:
    """What is in force for one project: environment over project table over general table over default."""

    def __init__(self, data: Mapping[str, object], project: str = "", path: str = "") -> None:
        self._data = data
        self._project = project
        self._path = path

    @classmethod
    def load(cls, project: str = "", folder: str = "") -> Settings:
        """Read `config.toml`; a missing file means defaults, a broken one is an error."""
        import tomllib  # not in the hook path: a hook reads no settings

        path = os.path.join(folder or home(), "config.toml")
        try:
            with open(path, "rb") as file:
                data = tomllib.load(file)
        except FileNotFoundError:
            data = {}
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise HollowayError(f"{path} is not valid TOML: {error}", "Mend that line; nothing was changed.") from None
        return cls(data, project, path)

    def get(self, key: str) -> str | int:
        """The value in force."""
        return self.resolve(key)[0]

    def text(self, key: str) -> str:
        """The value in force, as text."""
        return str(self.get(key))

    def number(self, key: str) -> int:
        """The value in force, as a number."""
        return int(self.get(key))

    def stored(self, key: str) -> str:
        """The value that the file gives, whatever the environment of this process says."""
        return str(self._filed(key)[0])

    def resolve(self, key: str) -> tuple[str | int, str]:
        """The value in force and where it comes from."""
        entry = setting(key)
        if (value := os.environ.get(entry.variable)) is not None:
            return entry.parse(value, entry.variable), entry.variable
        return self._filed(key)

    def _filed(self, key: str) -> tuple[str | int, str]:
        entry = setting(key)
        projects = self._data.get("projects")
        table = projects.get(self._project) if isinstance(projects, dict) else None
        if isinstance(table, dict) and key in table:
            return entry.parse(table[key], self._path), "project"
        if key in self._data:
            return entry.parse(self._data[key], self._path), "config.toml"
        return entry.default, "default"

    def unknown(self) -> list[str]:
        """Keys in the file that mean nothing, for `doctor`."""
        projects = self._data.get("projects")
        tables = projects.values() if isinstance(projects, dict) else ()
        keys = [key for key in self._data if key != "projects"]
        keys += [key for table in tables if isinstance(table, dict) for key in table]
        return sorted({key for key in keys if key not in SETTINGS})


def change_setting(key: str, value: str, project: str = "", folder: str = "") -> str | int:
    """Write one setting into `config.toml`, keeping the user's comments and order; return the stored value."""
    import tomlkit  # a writer that keeps comments; only this function needs it

    parsed = setting(key).parse(value, "given")
    Settings.load(folder=folder)
    target = folder or home()
    os.makedirs(target, mode=0o700, exist_ok=True)
    path = os.path.join(target, "config.toml")
    document = tomlkit.document()
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            document = tomlkit.parse(file.read())
    table = document
    if project:
        projects = document.setdefault("projects", tomlkit.table(is_super_table=True))
        if not isinstance(projects, dict):
            raise HollowayError(f"`projects` in {path} is not a table.", "Mend it; nothing was changed.")
        table = projects.setdefault(project, tomlkit.table())
    table[key] = parsed
    replace_file(path, tomlkit.dumps(document).encode())
    return parsed


def replace_file(path: str, data: bytes) -> None:
    """Write a file so that a reader sees the old bytes or the new ones, never a part."""
    partial = f"{path}.{os.getpid()}.new"
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:
        try:  # noqa: SIM105  (contextlib is not loaded in a hook)
            os.unlink(partial)
        except OSError:
            pass
        raise HollowayError(f"Cannot write {path}: {error.strerror}.", "Nothing was changed.") from error
