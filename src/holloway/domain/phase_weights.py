"""Weights of memory types by phase of work. Plain strings: hooks load this module."""

from __future__ import annotations

PHASE_WEIGHTS: dict[str, dict[str, float]] = {
    "define": {
        "workflow_recipe": 1.4,
        "dead_end": 1.2,
        "requirement": 1.2,
        "decision": 1.1,
        "task_calibration": 1.1,
        "gotcha": 0.8,
        "error_pattern": 0.8,
    },
    "implement": {
        "gotcha": 1.4,
        "error_pattern": 1.3,
        "causal_dependency": 1.2,
        "dead_end": 1.2,
        "pattern": 1.1,
        "prefetch_pattern": 1.1,
    },
    "validate": {
        "error_pattern": 1.4,
        "e2e_observation": 1.4,
        "requirement": 1.2,
        "work_unit_outcome": 1.1,
    },
    "refine": {"error_pattern": 1.3, "gotcha": 1.2, "dead_end": 1.2},
    "explore": {"module_insight": 1.4, "decision": 1.2, "pattern": 1.1},
    "reflect": {"work_unit_outcome": 1.4, "task_calibration": 1.3, "dead_end": 1.1},
}
"""Weight of a memory type in a phase, if it is not 1."""
