"""The types that calls of the service take and return, for the edges to name."""

from __future__ import annotations

from holloway.codemap.graph import GraphNode, ReachedNode
from holloway.codemap.health import MapBusy
from holloway.codemap.modules.detection import Module
from holloway.codemap.modules.overview import Overview
from holloway.promotion.rules_files.rules_import import RuleChange, RulesImported, describe_origin
from holloway.promotion.trust_level import Standing
from holloway.retrieval.locate import LocateResult
from holloway.retrieval.recall import RecallResult
from holloway.store.candidates import StoredCandidate
from holloway.store.filter import Filter
from holloway.store.project import Project

__all__ = [
    "Filter",
    "GraphNode",
    "LocateResult",
    "MapBusy",
    "Module",
    "Overview",
    "Project",
    "ReachedNode",
    "RecallResult",
    "RuleChange",
    "RulesImported",
    "Standing",
    "StoredCandidate",
    "describe_origin",
]
