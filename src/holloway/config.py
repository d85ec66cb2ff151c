"""Where the data lives, every limit, and the settings that a user may change.

The hook process imports this module, so it loads nothing beyond `os` and `sys` until a setting is read.
"""

from __future__ import annotations

import os
import sys
from _thread import get_ident  # `threading` loads more than a hook needs

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
TEXT_CHARS_MAX = 500
IMPORT_BYTES_MAX = 64 * 1024 * 1024
IMPORT_ROWS_MAX = 200_000
RULE_FILE_BYTES_MAX = 256 * 1024
RULES_MAX = 1_000
AGENT_CONFIG_BYTES_MAX = 16 * 1024 * 1024
JSON_DEPTH_MAX = 100
MAP_FILES_MAX = 200_000
MAP_CODE_BYTES_MAX = 1024 * 1024
MAP_TEXT_BYTES_MAX = 512 * 1024

PASSAGE_CHARS_MAX = 4_000
PASSAGE_FILES_MAX = 8
EMBED_DIMS_MAX = 8_192
EMBED_ANSWER_BYTES_MAX = 8 * 1024 * 1024
EMBED_ERROR_CHARS_MAX = 300

HOOK_INPUT_BYTES_MAX = 4 * 1024 * 1024
FAILURE_CHARS_MAX = 20_000
"""So much of the end of what a failed command printed is searched for errors."""
JOURNAL_TEXT_CHARS_MAX = 4_000
JOURNAL_FILE_BYTES_MAX = 16 * 1024 * 1024
JOURNAL_KEEP_DAYS = 7
FAILURE_LOG_BYTES_MAX = 64 * 1024
STATUS_INPUT_BYTES_MAX = 256 * 1024

SCRATCHPAD_BYTES_MAX = 50 * 1024 * 1024
SCRATCHPAD_TEXT_CHARS_MAX = 4_000
SCRATCHPAD_RESULT_CHARS_MAX = 1_200
SCRATCHPAD_LINES_MAX = 60
SCRATCHPAD_FILES_MAX = 200
SCRATCHPAD_PLAN_ITEMS_MAX = 100
SCRATCHPAD_SUBTASKS_MAX = 1_000
RECORDS_PER_SESSION_MAX = 50

# Budgets of what an agent reads, and deadlines of the processes that bring it.

BRIEF_TOKENS_MAX = 1_200
BRIEF_DECISIONS_MAX = 8
BRIEF_TRAPS_MAX = 5
BRIEF_MODULES_MAX = 12
TOOL_RESULT_TOKENS_MAX = 300
TOOL_RESULT_MEMORIES_MAX = 4
PROMPT_TOKENS_MAX = 1_500
PROMPT_FILES_MAX = 10
PROMPT_COUPLED_MAX = 3
PROMPT_TESTS_MAX = 4
PROMPT_MEMORIES_MAX = 6
STEP_TOKENS_MAX = 500
STEP_TOKENS_PER_SESSION_MAX = 4_000
STEP_MEMORIES_MAX = 4
STEP_FILES_MAX = 20
STEP_SEARCHES_MAX = 3
STEPS_WITHOUT_WORD = 5
"""So many steps an agent is left to itself, but for dead ends: it still reads what it was given at the start."""
POINT_WAIT_MS = 50
"""How long an agent in this process may wait for a lock on the store before it goes on without a word from us."""
RESUME_TOKENS_MAX = 600
RESUME_COMMITS_MAX = 5
RELAY_TOKENS_MAX = 1_500
PREFETCH_FILES_MAX = 12
PREFETCH_TOKENS_MAX = 32_000
PREFETCH_FILE_TOKENS_MAX = 8_000
PREFETCH_CUT_TOKENS = 6_000
STEP_LIMIT_FACTOR_MAX = 2.0
STEP_LIMIT_MAX = 500
CALIBRATION_SAMPLES_MIN = 3

HOOK_BUDGETS_MS = {
    "unknown": (8_000, 700),
    "session_start": (8_000, 700),
    "prompt": (4_000, 700),
    "subagent": (4_000, 700),
    "tool_result": (400, 120),
    "step": (400, 120),
}
"""Wall and CPU time by point. Hosts allow tens of seconds and people feel two, so a start and a prompt may wait for a
busy machine; between tool calls the agent would feel it. Before the event is read, its point is unknown."""
HOOK_OTHER_BUDGET_MS = (1_000, 300)
"""For events that are only noted down, the end of a session among them."""
HOOK_STORE_WAIT_MS = 100
"""What a light look into the store may wait for a lock."""
SERVICE_STORE_WAIT_MS = 1_000
"""The same where a session starts or a prompt is answered."""
STATUS_LINE_DEADLINE_MS = 300
GIT_TIMEOUT_S = 10.0
GIT_ASIDE_S = 1.0
"""What git may take where its answer only helps and somebody waits."""

# The worker: what it may take, and when a session counts as over.

WORKER_SECONDS_MAX = 600
WORKER_AGAIN_AFTER_S = 900
"""The end of a turn starts a worker only if none has run for so long; the start and the end of a session always do."""
WORKER_LOG_BYTES_MAX = 64 * 1024
WORKER_NICENESS = 10
CHORE_ATTEMPTS_MAX = 3
CHORE_RESTS_HOURS = 24
"""A chore that failed so often in a row is left alone for so long."""
SESSION_SILENCE_S = 2 * 60 * 60
"""A session that says nothing for so long is over."""
LEARN_ATTEMPTS_MAX = 3
READS_KEPT_MAX = 20_000

# Embedding: how much at once, and how long a provider may take.

EMBED_BATCH_TEXTS = 32
EMBED_BATCH_TOKENS = 2_048
EMBED_TOKENS_MAX = 512
EMBED_THREADS_MAX = 4
EMBED_DEADLINE_S = 60.0
EMBED_QUERY_DEADLINE_S = 3.0
EMBED_REQUEST_TIMEOUT_S = 30.0
EMBED_ATTEMPTS_MAX = 4
EMBED_BACKOFF_S = 0.5
EMBED_BACKOFF_MAX_S = 20.0
RERANK_BATCH = 5
RERANK_TOKENS_MAX = 256
RERANK_DEADLINE_S = 1.0
MATRIX_TAIL_ROWS_MAX = 512
MATRIX_TAIL_SHARE_MAX = 0.125

# Language models: how much an answer may be, and how long it may take.

LLM_ANSWER_CHARS_MAX = 20_000
LLM_ANSWER_BYTES_MAX = 4 * 1024 * 1024
LLM_ERROR_CHARS_MAX = 300
LLM_MONTHLY_TOKENS_MAX = 1_000_000_000
ASK_ANSWER_TOKENS = 500
DESCRIBE_ANSWER_TOKENS = 1_500
DESCRIBE_DEADLINE_S = 120.0
ASK_DEADLINE_S = 60.0
WORDING_ANSWER_TOKENS = 1_500
WORDING_DEADLINE_S = 60.0
ASK_EVIDENCE_TOKENS = 1_500

# How long things are kept.

GRACE_DAYS = 30
PRUNE_AFTER_HALF_LIVES = 3
WORK_TOLD_DAYS = 30
"""Unfinished work is told of for so long, however fast it fades otherwise."""
BACKUPS_KEPT = 3
BACKUP_EVERY_HOURS = 24
VACUUM_ABOVE_WASTE_BYTES = 100 * 1024 * 1024
WAL_TRUNCATE_WAIT_MS = 5_000
ID_CHARS_MIN = 6

INJECTION_THRESHOLDS = {1: 0.80, 2: 0.65, 3: 0.55, 4: 0.45}
"""Least confidence that is injected, by trust level (1 cautious to 4 autonomous)."""
TRUST_NAMES = {1: "cautious", 2: "standard", 3: "confident", 4: "autonomous"}
TRUST_EARNED = "auto"
"""The setting that leaves the trust level to what happens: cautious first, then standard, never more."""


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
    """One key of `config.toml`: its default, the values it takes and what it means.

    A key with a dot lies in a table of that name. Without choices it takes text of up to `most` characters on one
    line, or where the default is a number, a whole number up to `most`.
    """

    __slots__ = ("choices", "default", "key", "meaning", "most")

    def __init__(
        self, key: str, default: str | int, choices: tuple[str | int, ...], meaning: str, most: int = TEXT_CHARS_MAX
    ) -> None:
        self.key = key
        self.default = default
        self.choices = choices
        self.meaning = meaning
        self.most = most

    @property
    def variable(self) -> str:
        """The environment variable that overrides it."""
        return "HOLLOWAY_" + self.key.upper().replace(".", "_")

    @property
    def allowed(self) -> str:
        """The values it takes, in words."""
        if self.choices:
            return ", ".join(str(choice) for choice in self.choices)
        if isinstance(self.default, int):
            return f"0 to {self.most}"
        return "a name" if self.key.endswith("_env") else "text"

    def parse(self, value: object, where: str) -> str | int:
        """The value as this setting holds it, or an error that names it."""
        for choice in self.choices:
            if value == choice or str(value).strip().lower() == str(choice):
                return choice
        if not self.choices and (free := self._free(value)) is not None:
            return free
        # Somebody may have given the key where its variable's name belongs; it is not repeated.
        shown = "that" if self.key.endswith("_env") else repr(value)
        place = f" ({where})" if where else ""
        takes = f"It takes {'one of: ' if self.choices else ''}{self.allowed}."
        raise InvalidInput(f"{self.key} cannot be {shown}{place}.", takes)

    def _free(self, value: object) -> str | int | None:
        """A value that is not one of a few: a number, the name of a variable, or text on one line."""
        text = str(value).strip()
        if isinstance(self.default, int):
            return (
                int(text) if text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= self.most else None
            )
        if not isinstance(value, str) or len(text) > self.most or not text.isprintable():
            return None
        return text if not self.key.endswith("_env") or not text or text.isidentifier() else None


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
            TRUST_EARNED,
            (TRUST_EARNED, *TRUST_NAMES),
            "How sure a memory must be before it is handed to an agent unasked: 1 cautious (0.80), 2 standard "
            "(0.65), 3 confident (0.55), 4 autonomous (0.45). `auto` begins at 1 and goes on to 2 once it has earned "
            "that; `holloway trust` tells how far it is.",
        ),
        Setting(
            "branch_scope",
            "branch",
            ("branch", "everywhere"),
            "Whether what is learned on an unmerged branch stays there until it is merged (`branch`) or is seen "
            "from every branch at once (`everywhere`).",
        ),
        Setting(
            "trusted_sources",
            "",
            (),
            "Where content may come from without making what quotes it wait for your review, separated by commas: "
            "names of MCP servers (`mcp:playwright`), sites (`web:docs.python.org`), folders outside of the project "
            "(`outside:/srv/specs`), `issues` where only your team writes issues and reviews.",
        ),
        Setting(
            "embedding.provider",
            "builtin",
            ("builtin", "ollama", "openai", "off"),
            "What turns text into vectors: the model inside holloway (`builtin`), an Ollama server, any service that "
            "speaks OpenAI's embeddings API (`openai`), or nothing (`off`: text search only). Nothing is sent "
            "to a server before you choose one here.",
        ),
        Setting(
            "embedding.model",
            "",
            (),
            "The model to ask an Ollama or OpenAI-compatible server for; empty for the provider's usual one.",
        ),
        Setting(
            "embedding.base_url",
            "",
            (),
            "Where that server answers, for example `http://127.0.0.1:11434`; empty for the provider's own address.",
        ),
        Setting(
            "embedding.key_env",
            "",
            (),
            "The name of the environment variable that holds the key for that server; empty where it needs none. The "
            "key itself is never written down.",
        ),
        Setting(
            "embedding.dims",
            0,
            (),
            "How many dimensions to ask that server for; 0 for 1024 where the model is known to be made for it, else "
            "for as many as it has.",
            most=EMBED_DIMS_MAX,
        ),
        Setting(
            "rerank.provider",
            "off",
            ("off", "late", "onnx"),
            "A closer look at the best twenty results of a question: none (`off`), token by token with the built-in "
            "model (`late`), or a cross-encoder of your own (`onnx`). After a second the order before it stands.",
        ),
        Setting("rerank.folder", "", (), "The folder of that cross-encoder: `model.onnx` and `tokenizer.json`."),
        Setting(
            "llm.provider",
            "off",
            ("off", "openai", "anthropic"),
            "A language model for `holloway ask`: none (`off`), any service that speaks OpenAI's chat API (`openai`; "
            "Ollama and other local servers too), or Anthropic. Nothing is sent before you choose one here.",
        ),
        Setting("llm.model", "", (), "The model to ask for; empty for a small one of the provider."),
        Setting("llm.base_url", "", (), "Where the service answers; empty for the provider's own address."),
        Setting(
            "llm.key_env",
            "",
            (),
            "The name of the environment variable that holds the key; empty where the service needs none. The key "
            "itself is never written down.",
        ),
        Setting(
            "llm.monthly_tokens",
            500_000,
            (),
            "Tokens that language models may take in a month, in this project; at the cap everything goes on without.",
            most=LLM_MONTHLY_TOKENS_MAX,
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
        except OSError as error:
            raise HollowayError(f"{path} cannot be read: {error.strerror}.", "Check its permissions.") from error
        except (ValueError, RecursionError) as error:
            raise HollowayError(f"{path} is not valid TOML: {error}", "Mend that line; nothing was changed.") from None
        return cls(data, project, path)

    def get(self, key: str) -> str | int:
        """The value in force."""
        return self.resolve(key)[0]

    def text(self, key: str) -> str:
        """The value in force, as text."""
        return str(self.get(key))

    def words(self, key: str) -> list[str]:
        """The value in force, as words that commas separate."""
        return [word.strip() for word in self.text(key).split(",") if word.strip()]

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
        if isinstance(table, dict) and (value := _flat(table).get(key)) is not None:
            return entry.parse(value, self._path), "project"
        if (value := _flat(self._data).get(key)) is not None:
            return entry.parse(value, self._path), "config.toml"
        return entry.default, "default"

    def unknown(self) -> list[str]:
        """Keys in the file that mean nothing, for `doctor`."""
        projects = self._data.get("projects")
        tables = projects.values() if isinstance(projects, dict) else ()
        keys = [key for key in _flat(self._data) if key != "projects" and not key.startswith("projects.")]
        keys += [key for table in tables if isinstance(table, dict) for key in _flat(table)]
        return sorted({key for key in keys if key not in SETTINGS})


def _flat(table: Mapping[str, object]) -> dict[str, object]:
    """A table with the keys of the tables inside it written with a dot."""
    found: dict[str, object] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            found |= {f"{key}.{inner}": each for inner, each in value.items()}
        else:
            found[key] = value
    return found


def change_setting(key: str, value: str, project: str = "", folder: str = "") -> str | int:
    """Write one setting into `config.toml`, keeping the user's comments and order; return the stored value."""
    import tomlkit  # a writer that keeps comments; only this function needs it

    parsed = setting(key).parse(value, "")
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
    group, _, name = key.rpartition(".")
    if group:
        table = table.setdefault(group, tomlkit.table())
        if not isinstance(table, dict):
            raise HollowayError(f"`{group}` in {path} is not a table.", "Mend it; nothing was changed.")
    table[name] = parsed
    replace_file(path, tomlkit.dumps(document).encode())
    return parsed


def replace_file(path: str, data: bytes) -> None:
    """Write a file so that a reader sees the old bytes or the new ones, never a part."""
    partial = f"{path}.{os.getpid()}.{get_ident()}.new"
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
