"""The names of files that were asked for lately are at hand, the others are read again, and memory stays bounded."""

from __future__ import annotations

from collections import Counter

from holloway.codemap.facts_cache import SCOPES_CACHED_MAX, FactsCache
from holloway.codemap.parse.facts import Facts

FACTS = Facts().encode_facts()


class Counted:
    """A source that knows how often each file was read."""

    def __init__(self) -> None:
        self.read: Counter[str] = Counter()

    def load_facts(self, path: str) -> tuple[str, bytes]:
        self.read[path] += 1
        return ("python", FACTS) if path.endswith(".py") else ("", b"")

    def load_mentions(self, path: str) -> bytes:
        return b'[["call","go",[-1],[3]]]' if path == "a.py" else b""


def test_a_file_that_everybody_asks_for_is_read_once_however_many_others_pass_by() -> None:
    source = Counted()
    read = FactsCache(source)
    for number in range(SCOPES_CACHED_MAX * 3):
        assert read.load_scopes("hub.py") is not None
        read.load_scopes(f"m{number}.py")
    assert source.read["hub.py"] == 1


def test_a_file_that_nobody_asked_for_since_as_many_others_were_is_read_again() -> None:
    source = Counted()
    read = FactsCache(source)
    first = read.load_scopes("a.py")
    assert read.load_scopes("a.py") is first
    for number in range(SCOPES_CACHED_MAX):
        read.load_scopes(f"m{number}.py")
    read.load_scopes("a.py")
    assert source.read["a.py"] == 2


def test_that_a_file_is_no_code_is_remembered_too() -> None:
    source = Counted()
    read = FactsCache(source)
    assert [read.load_scopes("README.md"), read.load_scopes("README.md")] == [None, None]
    assert source.read["README.md"] == 1


def test_what_was_just_read_need_not_be_read_again() -> None:
    source = Counted()
    read = FactsCache(source)
    read.add_parsed("a.py", "python", Facts())
    assert read.load_scopes("a.py") is not None
    assert source.read["a.py"] == 0


def test_mentions_are_those_of_the_file() -> None:
    read = FactsCache(Counted())
    assert [tuple(mention) for mention in read.load_mentions("a.py")] == [("call", "go", [-1], [3])]
    assert read.load_mentions("b.py") == []
