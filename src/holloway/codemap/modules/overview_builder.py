"""Builds the overview of a codebase after indexing and stores it in the map."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.codemap.build_commands import detect
from holloway.codemap.modules.overview import Overview, OverviewModule
from holloway.codemap.parse.languages import LANGUAGES

if TYPE_CHECKING:
    from holloway.codemap.database import MapDatabase
    from holloway.codemap.modules.detection import Module

LANGUAGES_SHOWN = 4
CORE_SHOWN = 3


def build_overview(database: MapDatabase, root: Path, modules: list[Module]) -> Overview:
    """Build the overview from a map and store it there. The caller holds the transaction."""
    rows = database.fetch_rows("SELECT language, COUNT(*) FROM files WHERE language != '' GROUP BY language")
    counted: dict[str, int] = {}
    for language, number in rows:
        name = str(LANGUAGES.get(language) or language.title())
        counted[name] = counted.get(name, 0) + number
    names = {row[0] for row in database.fetch_rows("SELECT path FROM files")}
    commands = detect.detect_commands(root, names)
    overview = Overview(
        files=len(names),
        source_files=sum(counted.values()),
        languages=tuple(sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:LANGUAGES_SHOWN]),
        modules=tuple(_summarise_module(module) for module in modules if not module.hidden and not module.support),
        build=commands.build,
        test=commands.test,
        lint=commands.lint,
        test_tool=commands.test_tool,
    )
    database.set_meta("overview", json.dumps(asdict(overview), ensure_ascii=False))
    return overview


def _summarise_module(module: Module) -> OverviewModule:
    return OverviewModule(
        module.name,
        module.folder,
        len(module.files),
        module.core[:CORE_SHOWN],
        module.tests[0] if module.tests else "",
    )
