"""How holloway can be called from a shell, for people and agents who are told to."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path


def invocation() -> str:
    """`holloway` where that is on the PATH, else the whole path of the one that runs now."""
    if shutil.which("holloway"):
        return "holloway"
    beside = Path(sys.executable).with_name("holloway.exe" if sys.platform == "win32" else "holloway")
    return str(beside) if beside.exists() else f"{sys.executable} -I -m holloway"
