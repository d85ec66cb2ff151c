"""Answers of B1 by project, kept from one run to the next as long as neither the product nor the benchmarks change."""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from benchmarks import checkout

CODE = (Path(__file__).parent, Path(__file__).parents[1] / "src" / "holloway")
CODE_SUFFIXES = (".py", ".json", ".sql", ".scm")

Row = dict[str, Any]


def load(project: str) -> list[Row]:
    """Return the stored answers of a project; empty if none were stored by this very code."""
    file = _find_file(project)
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else []


def store(project: str, rows: list[Row]) -> None:
    """Store the answers of a project in one step, so that a killed run leaves none or all."""
    file = _find_file(project)
    part = file.with_suffix(".part")
    part.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    part.replace(file)


def _find_file(project: str) -> Path:
    return checkout.cache_folder() / f"b1_{project}_{hash_code()}.json"


@lru_cache(maxsize=1)
def hash_code() -> str:
    """Hash the files of the product and of the benchmarks that can change an answer."""
    digest = blake2b(digest_size=8)
    for folder in CODE:
        for file in sorted(path for path in folder.rglob("*") if path.suffix in CODE_SUFFIXES and _is_code(path)):
            digest.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _is_code(file: Path) -> bool:
    """Whether a file can change an answer: results and judgements of earlier runs cannot."""
    return not {"results", "judgements"}.intersection(file.parts)
