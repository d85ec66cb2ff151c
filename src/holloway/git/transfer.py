"""The second git runner: it moves objects between a bare repository of ours and a remote that the user chose.

It runs in a repository that nobody else writes, with the user's and the system's configuration (credentials, proxies)
and never that of the user's repository. No hook, submodule, helper protocol or prompt runs.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING

from holloway.config import SEGMENT_BYTES_MAX, TRANSFER_TIMEOUT_S
from holloway.errors import HollowayError, InvalidInput
from holloway.git.folders import common_dir, read_file
from holloway.git.runner import find_git_program

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_GUARDS = (
    "--no-pager",
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.logAllRefUpdates=false"),
    *("-c", "fastimport.unpackLimit=0"),
    *("-c", "submodule.recurse=false"),
    *("-c", "fetch.recurseSubmodules=false"),
    *("-c", "push.recurseSubmodules=no"),
    *("-c", "push.gpgSign=false"),
    *("-c", "fetch.fsckObjects=true"),
    *("-c", "fetch.unpackLimit=1"),
    *("-c", f"core.bigFileThreshold={SEGMENT_BYTES_MAX + 1}"),  # no larger object is read into memory
    *("-c", "pack.threads=1"),
    *("-c", "gc.auto=0"),
    *("-c", "maintenance.auto=false"),
    *("-c", "credential.interactive=false"),
    *("-c", "protocol.allow=never"),
    *("-c", "protocol.https.allow=always"),
    *("-c", "protocol.ssh.allow=always"),
    *("-c", "protocol.file.allow=always"),
)
_INHERITED = frozenset(
    ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
)
"""The variables of git that are the user's own configuration."""
_ADDRESS = re.compile(
    r"(?:https|ssh)://[^\s/-][^\s]*"
    r"|file:///[^\s]*"
    r"|(?:\w[\w.-]*@)?\w[\w.-]*:(?!:)(?!//)[^\s-][^\s]*"
    r"|/[^\0\n]*"
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_MESSAGE_CHARS_MAX = 300
_MESSAGES_BYTES_MAX = 1024 * 1024
_WATCH_EVERY_S = 0.05
_ALLOCATION_BYTES_MAX = 64 * 1024 * 1024
"""Largest piece of memory that git may ask for; a delta of some bytes can stand for an object of any size."""
_OVER_ALLOCATION = "attempting to allocate"
EXCEEDED_HINT = "Nothing of it was stored. Look at who may push to this remote."
_UNREACHABLE = (
    "could not resolve host",
    "connection refused",
    "connection timed out",
    "network is unreachable",
    "could not read from remote repository",
    "failed to connect",
    "unable to access",
    "does not appear to be a git repository",
    "timed out",
)


class TransferFailed(HollowayError):
    """Git could not exchange objects with a remote."""

    def __init__(self, message: str, hint: str, *, is_offline: bool = False) -> None:
        super().__init__(message, hint)
        self.is_offline = is_offline


class TransferExceeded(TransferFailed):
    """A remote sent more than it may."""


def check_address(address: str) -> str:
    """Return the address of a remote if git may be given it.

    Raises InvalidInput for one that git could take for an option or for the name of a program, and for a protocol
    without encryption.
    """
    if not _ADDRESS.fullmatch(address) or _CONTROL.search(address):
        hint = "It takes https://, ssh://, git@host:path, or the full path of a repository on this machine."
        raise InvalidInput(f"Memories cannot be shared with the remote {address[:200]!r}.", hint)
    return address


def hide_credentials(address: str) -> str:
    """Return an address without the user and password that it may carry."""
    return re.sub(r"(?<=://)[^/@]*@", "", address)


def read_remote_address(root: str, name: str) -> str:
    """Return the address of a remote as a repository's configuration has it, read without running git; may be empty."""
    section = ""
    for line in read_file(os.path.join(common_dir(root), "config")).splitlines():
        text = line.strip()
        if text.startswith("["):
            section = text
        elif section == f'[remote "{name}"]' and text.replace(" ", "").startswith("url="):
            return text.split("=", 1)[1].strip().strip('"')
    return ""


def run_transfer(
    repository: str,
    *arguments: str,
    stdin: bytes = b"",
    timeout_s: float = TRANSFER_TIMEOUT_S,
    fsync: str = "committed",
    find_excess: Callable[[], str] = lambda: "",
) -> bytes:
    """Run a git command in our bare repository and return its output; raises TransferFailed if it fails.

    `fsync` names what git writes through to the disk. While git runs, `find_excess` is asked whether it took more than
    it may; if it names something, git and everything that git started are killed, and TransferExceeded is raised.
    """
    try:
        with (
            tempfile.TemporaryFile() as messages,
            _open_stdin(stdin) as source,
            _start_git(repository, ("-c", f"core.fsync={fsync}", *arguments), source, messages) as process,
        ):
            output = _wait_for(process, arguments[0], timeout_s, lambda: find_excess() or _find_flood(messages))
            messages.seek(0)
            errors = messages.read(_MESSAGES_BYTES_MAX).decode("utf-8", "replace")
    except (OSError, ValueError) as error:
        raise TransferFailed(f"git cannot be started: {error}.", "Install git, or check the PATH.") from error
    if process.returncode != 0:
        raise _build_failure(arguments, errors)
    return output


def _open_stdin(data: bytes) -> IO[bytes]:
    """Open a file with the data: a pipe is not written on after the first time-out of `communicate`."""
    source = tempfile.TemporaryFile() if data else open(os.devnull, "rb")  # noqa: SIM115
    if data:
        source.write(data)
        source.seek(0)
    return source


def _start_git(
    repository: str, arguments: Sequence[str], source: IO[bytes], messages: IO[bytes]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [find_git_program(), *_GUARDS, *arguments],
        stdin=source,
        stdout=subprocess.PIPE,
        stderr=messages,  # a file, because a remote decides how much it says
        env=_build_environment(repository),
        cwd=os.path.dirname(repository) if not os.path.isdir(repository) else repository,
        start_new_session=True,  # no terminal: ssh cannot ask for a password
    )


def _wait_for(
    process: subprocess.Popen[bytes], command: str, timeout_s: float, find_excess: Callable[[], str]
) -> bytes:
    deadline = time.monotonic() + timeout_s
    try:
        while True:
            left_s = deadline - time.monotonic()
            try:
                return process.communicate(timeout=max(0.0, min(_WATCH_EVERY_S, left_s)))[0]
            except subprocess.TimeoutExpired:
                pass
            if excess := find_excess():
                raise TransferExceeded(f"git {command} was stopped: {excess}.", EXCEEDED_HINT)
            if time.monotonic() >= deadline:
                message = f"git {command} took longer than {timeout_s:g} seconds."
                raise TransferFailed(message, "It is tried again later.", is_offline=True)
    except BaseException:
        _kill_group(process)
        raise


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill git and what it started; the leader of their session is git."""
    with suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.communicate()


def _find_flood(messages: IO[bytes]) -> str:
    is_flooded = os.fstat(messages.fileno()).st_size > _MESSAGES_BYTES_MAX
    return f"the remote sent more than {_MESSAGES_BYTES_MAX:,} bytes of messages" if is_flooded else ""


def _build_failure(arguments: Sequence[str], errors: str) -> TransferFailed:
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    if _OVER_ALLOCATION in errors:
        return TransferExceeded(f"git {arguments[0]} was stopped: it needed too much memory.", EXCEEDED_HINT)
    message = hide_credentials(_CONTROL.sub(" ", "; ".join(lines)))[:_MESSAGE_CHARS_MAX] or "no message"
    is_offline = any(words in errors.lower() for words in _UNREACHABLE)
    hint = "Check the network and that `git fetch` works for this remote; nothing is lost, it is tried again later."
    return TransferFailed(f"git {arguments[0]} failed: {message}", hint, is_offline=is_offline)


def _build_environment(repository: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _INHERITED}
    return inherited | {
        "GIT_DIR": repository,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "",
        "SSH_ASKPASS_REQUIRE": "never",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_ALLOC_LIMIT": str(_ALLOCATION_BYTES_MAX),
        "LC_ALL": "C",
    }
