"""The Ollama that runs on this machine, as its own program lists it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holloway.service import local_models
from holloway.service.local_models import find_embedding_model

if TYPE_CHECKING:
    from pathlib import Path

LISTED = """\
NAME                       ID              SIZE      MODIFIED
llama3.2:latest            a80c4f17acd5    2.0 GB    2 days ago
nomic-embed-text:latest    0a109f422b47    274 MB    2 days ago
embeddinggemma:300m        85462619ee72    621 MB    2 days ago
"""


@pytest.fixture
def ollama(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program named ollama, first on the PATH; the test writes what it does."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder / "ollama"


def write(program: Path, script: str) -> None:
    program.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    program.chmod(0o700)


def test_the_best_embedding_model_of_a_running_ollama_is_found(ollama: Path) -> None:
    write(ollama, f"cat <<'END'\n{LISTED}END")
    assert find_embedding_model() == "embeddinggemma:300m"


def test_one_without_an_embedding_model_is_not_offered(ollama: Path) -> None:
    write(ollama, "printf 'NAME ID\\nllama3.2:latest a80c\\n\\n'")
    assert find_embedding_model() == ""


def test_no_ollama_is_no_error(ollama: Path) -> None:
    assert find_embedding_model() == ""


@pytest.mark.parametrize(
    "script", ["echo 'could not connect' >&2; exit 1", "exec sleep 20", "head -c 300000 /dev/zero"]
)
def test_one_that_fails_hangs_or_floods_is_not_offered(
    ollama: Path, script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_models, "OLLAMA_DEADLINE_S", 0.5)
    write(ollama, script)
    assert find_embedding_model() == ""
