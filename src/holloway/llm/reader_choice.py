"""The reader: the language model that reads finished sessions, if the user chose one, with separate caps."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from filelock import FileLock

from holloway.errors import HollowayError
from holloway.llm.headless_agents import AGENT_KINDS, HeadlessAgent, find_program
from holloway.llm.metered_client import Metered, PeriodCap
from holloway.llm.providers import USUAL_MODEL, Access, Anthropic, Choice, OpenAI, Stopped, WriterFailed
from holloway.store import hook_settings, registry
from holloway.store.llm_usage import READER_FAILED, READER_PURPOSE, READER_READ, LlmUsageLedger

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holloway.config import Settings
    from holloway.domain.ports import Completion, Writer
    from holloway.store.project import Project
    from holloway.store.store import Store


def choose_reader(settings: Settings, environment: Mapping[str, str] = os.environ) -> Choice:
    """Return the writer that the settings name for reading sessions, or the reason why there is no usable one."""
    provider = settings.get_text("reader.provider")
    if provider == "off":
        return Choice(None, "The reader is off; `holloway reader on` turns it on.")
    if provider in USUAL_MODEL:
        return _choose_service(provider, settings, environment)
    kind = AGENT_KINDS[provider]
    if os.name != "posix":
        return Choice(None, f"{kind.label} can read sessions on Linux and macOS only.")
    program = find_program(kind)
    if not program:
        return Choice(None, f"`{kind.program}` is not on the PATH, so {kind.label} cannot read sessions.")
    return Choice(HeadlessAgent(kind, program, settings.get_text("reader.model"), StopWatch(settings).is_stopped))


def _choose_service(provider: str, settings: Settings, environment: Mapping[str, str]) -> Choice:
    """Return a writer for an HTTP API: any service with OpenAI's chat API, or Anthropic."""
    variable, base_url = settings.get_text("reader.key_env"), settings.get_text("reader.base_url")
    key = environment.get(variable, "").strip() if variable else ""
    if variable and not key:
        return Choice(None, f"The variable {variable}, which `reader.key_env` names, is not set.")
    if not key.isascii() or not key.isprintable():
        return Choice(None, f"The key in {variable} has characters that no key has.")
    if not key and (provider == "anthropic" or not base_url):
        return Choice(None, f"{provider} needs a key: `holloway config set reader.key_env NAME`, the variable's name.")
    model = settings.get_text("reader.model") or USUAL_MODEL[provider]
    access = Access(model, base_url, key, StopWatch(settings).is_stopped)
    return Choice(Anthropic(access) if provider == "anthropic" else OpenAI(access))


class StopWatch:
    """Notices during a call that the reader was turned off, by reading the settings again when their file changes."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._changed_at = self._read_change_time()
        self._is_off = False

    def is_stopped(self) -> bool:
        """Return whether the settings now say that the reader is off."""
        changed_at = self._read_change_time()
        if changed_at != self._changed_at:
            self._changed_at = changed_at
            with suppress(HollowayError):
                self._is_off = self._settings.reload().get_text("reader.provider") == "off"
        return self._is_off

    def _read_change_time(self) -> int:
        try:
            return Path(self._settings.path).stat().st_mtime_ns
        except OSError:
            return 0


class MeteredReader(Metered):
    """The chosen writer with the reader's daily and monthly cap; a failed call is recorded for `holloway status`."""

    def __init__(self, store: Store, settings: Settings, writer: Writer, *, overhead_tokens: int = 0) -> None:
        caps = (
            PeriodCap(settings.get_number("reader.daily_tokens"), "reader.daily_tokens", "day"),
            PeriodCap(settings.get_number("reader.monthly_tokens"), "reader.monthly_tokens"),
        )
        ledger = LlmUsageLedger(store.database, store.clock)
        super().__init__(
            writer, ledger, store.clock, caps=caps, purpose=READER_PURPOSE, overhead_tokens=overhead_tokens
        )
        self._lock_file = get_lock_file(store.project)
        self._stop_watch = StopWatch(settings)

    def complete(self, prompt: str, *, max_tokens: int, deadline_s: float, system: str = "") -> Completion:
        """Return the completion of a prompt.

        Raises CapReached, RateLimited and Stopped, after which no further call of this run can succeed, or another
        WriterFailed.
        """
        try:
            with FileLock(self._lock_file, mode=0o600):
                if self._stop_watch.is_stopped():
                    raise Stopped("The reader was turned off.")
                return super().complete(prompt, max_tokens=max_tokens, deadline_s=deadline_s, system=system)
        except WriterFailed as error:
            if not isinstance(error, Stopped):
                self._spending.record_reader_event(READER_FAILED, error.message)
            raise


def get_lock_file(project: Project) -> str:
    """Return the path of the file that is locked while the reader of a project is asked."""
    return str(project.folder / "reader.lock")


class ReaderChoice(NamedTuple):
    """The reader of one project, or None with a reason to show to the user."""

    reader: MeteredReader | None
    reason: str = ""


def open_reader(store: Store, settings: Settings, writer: Writer | None = None) -> ReaderChoice:
    """Return the reader of a project, or the reason why there is none.

    A project in which nothing is captured (excluded or paused) has none, whatever the settings say. `writer` replaces
    the one that the settings name.
    """
    project = store.project
    home = str(project.folder.parent.parent)
    if hook_settings.is_excluded(project, settings):
        return ReaderChoice(None, "This project is excluded (`exclude.projects`).")
    if registry.get_paused_mode(home, project.key) in ("all", "capture"):
        return ReaderChoice(None, "Capturing is paused; `holloway resume` goes on.")
    choice = choose_reader(settings)
    writer = writer or choice.writer
    if writer is None:
        return ReaderChoice(None, choice.reason)
    kind = AGENT_KINDS.get(writer.provider)
    return ReaderChoice(MeteredReader(store, settings, writer, overhead_tokens=kind.overhead_tokens if kind else 0))


def record_read_session(store: Store, session: str) -> None:
    """Record that the reader has read a session, for `holloway status`."""
    LlmUsageLedger(store.database, store.clock).record_reader_event(READER_READ, session)
