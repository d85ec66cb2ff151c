"""Optional packages: the error for one that is not installed, and the command that brings it into this installation."""

from __future__ import annotations

import json
import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from holloway.errors import HollowayError

TOOLS = {"uv-receipt.toml": "uv tool install --force", "pipx_metadata.json": "pipx install --force"}
"""What an installer that gives holloway an environment of its own leaves in it, and how it makes that anew."""

_OF_EXTRA = re.compile(r"""([\w.-]+).*extra == ["']([\w-]+)["']""")


class PackageMissing(HollowayError):
    """Something was asked for that needs a package which is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"The package {package} is not installed.", install(extra))


def install(extra: str = "") -> str:
    """The command that brings an extra, as this installation was made; without one, that makes it anew.

    An environment that is made anew has only what is asked for, so the extras that it has are asked for again.
    """
    anew = next((command for left, command in TOOLS.items() if Path(sys.prefix, left).exists()), "")
    wanted = {extra} if extra else set()
    wanted |= _present() if anew else set()
    named = f"holloway[{','.join(sorted(wanted))}]" if wanted else "holloway"
    origin = _origin()
    pip = "pip install" if find_spec("pip") else "uv pip install"
    command = anew or (pip if extra else f"{pip} --force-reinstall")
    return f'{command} "{named} @ {origin}"' if origin else f'{command} "{named}"'


def _present() -> set[str]:
    """The extras whose packages are there."""
    from importlib import metadata  # slow to load, and only a missing package needs it

    declared = metadata.requires("holloway") or []
    found = (_OF_EXTRA.match(requirement) for requirement in declared)
    return {one[2] for one in found if one and _is_installed(one[1])}


def _is_installed(package: str) -> bool:
    from importlib import metadata  # as above

    try:
        return bool(metadata.version(package))
    except metadata.PackageNotFoundError:
        return False


def _origin() -> str:
    """Where holloway was installed from, if not by its name: a clone, an archive, a repository."""
    from importlib import metadata  # as above

    try:
        told = json.loads(metadata.distribution("holloway").read_text("direct_url.json") or "{}")
    except metadata.PackageNotFoundError:
        return ""  # It runs from its source, without being installed.
    vcs = told.get("vcs_info", {}).get("vcs")
    return f"{vcs}+{told['url']}" if vcs else str(told.get("url", ""))


def find_invocation() -> str:
    """Return how to call holloway from a shell: `holloway` if that is on the PATH, else the full path of this one."""
    if shutil.which("holloway"):
        return "holloway"
    launcher = Path(sys.executable).with_name("holloway.exe" if sys.platform == "win32" else "holloway")
    return str(launcher) if launcher.exists() else f"{sys.executable} -I -m holloway"
