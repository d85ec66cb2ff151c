"""JSON for hooks reads and writes what the standard module does, and loads neither it nor `re`."""

from __future__ import annotations

import io
import json
import math
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway import fast_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_values_are_written_and_read_as_the_standard_module_does(value: Any) -> None:
    written = json.dumps(value)
    assert fast_json.dumps(value) == written
    assert fast_json.dumps(value, separators=(",", ":")) == json.dumps(value, separators=(",", ":"))
    assert fast_json.loads(written) == fast_json.loads(f"\n\t {written} ".encode()) == value
    assert fast_json.load(io.StringIO(written)) == fast_json.load(io.BytesIO(written.encode())) == value


@given(st.text() | st.binary())
def test_any_text_gives_the_value_or_the_error_of_the_standard_module(text: str | bytes) -> None:
    try:
        expected = json.loads(text)
    except ValueError as error:
        with pytest.raises(type(error)):
            fast_json.loads(text)
    else:
        assert fast_json.loads(text) == expected


@pytest.mark.parametrize("text", ["", "{", "[1] 2", "nul", '"\n"', b"\xff", "\ufeff{}"])
def test_a_document_that_is_not_whole_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        fast_json.loads(text)


def test_other_encodings_and_numbers_that_are_not_finite_are_read() -> None:
    assert fast_json.loads("[1]".encode("utf-16")) == fast_json.loads(b"\xef\xbb\xbf[1]") == [1]
    assert math.isnan(fast_json.loads("NaN"))
    assert fast_json.loads("[Infinity, -Infinity]") == [math.inf, -math.inf]


def test_a_lone_surrogate_survives() -> None:
    assert fast_json.loads(fast_json.dumps("\ud800")) == "\ud800"


def test_what_json_does_not_have_is_refused() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(TypeError, match="set is not JSON serializable"):
        fast_json.dumps({1})
    with pytest.raises(ValueError, match="Circular"):
        fast_json.dumps(loop)


def run_alone(code: str) -> str:
    """What code prints in a Python that has loaded nothing yet."""
    source = str(fast_json.__file__).rpartition("/holloway/")[0]
    alone = f"import sys; sys.path.insert(0, {source!r}); from holloway import fast_json\n{code}"
    return subprocess.run([sys.executable, "-IS", "-c", alone], capture_output=True, text=True, check=True).stdout


def test_the_standard_module_and_its_imports_are_not_loaded() -> None:
    code = "fast_json.loads(fast_json.dumps({'a': 1}))\nprint({'json', 're', 'enum', 'functools'} & set(sys.modules))"
    assert run_alone(code) == "set()\n"


@pytest.mark.parametrize("text", ["{", '{"a', "[1,]", '"\\x"', "nul"])
def test_a_broken_document_is_refused_before_the_standard_module_is_loaded(text: str) -> None:
    code = f"try:\n  fast_json.loads({text!r})\nexcept ValueError as error:\n  print(type(error).__name__)"
    assert run_alone(code) == "JSONDecodeError\n"


def test_another_python_uses_the_standard_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_json, "_scan", None)
    assert fast_json.loads(fast_json.dumps({"a": [1]}, separators=(",", ":"))) == {"a": [1]}
