"""Settings and their defaults, read from the user's configuration file; the data folder, limits, budgets and timeouts.

The hook process imports this module, so it imports only `os` and `sys` until a setting is read.
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
SUMMARY_CHARS_MAX = 320
DETAIL_CHARS_MAX = 1_000
DETAIL_ITEMS_MAX = 40
TAG_CHARS_MAX = 64
KEY_NAME_CHARS_MAX = 512
"""Longest name of a value that a program stores: its namespace and its key."""
MEMORY_TAGS_MAX = 32
MEMORY_FILES_MAX = 64
MEMORY_MODULES_MAX = 16
PATH_CHARS_MAX = 1_024
REASON_CHARS_MAX = 500
QUERY_CHARS_MAX = 4_096
QUERY_TERMS_MAX = 32
SEARCH_RESULTS_MAX = 200
SHORT_TEXT_CHARS_MAX = 500
PAGE_ROWS_MAX = 10_000
"""Rows of one page of a list."""
BULK_MEMORIES_MAX = 10_000
"""Memories that one action may change."""
IMPORT_BYTES_MAX = 64 * 1024 * 1024
IMPORT_ROWS_MAX = 200_000
RULE_FILE_BYTES_MAX = 256 * 1024
IMPORTED_RULES_MAX = 1_000
AGENT_CONFIG_BYTES_MAX = 16 * 1024 * 1024
JSON_DEPTH_MAX = 100
MAP_FILES_MAX = 200_000
LARGE_MAP_FILES = 50_000
"""Files from which a person is told that answers of the map may be slow."""
MAP_CODE_BYTES_MAX = 1024 * 1024
MAP_TEXT_BYTES_MAX = 512 * 1024
GRAPH_DEPTH_MAX = 6
"""Steps from a file or symbol that a question about its dependencies may follow."""
TASK_CHARS_MAX = 4_000
"""Characters of a session's task that are stored and compared with the next task."""

EXCLUSION_CHARS_MAX = 4_000
"""Characters of a setting with exclusion rules."""
PROOF_PERCENT_MAX = 50
"""Percentage of sessions in one of the smaller groups while the effect of memory is measured."""
PASSAGE_CHARS_MAX = 4_000
PASSAGE_FILES_MAX = 8
EMBED_DIMS_MAX = 8_192
EMBED_ANSWER_BYTES_MAX = 8 * 1024 * 1024
EMBED_ERROR_CHARS_MAX = 300

HOOK_INPUT_BYTES_MAX = 4 * 1024 * 1024
FAILURE_CHARS_MAX = 20_000
"""Characters at the end of a failed command's output that are searched for errors."""
CALL_ID_CHARS_MAX = 200
"""Length of the id that a host gives to a tool call."""
TIMELINE_ENTRIES_MAX = 5_000
TIMELINE_TEXT_CHARS_MAX = 4_000
TIMELINE_RESULT_CHARS_MAX = 2_000
TIMELINE_TRANSCRIPT_BYTES_MAX = 64 * 1024 * 1024
"""Limits of a session's timeline: its entries, the characters of a text and of a tool's result, and the size of a
transcript that is read for it."""
JOURNAL_TEXT_CHARS_MAX = 4_000
JOURNAL_FILE_BYTES_MAX = 16 * 1024 * 1024
JOURNAL_KEEP_DAYS = 7
TOLD_TEXT_CHARS_MAX = 20_000
TOLD_LOG_BYTES_MAX = 4 * 1024 * 1024
TOLD_KEEP_DAYS = 30
TOLD_ROWS_MAX = 20_000
"""Limits of the texts that agents were told: their length, the log before they are stored, their age and number."""
FOREIGN_DIGESTS_MAX = 20_000
"""Digests of foreign text that a project keeps; the oldest are deleted first."""
FOREIGN_DIGEST_KEEP_DAYS = 90
FAILURE_LOG_BYTES_MAX = 64 * 1024
STATUS_INPUT_BYTES_MAX = 256 * 1024

SCRATCHPAD_BYTES_MAX = 50 * 1024 * 1024
SCRATCHPAD_TEXT_CHARS_MAX = 16_000
SCRATCHPAD_RESULT_CHARS_MAX = 1_200
SCRATCHPAD_LINES_MAX = 60
SCRATCHPAD_FILES_MAX = 200
SCRATCHPAD_PLAN_ITEMS_MAX = 100
SCRATCHPAD_SUBTASKS_MAX = 1_000
LESSON_CHARS_MAX = 320
"""Limit of a passage of prose: a lesson is told whole up to this length."""
HARVEST_COMMITS_MAX = 5_000
HARVEST_MEMORIES_MAX = 300
"""Limits of a harvest of the git history: commits read, and memories of them that a project keeps."""
HISTORY_BODY_CHARS_MAX = 4_000
HOST_NOTES_MAX = 100
HOST_NOTE_CHARS_MAX = 600
"""Limits of notes imported from agents' hosts: their number, and the length of one."""
PASSAGES_MAX = 3_000
"""Limit of passages read in one session."""
RECORDS_PER_SESSION_MAX = 50
RECORD_DETAILS_CHARS_MAX = 8_000

# Sharing: limits of what comes from other people's machines, and of what is sent.

OPERATION_BYTES_MAX = 64 * 1024
OPERATION_ITEMS_MAX = 256
SEGMENT_BYTES_MAX = 1024 * 1024
SEGMENTS_MAX = 64
"""Segments of a replica from which on it compacts them."""
FOREIGN_SEGMENTS_MAX = 1_024
REPLICAS_MAX = 5_000
REPLICA_OPERATIONS_MAX = 500_000
"""Limits of what is read of a remote: segments and operations of one replica, and replicas."""
FETCH_BYTES_MAX = 256 * 1024 * 1024
"""Limit of what one fetch may download."""
SHARING_BYTES_MAX = 1024 * 1024 * 1024
"""Limit of the repository of sharing: nothing is fetched into a larger one."""
SYNC_EVERY_S = 60
"""Shortest time between two exchanges with a remote in the background."""
TRANSFER_TIMEOUT_S = 120.0
SHARE_SNOOZE_DAYS = 30
AUTHOR_CHARS_MAX = 80
SYNC_LOCK_WAIT_S = 30
"""Longest wait of a foreground sync for the one in the background."""

# Token budgets of injected text, and deadlines of the processes that inject it.

BRIEF_TOKENS_MAX = 1_200
BRIEF_DECISIONS_MAX = 8
BRIEF_TRAPS_MAX = 5
BRIEF_MODULES_MAX = 12
TOOL_RESULT_TOKENS_MAX = 300
TOOL_RESULT_MEMORIES_MAX = 4
PROMPT_TOKENS_MAX = 350
PROMPT_FILES_MAX = 2
"""Files with a reason; the next ones are bare paths."""
PROMPT_BARE_FILES_MAX = 7
PROMPT_TESTS_MAX = 1
PROMPT_MEMORIES_MAX = 3
REASON_WORDS_MAX = 3
"""Words of a task that the reason for a file names."""
STEP_TOKENS_MAX = 500
STEP_TOKENS_PER_SESSION_MAX = 4_000
STEP_MEMORIES_MAX = 4
STEP_FILES_MAX = 20
STEP_SEARCHES_MAX = 3
STEPS_WITHOUT_WORD = 5
"""Steps at the start without injection, except dead ends: the agent still has the brief."""
POINT_WAIT_MS = 50
"""Longest wait of an in-process agent for a lock on the store; after that it goes on without injection."""
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
    "prompt": (8_000, 700),
    "subagent": (4_000, 700),
    "tool_result": (400, 120),
    "step": (400, 120),
}
"""Wall-clock and CPU budget per injection point. Hosts allow tens of seconds and people notice two, so a session start
and a prompt may wait for a busy machine; between tool calls a delay slows the agent down. Until the event is parsed,
its point is unknown."""
HOOK_OTHER_BUDGET_MS = (1_000, 300)
"""Budget of events that are only recorded, such as the end of a session."""
HOOK_STORE_WAIT_MS = 100
"""Longest wait of the hook's lookup for a lock on the store."""
SERVICE_STORE_WAIT_MS = 1_000
"""The same at a session start or a prompt."""
STATUS_LINE_DEADLINE_MS = 300
GIT_TIMEOUT_S = 10.0
GIT_ASIDE_S = 1.0
"""Git timeout where the result is optional and a user waits."""

# The worker: its budget, and when a session counts as ended.

WORKER_SECONDS_MAX = 600
WORKER_AGAIN_AFTER_S = 900
WORKER_START_S = 10
"""A request for the worker that is older was made by a process that died before a worker took it."""
"""Minimum interval between workers started by the end of a turn; a session's start and end always start one."""
WORKER_LOG_BYTES_MAX = 64 * 1024
WORKER_NICENESS = 10
JOB_ATTEMPTS_MAX = 3
JOB_RETRY_AFTER_HOURS = 24
"""Pause before a job is retried that failed JOB_ATTEMPTS_MAX times in a row."""
LOCK_WAIT_S = 120
"""Longest wait of a job for the lock that another process holds on the map or on a session's files."""
SESSION_SILENCE_S = 2 * 60 * 60
"""A session without an event for this long has ended."""
LEARN_ATTEMPTS_MAX = 3
READS_KEPT_MAX = 20_000

# Embedding: batch sizes and timeouts.

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
LOCATE_RERANK_DEADLINE_S = 0.5
MATRIX_TAIL_ROWS_MAX = 512
MATRIX_TAIL_SHARE_MAX = 0.125

# Language models: response sizes and timeouts.

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
READER_SESSION_TOKENS = 10_000
"""Tokens that reading a usual session takes, as told to a person before they choose a reader."""
READER_VARIABLE = "HOLLOWAY_READER"
"""Environment variable of an agent that runs as the reader: holloway's hooks neither observe nor answer it."""

# The reader: how much of a session it reads, and how long it may take.

STRETCH_TOKENS_MAX = 8_000
"""Tokens of a session view that are read in one call."""
STRETCHES_MAX = 9
"""Stretches of a session that are read, the richest."""
STRETCH_LESSONS_MAX = 5
SESSION_LESSONS_MAX = 30
READER_ANSWER_TOKENS = 2_500
READER_ANSWER_CHARS_MAX = 40_000
READER_DEADLINE_S = 180.0
READER_IDLE_S = 600
"""Time without an event of any agent in the project before the reader starts."""
READER_ATTEMPTS_MAX = 3

# Retention.

GRACE_DAYS = 30
PRUNE_AFTER_HALF_LIVES = 3
WORK_TOLD_DAYS = 30
"""Unfinished work is shown for this long, regardless of decay."""
BACKUPS_KEPT = 3
BACKUP_EVERY_HOURS = 24
VACUUM_ABOVE_WASTE_BYTES = 100 * 1024 * 1024
WAL_TRUNCATE_WAIT_MS = 5_000
ID_CHARS_MIN = 6

INJECTION_THRESHOLDS = {1: 0.80, 2: 0.65, 3: 0.55, 4: 0.45}
"""Confidence threshold for injection, by trust level (1 cautious to 4 autonomous)."""
UNUSED_HALF_LIVES_MAX = 1
"""Number of half-lives after its last use during which an inferred memory is still told unasked."""
READER_ORIGIN = "reader:"
"""Prefix of the origin of lessons that a reader proposed; a digest of the text follows."""
STANDING_RULE_CONFIDENCE = 0.90
"""Confidence of a rule that the person laid down for good: it is told at every trust level."""
TRUST_NAMES = {1: "cautious", 2: "standard", 3: "confident", 4: "autonomous"}
TRUST_EARNED = "auto"
"""Setting for an earned trust level: cautious first, then standard, never higher."""


def data_home() -> str:
    """Return the user's data folder; `HOLLOWAY_HOME` overrides the platform's default."""
    if chosen := os.environ.get("HOLLOWAY_HOME"):
        return os.path.abspath(os.path.expanduser(chosen))
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    else:
        base = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(base, "holloway")


def deadline_factor() -> float:
    """Return the factor for hook deadlines from `HOLLOWAY_PATIENCE`, for slow machines."""
    try:
        return min(max(float(os.environ.get("HOLLOWAY_PATIENCE", "1")), 0.1), 100.0)
    except ValueError:
        return 1.0


def trust_override() -> int:
    """Return the trust level from the environment, or 0; without the settings parser, which is slow for a hook."""
    value = os.environ.get("HOLLOWAY_TRUST_LEVEL", "")
    return int(value) if value in ("1", "2", "3", "4") else 0


class Setting:
    """One key of `config.toml`: its default, its allowed values and its meaning.

    A key with a dot belongs to the TOML table of that name. Without choices it takes a line of text of up to `maximum`
    characters, or if the default is a number, an integer up to `maximum`.
    """

    __slots__ = ("choices", "default", "key", "maximum", "meaning")

    def __init__(
        self,
        key: str,
        default: str | int,
        choices: tuple[str | int, ...],
        meaning: str,
        maximum: int = SHORT_TEXT_CHARS_MAX,
    ) -> None:
        self.key = key
        self.default = default
        self.choices = choices
        self.meaning = meaning
        self.maximum = maximum

    @property
    def environment_variable(self) -> str:
        """Return the environment variable that overrides it."""
        return "HOLLOWAY_" + self.key.upper().replace(".", "_")

    @property
    def allowed_values(self) -> str:
        """Return a description of the allowed values."""
        if self.choices:
            return ", ".join(str(choice) for choice in self.choices)
        if isinstance(self.default, int):
            return f"0 to {self.maximum}"
        return "a name" if self.key.endswith("_env") else "text"

    def parse_value(self, value: object, source: str) -> str | int:
        """Parse and validate a value. Raises InvalidInput that names it."""
        for choice in self.choices:
            if value == choice or str(value).strip().lower() == str(choice):
                return choice
        if not self.choices and (parsed := self._parse_free(value)) is not None:
            return parsed
        # The user may have pasted the API key instead of its variable's name: do not print it.
        value_text = "that" if self.key.endswith("_env") else repr(value)
        source_text = f" ({source})" if source else ""
        hint = f"It takes {'one of: ' if self.choices else ''}{self.allowed_values}."
        raise InvalidInput(f"{self.key} cannot be {value_text}{source_text}.", hint)

    def _parse_free(self, value: object) -> str | int | None:
        """Parse a value of a setting without choices (number, variable name or text); None if it is invalid."""
        text = str(value).strip()
        if isinstance(self.default, int):
            return (
                int(text)
                if text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= self.maximum
                else None
            )
        if not isinstance(value, str) or len(text) > self.maximum or not text.isprintable():
            return None
        return text if not self.key.endswith("_env") or not text or text.isidentifier() else None


SETTINGS = {
    setting.key: setting
    for setting in (
        Setting(
            "synchronous",
            "normal",
            ("normal", "full"),
            "Durability of commits: `normal` survives the crash of any process, `full` also a power failure.",
        ),
        Setting(
            "trust_level",
            TRUST_EARNED,
            (TRUST_EARNED, *TRUST_NAMES),
            "Confidence threshold for showing memories to agents unasked: 1 cautious (0.80), 2 standard (0.65), "
            "3 confident (0.55), 4 autonomous (0.45). `auto` starts at 1 and moves to 2 once that is earned; "
            "`holloway trust` shows the progress.",
        ),
        Setting(
            "branch_scope",
            "branch",
            ("branch", "everywhere"),
            "Visibility of memories learned on an unmerged branch: only on that branch until it is merged "
            "(`branch`), or on every branch at once (`everywhere`).",
        ),
        Setting(
            "trusted_sources",
            "",
            (),
            "Trusted sources, separated by commas: memories that quote their content need no review. MCP servers "
            "(`mcp:playwright`), sites (`web:docs.python.org`), folders outside of the project "
            "(`outside:/srv/specs`), `issues` if only your team writes issues and reviews.",
        ),
        Setting(
            "exclude.paths",
            "",
            (),
            "Files that are never captured, separated by commas: names (`*.pem`), folders (`secrets`) or paths from "
            "the root of the project (`deploy/keys/*`). What an agent does with them is not noted or learned from.",
            maximum=EXCLUSION_CHARS_MAX,
        ),
        Setting(
            "exclude.commands",
            "",
            (),
            "Commands that are never captured, separated by commas: a program (`vault`), its first words (`op read`) "
            "or a pattern (`aws * get-secret-value*`).",
            maximum=EXCLUSION_CHARS_MAX,
        ),
        Setting(
            "exclude.projects",
            "",
            (),
            "Projects in which nothing is captured, separated by commas: names, or folders (`~/clients/*`).",
            maximum=EXCLUSION_CHARS_MAX,
        ),
        Setting(
            "embedding.provider",
            "builtin",
            ("builtin", "ollama", "openai", "off"),
            "Embedding provider for semantic search: the model inside holloway (`builtin`), an Ollama server, any "
            "service with OpenAI's embeddings API (`openai`), or none (`off`: text search only). Nothing is sent "
            "to a server before you choose one here.",
        ),
        Setting(
            "embedding.model",
            "",
            (),
            "Embedding model of an Ollama or OpenAI-compatible server; empty for the provider's default.",
        ),
        Setting(
            "embedding.base_url",
            "",
            (),
            "URL of that server, for example `http://127.0.0.1:11434`; empty for the provider's default.",
        ),
        Setting(
            "embedding.key_env",
            "",
            (),
            "Name of the environment variable that holds the API key for that server; empty if it needs none. The "
            "key itself is never stored.",
        ),
        Setting(
            "embedding.dims",
            0,
            (),
            "Embedding dimensions to request from that server; 0 requests 1024 if the model is known to support it, "
            "else the model's own number.",
            maximum=EMBED_DIMS_MAX,
        ),
        Setting(
            "rerank.provider",
            "off",
            ("off", "late", "onnx"),
            "Reranking of the best twenty search results: none (`off`), late interaction with the built-in model "
            "(`late`), or your cross-encoder (`onnx`). After a timeout of one second the original order is kept.",
        ),
        Setting("rerank.folder", "", (), "Folder of that cross-encoder, with `model.onnx` and `tokenizer.json`."),
        Setting(
            "llm.provider",
            "off",
            ("off", "openai", "anthropic"),
            "Language model provider for `holloway ask`: none (`off`), any service with OpenAI's chat API (`openai`, "
            "also Ollama and other local servers), or Anthropic. Nothing is sent before you choose one here.",
        ),
        Setting("llm.model", "", (), "Language model; empty for a small one of the provider."),
        Setting("llm.base_url", "", (), "URL of the service; empty for the provider's default."),
        Setting(
            "llm.key_env",
            "",
            (),
            "Name of the environment variable that holds the API key; empty if the service needs none. The key "
            "itself is never stored.",
        ),
        Setting(
            "llm.monthly_tokens",
            500_000,
            (),
            "Monthly token budget of language models in this project; above it, everything works without a model.",
            maximum=LLM_MONTHLY_TOKENS_MAX,
        ),
        Setting(
            "reader.provider",
            "off",
            ("off", "claude-code", "codex", "openai", "anthropic"),
            "Language model that reads each finished session for lessons: none (`off`), an agent that you already "
            "have (`claude-code`, `codex`), any service with OpenAI's chat API (`openai`, also Ollama and other local "
            "servers), or Anthropic. Nothing is sent before you choose one; `holloway reader on` asks first.",
        ),
        Setting(
            "learning.ask_at_stop",
            "off",
            ("off", "on"),
            "Ask the agent for its lessons once per session, when it stops after it fixed something that had failed "
            "(Claude Code and Codex). The answer is stored unconfirmed, like every note of an agent.",
        ),
        Setting("reader.model", "", (), "Model of the reader; empty for the usual one of the provider."),
        Setting(
            "reader.base_url",
            "",
            (),
            "URL of the reader's service (`openai`, `anthropic`), for example `http://127.0.0.1:11434/v1`; empty for "
            "the provider's default.",
        ),
        Setting(
            "reader.key_env",
            "",
            (),
            "Name of the environment variable that holds the API key of that service; empty if it needs none. The key "
            "itself is never stored.",
        ),
        Setting(
            "reader.daily_tokens",
            200_000,
            (),
            "Daily token cap of the reader in this project; above it, sessions wait for the next day.",
            maximum=LLM_MONTHLY_TOKENS_MAX,
        ),
        Setting(
            "reader.monthly_tokens",
            3_000_000,
            (),
            "Monthly token cap of the reader in this project, apart from `llm.monthly_tokens`.",
            maximum=LLM_MONTHLY_TOKENS_MAX,
        ),
        Setting(
            "proof.since",
            "",
            (),
            "Time at which measuring the effect of memory began; empty if it is off. `holloway proof on` sets it.",
        ),
        Setting(
            "proof.control_percent",
            5,
            (),
            "Percentage of sessions in the control group, which are told nothing unasked while the effect is measured.",
            maximum=PROOF_PERCENT_MAX,
        ),
        Setting(
            "proof.passive_percent",
            10,
            (),
            "Percentage of sessions in the passive group, which are told something at their start and with a prompt "
            "only.",
            maximum=PROOF_PERCENT_MAX,
        ),
        Setting(
            "panel.editor",
            "vscode",
            (),
            "Editor that the panel's links to lines open: `vscode`, `vscode-insiders`, `cursor`, `windsurf`, `zed`, "
            "`idea`, `none`, or the address of another one with `{path}` and `{line}`.",
        ),
    )
}


def find_setting(key: str) -> Setting:
    """Return a setting by its key. Raises InvalidInput with the closest existing key for an unknown one."""
    if key in SETTINGS:
        return SETTINGS[key]
    from difflib import get_close_matches  # only on the error path

    close = get_close_matches(key, SETTINGS, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"Known keys: {', '.join(SETTINGS)}."
    raise InvalidInput(f"There is no setting {key!r}.", hint)


class Settings:
    """Effective settings of one project: environment over project table over general table over default."""

    def __init__(self, data: Mapping[str, object], project: str = "", path: str = "") -> None:
        self._data = data
        self._project = project
        self.path = path

    def reload(self) -> Settings:
        """Read the settings of the same project from the same file again. Raises HollowayError."""
        return Settings.load_settings(self._project, os.path.dirname(self.path))

    @classmethod
    def load_settings(cls, project: str = "", folder: str = "") -> Settings:
        """Read `config.toml`; a missing file means defaults. Raises HollowayError if it is unreadable or invalid."""
        import tomllib  # not in the hook path: a hook reads no settings

        path = os.path.join(folder or data_home(), "config.toml")
        try:
            with open(path, "rb") as file:
                data = tomllib.load(file)
        except FileNotFoundError:
            data = {}
        except OSError as error:
            raise HollowayError(f"{path} cannot be read: {error.strerror}.", "Check its permissions.") from error
        except (ValueError, RecursionError) as error:
            raise HollowayError(f"{path} is not valid TOML: {error}", "Fix that line; nothing was changed.") from None
        return cls(data, project, path)

    def get_value(self, key: str) -> str | int:
        """Return the effective value."""
        return self.resolve_value(key)[0]

    def get_text(self, key: str) -> str:
        """Return the effective value as text."""
        return str(self.get_value(key))

    def get_words(self, key: str) -> list[str]:
        """Return the effective value as a list of comma-separated words."""
        return [word.strip() for word in self.get_text(key).split(",") if word.strip()]

    def get_number(self, key: str) -> int:
        """Return the effective value as a number."""
        return int(self.get_value(key))

    def stored_value(self, key: str) -> str:
        """Return the value from the file or the default, ignoring environment variables."""
        return str(self._value_in_file(key)[0])

    def stored_words(self, key: str) -> list[str]:
        """Return the comma-separated words from the file or the default, ignoring environment variables."""
        return [word.strip() for word in self.stored_value(key).split(",") if word.strip()]

    def resolve_value(self, key: str) -> tuple[str | int, str]:
        """Return the effective value and its source."""
        entry = find_setting(key)
        if (value := os.environ.get(entry.environment_variable)) is not None:
            return entry.parse_value(value, entry.environment_variable), entry.environment_variable
        return self._value_in_file(key)

    def _value_in_file(self, key: str) -> tuple[str | int, str]:
        entry = find_setting(key)
        projects = self._data.get("projects")
        table = projects.get(self._project) if isinstance(projects, dict) else None
        if isinstance(table, dict) and (value := _flatten_table(table).get(key)) is not None:
            return entry.parse_value(value, self.path), "project"
        if (value := _flatten_table(self._data).get(key)) is not None:
            return entry.parse_value(value, self.path), "config.toml"
        return entry.default, "default"

    def unknown_keys(self) -> list[str]:
        """Return the unknown keys in the file, for `doctor`."""
        projects = self._data.get("projects")
        tables = projects.values() if isinstance(projects, dict) else ()
        keys = [key for key in _flatten_table(self._data) if key != "projects" and not key.startswith("projects.")]
        keys += [key for table in tables if isinstance(table, dict) for key in _flatten_table(table)]
        return sorted({key for key in keys if key not in SETTINGS})


def _flatten_table(table: Mapping[str, object]) -> dict[str, object]:
    """Flatten nested tables into keys with a dot."""
    flattened: dict[str, object] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            flattened |= {f"{key}.{inner}": inner_value for inner, inner_value in value.items()}
        else:
            flattened[key] = value
    return flattened


def change_setting(key: str, value: str, project: str = "", folder: str = "") -> str | int:
    """Write one setting into `config.toml`, keeping the user's comments and order; return the stored value."""
    import tomlkit  # a writer that keeps comments; only this function needs it

    parsed = find_setting(key).parse_value(value, "")
    Settings.load_settings(folder=folder)
    target = folder or data_home()
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
            raise HollowayError(f"`projects` in {path} is not a table.", "Fix it; nothing was changed.")
        table = projects.setdefault(project, tomlkit.table())
    group, _, name = key.rpartition(".")
    if group:
        table = table.setdefault(group, tomlkit.table())
        if not isinstance(table, dict):
            raise HollowayError(f"`{group}` in {path} is not a table.", "Fix it; nothing was changed.")
    table[name] = parsed
    replace_file(path, tomlkit.dumps(document).encode())
    return parsed


def replace_file(path: str, data: bytes) -> None:
    """Replace a file atomically: a reader sees the old bytes or the new ones. Raises HollowayError."""
    partial = f"{path}.{os.getpid()}.{get_ident()}.new"
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except BaseException as error:
        try:  # noqa: SIM105  (contextlib is not loaded in a hook)
            os.unlink(partial)
        except OSError:
            pass
        if not isinstance(error, OSError):
            raise
        raise HollowayError(f"Cannot write {path}: {error.strerror}.", "Nothing was changed.") from error
