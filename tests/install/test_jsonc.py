"""JSON texts changed in one place: whatever their form, the rest says what it said."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holloway.config import JSON_DEPTH_MAX
from holloway.install import jsonc

SPACES = st.sampled_from(["", " ", "\n", "\n  ", "\t", "// c\n", "/* x */", "\r\n    ", " // y\n  "])
SCALARS = st.sampled_from(["1", '"a"', "null", "true", "-2.5e3", r'"\ud800"', '"//x"', r'"\"}"', "0"])


@st.composite
def texts(draw: st.DrawFn, depth: int = 0) -> str:
    """A JSON text with comments, odd spaces and commas too many."""
    kind = draw(st.sampled_from(["scalar", "object", "array"] if depth else ["object"])) if depth < 3 else "scalar"
    if kind == "scalar":
        return draw(SCALARS)
    size = draw(st.integers(0, 3))
    keys = [f'"k{number}"{draw(SPACES)}:{draw(SPACES)}' if kind == "object" else "" for number in range(size)]
    inner = ",".join(f"{draw(SPACES)}{key}{draw(texts(depth=depth + 1))}{draw(SPACES)}" for key in keys)
    extra = "," if size and draw(st.booleans()) else ""
    opening, closing = "{}" if kind == "object" else "[]"
    return f"{opening}{draw(SPACES)}{inner}{extra}{draw(SPACES)}{closing}"


def places(value: object, path: jsonc.Path = ()) -> list[tuple[jsonc.Path, object]]:
    """Every value in a value, with the way to it."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(path, value), *(each for key, child in inner for each in places(child, (*path, key)))]


def at(value: Any, path: jsonc.Path) -> Any:
    """The value at the end of a way."""
    for step in path:
        value = value[step]
    return value


def changed(text: str, path: jsonc.Path) -> tuple[str, jsonc.Path]:
    """The text with something new in the object or array at a path, and the way to that."""
    holder = at(read(text), path)
    if isinstance(holder, dict):
        return jsonc.add_member(text, path, "new", {"a": [1, 2]}), (*path, "new")
    return jsonc.append_item(text, path, {"a": [1, 2]}), (*path, len(holder))


def read(text: str) -> Any:
    """What a text says."""
    return jsonc.scan_text(text).root.value


@given(texts(), st.data())
@settings(max_examples=max(200, settings().max_examples), deadline=None)
def test_what_is_put_in_is_there_alone_and_comes_out_again(text: str, data: st.DataObject) -> None:
    before = read(text)
    holders = [path for path, value in places(before) if isinstance(value, dict | list)]
    path = data.draw(st.sampled_from(holders))
    after, way = changed(text, path)
    expected = copy.deepcopy(before)
    holder = at(expected, path)
    holder.update(new={"a": [1, 2]}) if isinstance(holder, dict) else holder.append({"a": [1, 2]})
    assert read(after) == expected
    assert read(jsonc.remove_value(after, way)) == before


@given(texts(), st.data())
@settings(max_examples=max(200, settings().max_examples), deadline=None)
def test_any_value_can_be_taken_out_or_replaced_alone(text: str, data: st.DataObject) -> None:
    before = read(text)
    inner = [path for path, _ in places(before) if path]
    if not inner:
        return
    path = data.draw(st.sampled_from(inner))
    without, with_other = copy.deepcopy(before), copy.deepcopy(before)
    del at(without, path[:-1])[path[-1]]
    at(with_other, path[:-1])[path[-1]] = "other"
    assert read(jsonc.remove_value(text, path)) == without
    assert read(jsonc.replace_value(text, path, "other")) == with_other


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{}\n",
        '{"a": 1}',
        '{"a":1,"b":2}',
        '{"a": 1,}',
        '{\n  "a": 1\n}\n',
        '{\n\t"a": 1 // c\n}',
        "{ // c\n}",
        '{\n  "a": 1, // c\n}',
        '\ufeff{\r\n    "a": 1\r\n}\r\n',
        '{"a":1 // x\n,"b":2 // y\n}',
    ],
)
def test_in_an_ordinary_text_taking_out_restores_every_sign(text: str) -> None:
    assert jsonc.remove_value(jsonc.add_member(text, (), "new", {"x": 1}), ("new",)) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 1"),
        ('{\n"a" 1}', "no colon in line 2"),
        ('{"a": 1 "b": 2}', "no comma in line 1"),
        ("{'a': 1}", "no key in line 1"),
        ('{"a": nope}', "no value in line 1"),
        ('{"a": 01}', "no value in line 1"),
        ("{} {}", "more than one value in line 1"),
        ("[" * (JSON_DEPTH_MAX + 2), "too many levels in line 1"),
        ("/* open", "no value in line 1"),
    ],
)
def test_a_text_that_is_no_json_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        jsonc.scan_text(text)


def test_of_a_large_plain_text_only_what_lies_on_the_way_is_looked_into() -> None:
    text = json.dumps({"history": [{"n": number} for number in range(500)], "servers": {"a": {}}})
    found = jsonc.scan_text(text)
    assert found.find_node(("servers", "a")) is not None
    history = found.root.children[0]
    assert (history.closed, history.children) == (True, [])


def test_values_with_comments_are_not_tried_in_one_stroke_for_ever() -> None:
    text = "[" + ",".join('{"a": 1 /* c */}' for _ in range(jsonc.SHORTCUTS_MAX * 3)) + "]"
    found = jsonc.scan_text(text)
    assert found.reader.shortcuts == 0
    assert found.root.value == [{"a": 1}] * (jsonc.SHORTCUTS_MAX * 3)


@given(st.text(max_size=60))
@settings(max_examples=max(200, settings().max_examples), deadline=None)
def test_what_python_reads_we_read_alike_and_no_text_breaks_the_scan(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        expected = None
    try:
        found = read(text)
    except ValueError:
        found = None
    if expected is not None and not {"NaN", "Infinity"} & set(text.replace("-", " ").split()):
        assert found == expected
