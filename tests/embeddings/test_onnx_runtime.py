"""The library that runs models leaves no identity behind and tells its maker nothing."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "holloway"
EMBEDS = (
    "from holloway.embeddings.builtin_model import BuiltinEmbedder; "
    "print(BuiltinEmbedder().embed(['a sentence']).shape)"
)


@pytest.mark.promise("nothing-is-sent")
def test_to_embed_a_text_leaves_no_trace_of_a_report_anywhere(tmp_path: Path) -> None:
    places = {name: tmp_path / name for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_STATE_HOME")}
    for place in places.values():
        place.mkdir(exist_ok=True)
    environment = {**os.environ, **{name: str(place) for name, place in places.items()}}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    done = subprocess.run([sys.executable, "-c", EMBEDS], env=environment, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("(1, 384)\n", "")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_it_is_loaded_in_one_place_only() -> None:
    named = re.compile(r"^.*\bonnxruntime\b.*\bimport\b.*$|^.*\bimport\b.*\bonnxruntime\b.*$", re.MULTILINE)
    found = {line for path in SOURCE.rglob("*.py") for line in named.findall(path.read_text("utf-8"))}
    assert found == {"    from onnxruntime import InferenceSession"}  # for types alone
