"""The second git runner: it moves objects between a bare repository of ours and a remote that the user chose.

It runs in a repository that nobody else writes, with the user's and the system's configuration (credentials, proxies)
and never that of the user's repository. No hook, submodule, helper protocol or prompt runs.
"""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

from holloway.config import TRANSFER_TIMEOUT_S
from holloway.errors import HollowayError, InvalidInput
from holloway.git.folders import common_dir, read_file
from holloway.git.runner import find_git_program

if TYPE_CHECKING:
    from collections.abc import Sequence

_GUARDS = (
    "--no-pager",
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.logAllRefUpdates=false"),
    *("-c", "core.fsync=committed"),
    *("-c", "fastimport.unpackLimit=0"),
    *("-c", "submodule.recurse=false"),
    *("-c", "fetch.recurseSubmodules=false"),
    *("-c", "push.recurseSubmodules=no"),
    *("-c", "push.gpgSign=false"),
    *("-c", "fetch.fsckObjects=true"),
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


def run_transfer(repository: str, *arguments: str, stdin: bytes = b"", timeout_s: float = TRANSFER_TIMEOUT_S) -> bytes:
    """Run a git command in our bare repository and return its output; raises TransferFailed if it fails."""
    try:
        completed = subprocess.run(
            [find_git_program(), *_GUARDS, *arguments],
            input=stdin,
            capture_output=True,
            timeout=timeout_s,
            env=_build_environment(repository),
            cwd=os.path.dirname(repository) if not os.path.isdir(repository) else repository,
            check=False,
            start_new_session=True,  # no terminal: ssh cannot ask for a password
        )
    except subprocess.TimeoutExpired as error:
        message = f"git {arguments[0]} took longer than {timeout_s:g} seconds."
        raise TransferFailed(message, "It is tried again later.", is_offline=True) from error
    except (OSError, ValueError) as error:
        raise TransferFailed(f"git cannot be started: {error}.", "Install git, or check the PATH.") from error
    if completed.returncode != 0:
        raise _build_failure(arguments, completed.stderr.decode("utf-8", "replace"))
    return completed.stdout


def _build_failure(arguments: Sequence[str], errors: str) -> TransferFailed:
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
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
        "LC_ALL": "C",
    }
