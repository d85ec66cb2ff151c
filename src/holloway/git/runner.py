"""The one place that runs git: it inspects an untrusted repository and runs no program that the repository names.

Git takes programs from the configuration: filters, diff drivers, textconv, hooks, fsmonitor, pagers, credential
helpers, remote helpers, aliases. So git is told to use an empty configuration that ships with holloway (`isolated/`)
instead of the repository's, the user's and the system's. Objects, index and work tree are still the repository's.
"""

from __future__ import annotations

import os

from holloway.config import GIT_TIMEOUT_S
from holloway.git.folders import common_dir, git_dir, read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import IO

_PIECE_BYTES_MAX = 1 << 16

_INSPECTING = frozenset(
    (
        "cat-file",
        "cherry",
        "diff",
        "diff-tree",
        "grep",
        "log",
        "ls-files",
        "ls-tree",
        "merge-base",
        "patch-id",
        "rev-list",
    )
)
"""The commands that may run: each reads objects, index or work tree, and writes nothing."""

_GUARDS = (
    "--no-pager",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "credential.helper="),
    *("-c", "protocol.allow=never"),
)

_WORK_TREE_VALUES = {
    "core.autocrlf": ("true", "false", "input"),
    "core.checkstat": ("default", "minimal"),
    "core.eol": ("lf", "crlf", "native"),
    "core.filemode": ("true", "false"),
    "core.ignorecase": ("true", "false"),
    "core.precomposeunicode": ("true", "false"),
    "core.symlinks": ("true", "false"),
    "core.trustctime": ("true", "false"),
}
"""Settings that decide whether a file differs from a commit, and their values. None of them names a program."""
_EXCLUDES = "core.excludesfile"
"""The setting with the user's own ignore file."""


class GitInterrupted(Exception):
    """Git failed, is missing or timed out: the output so far may be incomplete."""


def run_git(root: str, *arguments: str, stdin: str = "", timeout_s: float = GIT_TIMEOUT_S) -> str:
    """Run a git command and return its output; empty if it fails, is missing or times out."""
    code, output = run_command(root, arguments, stdin=stdin, timeout_s=timeout_s)
    return output if code == 0 else ""


def run_succeeds(root: str, *arguments: str) -> bool:
    """Return whether a git command exits with 0."""
    return run_command(root, arguments)[0] == 0


def run_command(
    root: str,
    arguments: Sequence[str],
    *,
    options: Sequence[str] = (),
    stdin: str = "",
    timeout_s: float = GIT_TIMEOUT_S,
) -> tuple[int, str]:
    """Run a git command in isolation and return its exit code and output; -1 if it cannot start or times out.

    `options` come before the command. Raises ValueError for a command that does more than inspect.
    """
    _require_inspection(arguments)
    return _run_process([*options, *arguments], root, _isolated_environment(root), stdin, timeout_s)


def stream_git(
    root: str,
    *arguments: str,
    options: Sequence[str] = (),
    stdin: str = "",
    separator: bytes = b"\0",
    timeout_s: float = GIT_TIMEOUT_S,
) -> Iterator[bytes]:
    """Run a git command in isolation and yield its output in chunks, long chunks truncated.

    Raises GitInterrupted if git fails, and ValueError for a command that does more than inspect.
    """
    import subprocess  # the hook path reads files only
    from tempfile import TemporaryFile
    from threading import Timer

    _require_inspection(arguments)
    try:
        # A file cannot block like a full pipe, so neither process waits for the other.
        with TemporaryFile() as input_file:
            input_file.write(stdin.encode("utf-8", "surrogateescape"))
            input_file.seek(0)
            process = subprocess.Popen(
                [find_git_program(), *_GUARDS, "-C", root, *options, *arguments],
                stdin=input_file,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_isolated_environment(root),
            )
    except (OSError, ValueError) as error:
        raise GitInterrupted(f"git cannot be started in {root}") from error
    deadline = Timer(timeout_s, process.kill)
    deadline.daemon = True
    deadline.start()
    with process:
        try:
            yield from _split_stream(process.stdout, separator)
            process.wait()
        finally:
            deadline.cancel()
            process.kill()
    if process.returncode != 0:
        raise GitInterrupted(f"git {arguments[0]} failed in {root}")


def read_work_tree_options(root: str, timeout_s: float = GIT_TIMEOUT_S) -> list[str] | None:
    """Return options with the settings that concern comparing the work tree: line ends, file modes, ignored files.

    They are the only settings of the user and of the repository that reach git. Return None if git fails.
    """
    keys = "|".join((*_WORK_TREE_VALUES, _EXCLUDES)).replace(".", r"\.")
    command = ("config", "--null", "--get-regexp", f"^({keys})$")
    code, listed = _run_process(command, root, _repository_environment(root), "", timeout_s)
    if code not in (0, 1):  # 1: no such key
        return None
    # The last value of a key counts; a key without a value is true.
    rows = (row.partition("\n") for row in listed.split("\0") if row)
    settings = {key.lower(): value if mark else "true" for key, mark, value in rows}
    return [
        word
        for key, value in sorted(settings.items())
        if key == _EXCLUDES or value.lower() in _WORK_TREE_VALUES.get(key, ())
        for word in ("-c", f"{key}={value}")
    ]


def read_user_email(root: str, timeout_s: float = GIT_TIMEOUT_S) -> str:
    """Return the e-mail address that the user set for all repositories; empty if there is none.

    The repository's own setting does not count: an unpacked folder could bring the address of its author.
    """
    return _read_user_setting(root, "user.email", timeout_s)


def read_user_name(root: str, timeout_s: float = GIT_TIMEOUT_S) -> str:
    """Return the name that the user set for all repositories; empty without one."""
    return _read_user_setting(root, "user.name", timeout_s)


def _read_user_setting(root: str, key: str, timeout_s: float) -> str:
    command = ("config", "--global", "--get", key)
    code, value = _run_process(command, root, _repository_environment(root), "", timeout_s)
    return value.strip() if code == 0 else ""


def read_table_ref(root: str, ref: str, timeout_s: float) -> str:
    """Return the value of a ref in reftable format: a commit, or `ref: ` and the name of another ref; may be empty.

    Only the repository's configuration tells git of this format. Looking up a ref runs no program.
    """
    environment = _repository_environment(root)
    code, target = _run_process(("symbolic-ref", "--quiet", ref), root, environment, "", timeout_s)
    if code == 0 and target.strip():
        return f"ref: {target.strip()}"
    code, commit = _run_process(("show-ref", "--verify", "--hash", ref), root, environment, "", timeout_s)
    return commit.strip() if code == 0 else ""


def _require_inspection(arguments: Sequence[str]) -> None:
    if not arguments or arguments[0] not in _INSPECTING:
        raise ValueError(f"git {' '.join(arguments[:1])} is not one of the commands that only inspect")


def _run_process(
    arguments: Sequence[str], root: str, environment: dict[str, str], stdin: str, timeout_s: float
) -> tuple[int, str]:
    import subprocess  # the hook path reads files only

    try:
        completed = subprocess.run(
            [find_git_program(), *_GUARDS, "-C", root, *arguments],
            input=stdin.encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=timeout_s,
            env=environment,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return -1, ""
    return completed.returncode, completed.stdout.decode("utf-8", "surrogateescape")


def _split_stream(output: IO[bytes] | None, separator: bytes) -> Iterator[bytes]:
    buffered = b""
    while output and (block := output.read(_PIECE_BYTES_MAX)):
        *complete_pieces, remainder = block.split(separator)
        for piece in complete_pieces:
            yield buffered + piece if buffered else piece
            buffered = b""
        buffered = (buffered + remainder)[:_PIECE_BYTES_MAX]
    if buffered:
        yield buffered


def find_git_program() -> str:
    """Find git in the absolute folders of the PATH; a relative folder may be the untrusted project's.

    Raises FileNotFoundError if git is not installed.
    """
    name = "git.exe" if os.name == "nt" else "git"
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError(name)


def _isolated_environment(root: str) -> dict[str, str]:
    """Return the environment in which git reads objects, index and work tree of a repository, but no configuration."""
    common = common_dir(root)
    config = read_file(os.path.join(common, "config")).lower().replace(" ", "").replace("\t", "")
    object_format = "sha256" if "\nobjectformat=sha256" in config else "sha1"
    isolation = {
        # The configuration, hooks, attributes and excludes come from the common folder.
        "GIT_COMMON_DIR": os.path.join(os.path.dirname(os.path.abspath(__file__)), "isolated", object_format),
        "GIT_OBJECT_DIRECTORY": os.path.join(common, "objects"),
        "GIT_SHALLOW_FILE": os.path.join(common, "shallow"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1",
    }
    return _repository_environment(root) | isolation


def _repository_environment(root: str) -> dict[str, str]:
    """Return the environment that names a repository to git and forbids network, prompts and writes.

    Git looks for no repository by itself: it could take a folder that poses as a bare one, or a work tree elsewhere.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    overrides = {
        "GIT_DIR": git_dir(root) or os.path.join(root, ".git"),
        "GIT_WORK_TREE": root,
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        # A partial clone would fetch missing objects from the URL in its configuration.
        "GIT_NO_LAZY_FETCH": "1",
        # A random name: git would run the helper of any protocol that is allowed.
        "GIT_ALLOW_PROTOCOL": os.urandom(16).hex(),
    }
    return inherited | overrides | {"LC_ALL": "C"}
