"""Import of ONNX Runtime with its telemetry disabled."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


def import_onnxruntime() -> ModuleType:
    """Import and return the package (a quarter of a second); raises ImportError if it is missing.

    Its builds store a device id in the home folder and send telemetry, unless this variable is set before the library
    is loaded.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    return import_module("onnxruntime")
