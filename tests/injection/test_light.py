"""What a hook needs of the points loads almost nothing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import holloway

HEAVY = {"dataclasses", "typing", "pathlib", "subprocess", "logging", "inspect", "click", "rich", "tomllib", "asyncio"}


@pytest.mark.promise("light")
def test_tool_and_step_points_load_almost_nothing() -> None:
    code = (
        "import sys, json; before = set(sys.modules)\n"
        "from holloway.injection import known_facts, memory_text, reader, relevance, session_state\n"
        "from holloway.injection import step, template, tool_result\n"
        "import holloway.text.failures\n"
        "template.lines('step'), template.lines('tool_result')\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    source = str(Path(holloway.__file__).parents[1])
    flags = ["-I", "-S", "-c", f"import sys; sys.path.insert(0, {source!r})\n{code}"]
    done = subprocess.run([sys.executable, *flags], capture_output=True, text=True, check=True, timeout=20)
    loaded = json.loads(done.stdout)
    assert {name.split(".")[0] for name in loaded} & HEAVY == set()
    assert not any(name.startswith("holloway.domain") for name in loaded)


@pytest.mark.promise("light")
def test_a_prompt_and_a_session_start_load_no_parser_and_nothing_that_only_an_index_needs() -> None:
    code = (
        "from holloway.injection import project_map, prompt, prompt_text, session_start\n"
        "import holloway.codemap.modules.overview, holloway.retrieval.locate\n"
    )
    flags = ["-I", "-c", f"import sys, json\n{code}print(json.dumps(sorted(sys.modules)))"]
    done = subprocess.run([sys.executable, *flags], capture_output=True, text=True, check=True, timeout=60)
    unneeded = {"tree_sitter", "filelock", "multiprocessing", "numpy", "onnxruntime", "difflib", "importlib.resources"}
    loaded = json.loads(done.stdout)
    assert unneeded & set(loaded) == set()
    assert not any(name.startswith("holloway.service") for name in loaded)
