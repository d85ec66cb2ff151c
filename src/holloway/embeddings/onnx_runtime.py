"""What runs models on this machine, told before it is loaded that it must not report to its maker."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


def onnxruntime() -> ModuleType:
    """The package of that name, a quarter of a second; raises ImportError where it is missing.

    Its builds note a device identity in the home folder and send what they count, unless this variable is set before
    the library is loaded.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    return import_module("onnxruntime")
