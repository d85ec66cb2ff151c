"""The types that calls of the service take and return, for the edges to name, and results as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holloway.codemap.graph import GraphNode, ReachedNode
from holloway.codemap.health import MapBusy
from holloway.codemap.modules.module import Module
from holloway.codemap.modules.overview import Overview
from holloway.domain import memory_json as json_fields
from holloway.promotion.history_harvest import Harvest
from holloway.promotion.host_notes_import import NotesImported
from holloway.promotion.rules_files.rules_import import RuleChange, RulesImported, describe_origin
from holloway.promotion.trust_level import Standing
from holloway.retrieval.locate import LocateResult
from holloway.retrieval.recall import RecallResult
from holloway.safety.repository_text import admit, only_paths
from holloway.store.bulk_changes import BulkChange
from holloway.store.candidates import StoredCandidate
from holloway.store.contributions import Proposal
from holloway.store.filter import Filter
from holloway.store.memories import UnknownMemory
from holloway.store.project import Project
from holloway.store.told_texts import ToldText

if TYPE_CHECKING:
    from datetime import datetime

    from holloway.domain.memory import Memory


__all__ = [
    "BulkChange",
    "Filter",
    "GraphNode",
    "Harvest",
    "LocateResult",
    "MapBusy",
    "Module",
    "NotesImported",
    "Overview",
    "Project",
    "Proposal",
    "ReachedNode",
    "RecallResult",
    "RuleChange",
    "RulesImported",
    "Standing",
    "StoredCandidate",
    "ToldText",
    "UnknownMemory",
    "describe_origin",
    "memory_json",
    "result_json",
]


def memory_json(memory: Memory, now: datetime) -> dict[str, Any]:
    """Return a memory with all its fields; paths and branch names that the output gate withholds are left out."""
    fields = json_fields.memory_json(memory, now)
    return fields | {
        "files": list(only_paths(memory.files)),
        "branch": admit("branch", memory.branch),
        "branch_only": admit("branch", memory.branch_only),
        # The origin of unfinished work ends with its branch.
        "origin": memory.origin if not memory.branch or admit("branch", memory.branch) else "",
        "relations": [
            fields_of_relation | {"path": admit("path", str(fields_of_relation["path"]))}
            for fields_of_relation in fields["relations"]
        ],
    }


def result_json(result: RecallResult, now: datetime) -> dict[str, Any]:
    """Return a search result with its score, the result of each stage, and its project."""
    return {
        **memory_json(result.memory, now),
        "score": round(result.score, 4),
        "stages": {stage: round(value, 4) for stage, value in result.stages.items()},
        "project": result.project,
    }
