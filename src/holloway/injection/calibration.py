"""How far plans in a part of the code are off, and how many steps an agent should have there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from holloway.config import CALIBRATION_SAMPLES_MIN, STEP_LIMIT_FACTOR_MAX, STEP_LIMIT_MAX
from holloway.domain.memory_details import Calibration

if TYPE_CHECKING:
    from collections.abc import Iterable

Figure = tuple[str, Calibration]
"""The id of the memory that holds it, or nothing where it was counted just now."""


def telling(figures: Iterable[Figure]) -> list[Figure]:
    """Those that have samples enough to mean something."""
    return [(memory, details) for memory, details in figures if details.samples >= CALIBRATION_SAMPLES_MIN]


def step_limit(base: int, figures: Iterable[Figure]) -> int:
    """The steps to allow: as many more as the part that is most underestimated took, at most twice, at most 500."""
    ratios = [details.ratio for _, details in telling(figures)]
    factor = min(max([1.0, *ratios]), STEP_LIMIT_FACTOR_MAX)
    return min(math.ceil(base * factor), STEP_LIMIT_MAX)
