"""Optional packages (extras): the error for a missing one, with the command that installs it here."""

from __future__ import annotations

import json
import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from holloway.errors import HollowayError

INSTALL_TOOLS = {"uv-receipt.toml": "uv tool install --force", "pipx_metadata.json": "pipx install --force"}
"""Marker file of each installer that uses a separate environment, with its command to reinstall."""

_OF_EXTRA = re.compile(r"""([\w.-]+).*extra == ["']([\w-]+)["']""")


class PackageMissing(HollowayError):
    """An optional package is needed that is not installed; the hint is the command that installs it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"The package {package} is not installed.", install_command(extra))


def install_command(extra: str = "") -> str:
    """Return the command that installs an extra the way holloway was installed; without one, that reinstalls it.

    uv and pipx recreate the environment, so their command repeats the extras that are installed already.
    """
    tool_command = next((command for marker, command in INSTALL_TOOLS.items() if Path(sys.prefix, marker).exists()), "")
    extras = {extra} if extra else set()
    extras |= _installed_extras() if tool_command else set()
    requirement = f"holloway[{','.join(sorted(extras))}]" if extras else "holloway"
    origin = _install_origin()
    pip = "pip install" if find_spec("pip") else "uv pip install"
    command = tool_command or (pip if extra else f"{pip} --force-reinstall")
    return f'{command} "{requirement} @ {origin}"' if origin else f'{command} "{requirement}"'


def _installed_extras() -> set[str]:
    """Return the extras whose packages are installed."""
    from importlib import metadata  # slow to load, and only a missing package needs it

    declared = metadata.requires("holloway") or []
    matches = (_OF_EXTRA.match(requirement) for requirement in declared)
    return {match[2] for match in matches if match and _is_installed(match[1])}


def _is_installed(package: str) -> bool:
    from importlib import metadata  # as above

    try:
        return bool(metadata.version(package))
    except metadata.PackageNotFoundError:
        return False


def _install_origin() -> str:
    """Return the URL holloway was installed from (a clone, an archive, a repository); empty for an index."""
    from importlib import metadata  # as above

    try:
        direct_url = json.loads(metadata.distribution("holloway").read_text("direct_url.json") or "{}")
    except metadata.PackageNotFoundError:
        return ""  # runs from source, not installed
    vcs = direct_url.get("vcs_info", {}).get("vcs")
    return f"{vcs}+{direct_url['url']}" if vcs else str(direct_url.get("url", ""))


def find_invocation() -> str:
    """Return how to call holloway from a shell: `holloway` if that is on the PATH, else the full path of this one."""
    if shutil.which("holloway"):
        return "holloway"
    launcher = Path(sys.executable).with_name("holloway.exe" if sys.platform == "win32" else "holloway")
    return str(launcher) if launcher.exists() else f"{sys.executable} -I -m holloway"
