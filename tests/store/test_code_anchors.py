"""The code that a memory names, in the files that it is about."""

import time
from pathlib import Path

from holloway.store.code_anchors import ANCHORS_MAX, are_gone, find_anchors, has_code, list_named_code


def test_calls_identifiers_and_quotes_are_named_code() -> None:
    text = "refresh() reads retryLimit, REDIS_URL and `if not token: return`; Redis is no name, nor is make"
    assert list_named_code(text) == ["refresh", "retryLimit", "REDIS_URL", "if not token: return"]


def test_only_what_a_file_has_now_is_an_anchor(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def refresh(token):\n    if  not token:\n\treturn\n", "utf-8")
    (tmp_path / "b.py").write_text("makefile = refresh\n", "utf-8")
    text = "`if not token: return` in refresh() came from old_name, not from `make`"
    anchors = find_anchors(text, ["a.py", "b.py", "gone.py"], str(tmp_path))
    assert anchors == [("a.py", "if not token: return"), ("a.py", "refresh")]


def test_a_word_is_not_found_inside_another() -> None:
    assert not has_code(b"makefile remake", "make")
    assert has_code(b"x = make()", "make")
    assert has_code(b"a  &&\n b", "a && b")


def test_code_is_gone_when_half_of_it_is() -> None:
    anchors = [("a.py", "refresh"), ("a.py", "rotate"), ("a.py", "revoke")]
    assert not are_gone(anchors, {"a.py": b"refresh rotate"})
    assert not are_gone(anchors, {"b.py": b"refresh", "c.py": b"rotate"})
    assert are_gone(anchors, {"a.py": b"refresh"})
    assert are_gone(anchors[:2], {"a.py": b"refresh"})
    assert are_gone(anchors[:1], {})
    assert not are_gone([], {})


def test_many_names_and_hostile_text_are_bounded(tmp_path: Path) -> None:
    names = [f"name_{number}" for number in range(100)]
    (tmp_path / "a.py").write_text(" ".join(names), "utf-8")
    assert len(find_anchors(" ".join(names), ["a.py"], str(tmp_path))) == ANCHORS_MAX
    started = time.monotonic()
    list_named_code("a_" * 50_000 + "`" * 50_000 + "aA" * 50_000)
    assert time.monotonic() - started < 2
