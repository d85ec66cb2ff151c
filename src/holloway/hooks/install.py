"""Putting holloway's hooks into an agent's own configuration, and taking exactly them out again."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import importlib.util
import json
import os
import re
import shlex
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from holloway import git
from holloway.config import RULE_FILE_BYTES_MAX, replace_file
from holloway.errors import HollowayError, InvalidInput
from holloway.store.database import make_folder

MARK = "holloway.hooks.entry"
"""What every entry of ours has in it, and nobody else's."""

BACKUP_SUFFIX = ".before-holloway"
"""Added to the name of a configuration file, it names the copy of the bytes from before holloway came."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one agent wants its hooks written: the file by scope, and the events with their time limits in seconds.

    A host that takes no list of arguments runs one line in a shell.
    """

    agent: str
    label: str
    user_folder: str
    folder_variable: str
    user_file: str
    project_file: str
    in_shell: bool
    note: str
    events: dict[str, int]


CLAUDE_CODE = Dialect(
    agent="claude-code",
    label="Claude Code",
    user_folder=".claude",
    folder_variable="CLAUDE_CONFIG_DIR",
    user_file="settings.json",
    project_file=".claude/settings.local.json",
    in_shell=False,
    note="",
    events={
        "SessionStart": 10,
        "UserPromptSubmit": 5,
        "PostToolUse": 5,
        "PostToolUseFailure": 5,
        "PreCompact": 5,
        "PostCompact": 5,
        "SubagentStop": 5,
        "Stop": 5,
        "SessionEnd": 2,
    },
)
CODEX = Dialect(
    agent="codex",
    label="Codex",
    user_folder=".codex",
    folder_variable="CODEX_HOME",
    user_file="hooks.json",
    project_file=".codex/hooks.json",
    in_shell=True,
    note="Codex runs hooks only after you trust them: it asks at its next start, and /hooks in it shows them.",
    events={
        "SessionStart": 10,
        "UserPromptSubmit": 5,
        "PostToolUse": 5,
        "PreCompact": 5,
        "PostCompact": 5,
        "SubagentStart": 5,
        "SubagentStop": 5,
        "Stop": 5,
        "SessionEnd": 2,
    },
)
DIALECTS = {dialect.agent: dialect for dialect in (CLAUDE_CODE, CODEX)}


@dataclass(frozen=True, slots=True)
class Change:
    """What would happen to a configuration file, and for a removal to the files of ours that belong to it."""

    path: Path
    before: bytes | None
    after: bytes | None
    removes: bool = False
    within: Path | None = None
    leftovers: tuple[Path, ...] = ()

    @property
    def needed(self) -> bool:
        """Whether anything would change."""
        return self.rewrites or bool(self.leftovers)

    @property
    def rewrites(self) -> bool:
        """Whether the configuration file itself would change."""
        return self.before != self.after

    @property
    def target(self) -> Path:
        """The file behind links: the one that is written."""
        return _target(self.path, self.within)

    def events(self) -> list[str]:
        """The events whose hooks come or go."""
        return list(dict.fromkeys(event for event, _ in self._hooks()))

    def command(self) -> str:
        """The program whose hooks come or go; it is the same for every event."""
        return _program(self._hooks()[0][1])

    def diff(self) -> str:
        """The change as a person reads it."""
        old = (self.before or b"").decode("utf-8", "replace").splitlines(keepends=True)
        new = (self.after or b"").decode("utf-8", "replace").splitlines(keepends=True)
        return "".join(difflib.unified_diff(old, new, str(self.path), str(self.path), n=1))

    def _hooks(self) -> list[tuple[str, dict[str, Any]]]:
        return _ours(_parsed(self.path, self.before if self.removes else self.after))


@dataclass(frozen=True, slots=True)
class Record:
    """What the data folder knows of a file that got hooks: hashes, never its bytes, which may hold secrets."""

    path: str
    existed: bool
    before: str | None
    after: str
    made_folder: bool


def dialect(agent: str) -> Dialect:
    """The dialect of an agent."""
    if agent in DIALECTS:
        return DIALECTS[agent]
    raise InvalidInput(f"holloway does not know the agent {agent!r}.", f"Known: {', '.join(DIALECTS)}.")


def config_file(chosen: Dialect, scope: str, root: Path) -> Path:
    """The file that holds the hooks; a project's file is the local one, because it names paths of this machine."""
    if scope == "project":
        return root / chosen.project_file
    folder = os.environ.get(chosen.folder_variable)
    return (Path(folder).expanduser() if folder else Path.home() / chosen.user_folder) / chosen.user_file


def handler(chosen: Dialect, timeout_s: int) -> dict[str, Any]:
    """One hook entry: the real interpreter, without a shell, a shim or a search of the PATH.

    The program is given as text and not as a script's path, because Python exits with 2 when a script is missing,
    and 2 tells the agent to block. With holloway uninstalled this exits with 0 and says nothing.
    """
    package = Path(__file__).resolve().parents[2]
    code = (
        f"import sys\nsys.path.insert(0, {str(package)!r})\ntry:\n from {MARK} import main\n"
        "except Exception:\n sys.exit(0)\nmain()"
    )
    words = [_interpreter(), *_flags(package), "-c", code, chosen.agent]
    if chosen.in_shell:
        return {"type": "command", "command": shlex.join(words), "timeout": timeout_s}
    return {"type": "command", "command": words[0], "args": words[1:], "timeout": timeout_s}


def _interpreter() -> str:
    return os.path.abspath(sys.executable)  # noqa: PTH100  (a virtual environment's link must not be resolved)


def _flags(package: Path) -> list[str]:
    """Skip Python's site set-up where everything we need lies in one folder; it is a third of a hook's time."""
    found = importlib.util.find_spec("re2")
    beside = found is not None and found.origin is not None and Path(found.origin).resolve().is_relative_to(package)
    return ["-I", "-S"] if beside else ["-I"]


def plan(chosen: Dialect, path: Path, *, remove: bool, home: Path, within: Path | None = None) -> Change:
    """The change that setup or removal would make; nothing is written.

    A file that must lie in a project is given with the project's root as `within`.
    """
    _target(path, within)
    before = _read(path)
    if remove:
        after = _without(path, before, home)
        return Change(path, before, after, removes=True, within=within, leftovers=_leftovers(path, home))
    settings = _parsed(path, before)
    if not _is_understood(settings.get("hooks", {})):
        raise HollowayError(f'"hooks" in {path} has a form that holloway does not know.', "The file was left as it is.")
    _strip(settings)
    hooks = settings.setdefault("hooks", {})
    for event, timeout_s in chosen.events.items():
        hooks.setdefault(event, []).append({"hooks": [handler(chosen, timeout_s)]})
    return Change(path, before, _written(path, settings, before), within=within)


def apply(change: Change, home: Path) -> None:
    """Write the change; the bytes that stood there are kept beside it, so that removal can bring them back."""
    target = change.target
    if _read(change.path) != change.before:
        raise HollowayError(
            f"{change.path} was changed in the meantime; nothing was written.", "Run the command again."
        )
    if change.removes:
        if change.rewrites:
            _write(target, change.after)
        _forget(change.path, home)
        return
    try:
        _keep(change, home)
        _write(target, change.after)
    except (HollowayError, OSError):
        if not _has_ours(change.path, change.before):
            _forget(change.path, home)
        raise


def installed(path: Path) -> list[str]:
    """The events for which a file has holloway's hooks."""
    try:
        return list(dict.fromkeys(event for event, _ in _ours(_parsed(path, _read(path)))))
    except HollowayError:
        return []


def verdict(chosen: Dialect, path: Path) -> tuple[str, str, str]:
    """Whether an installed set of hooks is complete and can run: verdict, what was seen, hint."""
    try:
        settings = _parsed(path, _read(path))
    except HollowayError as error:
        return "failure", error.message, error.hint
    ours = _ours(settings)
    wanted = _words(handler(chosen, 0))
    again = f"`holloway setup {chosen.agent}` writes them anew."
    if settings.get("disableAllHooks"):
        return "warning", f"{path} switches all hooks off", "Remove disableAllHooks there."
    if gone := [program for _, one in ours if not _exists(program := _program(one))]:
        return "failure", f"{path} names {gone[0]!r}, which is gone", again
    if set(chosen.events) - {event for event, _ in ours} or any(_words(one) != wanted for _, one in ours):
        return "warning", f"{path} has hooks of another installation", again
    return "ok", f"connected by {path}", ""


def _words(one: dict[str, Any]) -> list[object]:
    """The program of a hook and its arguments, however the host wants them."""
    command, args = one.get("command"), one.get("args")
    if isinstance(args, list) or not isinstance(command, str):
        return [command, *_listed(args)]
    try:
        return list(shlex.split(command))
    except ValueError:
        return [command]


def _program(one: dict[str, Any]) -> str:
    return str(next(iter(_words(one)), ""))


def _exists(command: str) -> bool:
    return os.path.exists(command)  # noqa: PTH110  (a Path raises on a name that is too long)


def _target(path: Path, within: Path | None) -> Path:
    """The file behind links; a project's must not lead out of it, because a repository can bring links."""
    target = Path(os.path.realpath(path))
    for real in (target, Path(os.path.realpath(path.parent))):
        if within is not None and not real.is_relative_to(os.path.realpath(within)):
            raise HollowayError(
                f"{path} leads out of the project, to {real}.",
                "Nothing was changed. Look at who made that link; --scope user does not need it.",
            )
    return target


def _keep(change: Change, home: Path) -> None:
    """Keep the bytes from before holloway came beside the file, and what is needed to trust them in the data folder."""
    path, known, after = change.path, _record(change.path, home), _sha256(change.after or b"")
    if _has_ours(path, change.before):
        # The first original stays. Where somebody has edited the file since, the old hash stays too: it no longer
        # fits the file, so that removal will not undo that edit.
        if known is not None and known.after == _sha256(change.before or b""):
            _save(replace(known, after=after), path, home)
        return
    before = None if change.before is None else _sha256(change.before)
    made_folder = not path.parent.exists() or (known is not None and known.made_folder)
    _save(Record(str(path), before is not None, before, after, made_folder), path, home)
    path.parent.mkdir(parents=True, exist_ok=True)
    if change.before is not None:
        _write(_backup_file(path), change.before, like=change.target)


def _write(target: Path, data: bytes | None, like: Path | None = None) -> None:
    """Put bytes into a file, or take the file away; it has the permissions of the one that it is like."""
    if data is None:
        target.unlink(missing_ok=True)
        return
    model = like or target
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = model.stat().st_mode & 0o777 if model.exists() else 0o600
    replace_file(str(target), data)
    target.chmod(mode)


def _without(path: Path, before: bytes | None, home: Path) -> bytes | None:
    """The file without our entries: the very bytes from before, if nobody else changed it since."""
    if before is None or not _has_ours(path, before):
        return before
    known = _record(path, home)
    if known is not None and known.after == _sha256(before):
        if not known.existed:
            return None
        if (kept := _kept(path)) is not None and known.before == _sha256(kept):
            return kept
    settings = _parsed(path, before)
    _strip(settings)
    return _written(path, settings, before)


def _forget(path: Path, home: Path) -> None:
    """Delete the files of ours that belong to a configuration file, and its folder if that is ours and empty."""
    known = _record(path, home)
    for file in _leftovers(path, home):
        file.unlink()
    if known is not None and known.made_folder:
        with contextlib.suppress(OSError):
            path.parent.rmdir()


def _leftovers(path: Path, home: Path) -> tuple[Path, ...]:
    return tuple(file for file in (_backup_file(path), _record_file(path, home)) if file.is_file())


def _backup_file(path: Path) -> Path:
    """Beside the file; where that is under git, in the git folder, so that nobody commits a copy of their settings."""
    root = git.find_root(str(path.parent))
    if folder := git.git_dir(root) if root else "":
        return Path(folder) / f"{path.name}.{_sha256(str(path).encode())[:8]}{BACKUP_SUFFIX}"
    return path.with_name(path.name + BACKUP_SUFFIX)


def _kept(path: Path) -> bytes | None:
    backup = _backup_file(path)
    return backup.read_bytes() if backup.is_file() else None


def _record(path: Path, home: Path) -> Record | None:
    try:
        return Record(**json.loads(_record_file(path, home).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def _save(record: Record, path: Path, home: Path) -> None:
    file = _record_file(path, home)
    make_folder(home)
    make_folder(file.parent)
    replace_file(str(file), json.dumps(asdict(record), indent=1).encode())


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _record_file(path: Path, home: Path) -> Path:
    return home / "installs" / (hashlib.sha256(str(path).encode()).hexdigest()[:16] + ".json")


def _ours(settings: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Our hooks with their events; what has another form than a hook is somebody else's."""
    return [
        (event, one)
        for event, entries in _table(settings.get("hooks")).items()
        for entry in _listed(entries)
        for one in _listed(_table(entry).get("hooks"))
        if _is_ours(one)
    ]


def _has_ours(path: Path, data: bytes | None) -> bool:
    return data is not None and MARK.encode() in data and bool(_ours(_parsed(path, data)))


def _is_ours(one: object) -> bool:
    hook = _table(one)
    return any(isinstance(word, str) and MARK in word for word in (hook.get("command"), *_listed(hook.get("args"))))


def _is_understood(hooks: object) -> bool:
    """Whether it is a table of lists of entries, each with a list of hooks or none."""
    return isinstance(hooks, dict) and all(
        isinstance(entries, list) and all(_is_entry(entry) for entry in entries) for entries in hooks.values()
    )


def _is_entry(entry: object) -> bool:
    hooks = entry.get("hooks", []) if isinstance(entry, dict) else None
    return isinstance(hooks, list) and all(isinstance(one, dict) for one in hooks)


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _strip(settings: dict[str, Any]) -> None:
    """Take our entries out, and what would be left empty by that."""
    events = {event for event, _ in _ours(settings)}
    hooks = _table(settings.get("hooks"))
    for event in events:
        hooks[event] = [left for entry in hooks[event] for left in _others(entry)]
        if not hooks[event]:
            del hooks[event]
    if events and not hooks:
        del settings["hooks"]


def _others(entry: Any) -> list[Any]:
    """An entry without our hooks, as a list; it is empty where there were no others."""
    hooks = _listed(_table(entry).get("hooks"))
    others = [one for one in hooks if not _is_ours(one)]
    if len(others) == len(hooks):
        return [entry]
    return [entry | {"hooks": others}] if others else []


def _read(path: Path) -> bytes | None:
    try:
        if path.is_symlink() and not path.exists():
            raise HollowayError(f"{path} is a link that leads nowhere.", "Mend the link, then try again.")
        if not path.exists():
            return None
        if not path.is_file():
            raise HollowayError(f"{path} is not a file.", "It was left as it is.")
        if path.stat().st_size > RULE_FILE_BYTES_MAX:
            raise HollowayError(f"{path} is larger than a configuration should be.", "It was left as it is.")
        return path.read_bytes()
    except OSError as error:
        raise HollowayError(f"Cannot read {path}: {error.strerror}.", "Check its permissions.") from error


def _parsed(path: Path, data: bytes | None) -> dict[str, Any]:
    if data is None or not data.strip():
        return {}
    try:
        settings = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise HollowayError(f"{path} is not valid JSON: {error}.", "Mend it; holloway left it as it is.") from None
    if not isinstance(settings, dict):
        raise HollowayError(f"{path} holds no settings object.", "Mend it; holloway left it as it is.")
    return settings


def _written(path: Path, settings: dict[str, Any], before: bytes | None) -> bytes:
    """The settings in the file's own manner: its indentation, its end of line, its last newline."""
    text = (before or b"").decode("utf-8", "replace")
    indent = re.search(r"\n([ \t]+)\S", text)
    ending = "\n" if before is None or text.endswith("\n") else ""
    try:
        made = json.dumps(settings, indent=indent.group(1) if indent else 2, ensure_ascii=False) + ending
        return (made.replace("\n", "\r\n") if "\r\n" in text else made).encode()
    except (ValueError, RecursionError) as error:
        raise HollowayError(f"{path} cannot be written anew: {error}.", "It was left as it is.") from None
