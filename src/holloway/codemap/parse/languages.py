"""The languages that the map reads: one row each, one query file each."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from holloway.text.file_roles import is_test

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tree_sitter import Language as Grammar
    from tree_sitter import Parser, Query


class Rare(NamedTuple):
    """A query for what few files have. It takes as long to prepare as a small language's own."""

    query: str
    sign: re.Pattern[bytes]
    """A file without it has nothing that the query would find; one with it may still have nothing."""


class Language(NamedTuple):
    """How one language is recognised and read."""

    name: str
    suffixes: tuple[str, ...]
    package: str
    """The grammar's package."""
    loader: str = "language"
    queries: tuple[str, ...] = ()
    """The query files, where there is more than the one of the language's own name."""
    rare: tuple[Rare, ...] = ()
    """The query files for what few files have."""
    family: str = ""
    """Which rules find the file behind an import, where they are not the language's own."""
    selves: tuple[str, ...] = ()
    """What code inside a class calls the instance or the class itself."""
    shown: str = ""
    """Its name as people write it, where that is not its own with a capital."""
    calls: bool = True
    """Whether calls are followed; else definitions and imports are all that is read."""

    def __str__(self) -> str:
        return self.shown or self.name.title()


_COMMONJS = (
    Rare("require", re.compile(rb"require\s*(?:\(\s*[\"']|[<?/])")),
    Rare("exports", re.compile(rb"exports\s*[.=/]")),
    Rare("prototype", re.compile(rb"prototype\s*[./][^=;(]{0,200}=")),
)
"""What JavaScript wrote before it had modules and classes; a comment may stand between the signs."""

PROSE_SUFFIXES = frozenset({".md", ".rst", ".txt", ".adoc", ".mdx"})
_CONFIG_SUFFIXES = frozenset(
    {".toml", ".json", ".yaml", ".yml", ".ini", ".cfg", ".conf", ".env", ".properties", ".xml"}
)

_ROWS = (
    Language("python", (".py", ".pyi"), "tree_sitter_python", selves=("self", "cls")),
    Language(
        "typescript",
        (".ts", ".mts", ".cts"),
        "tree_sitter_typescript",
        loader="language_typescript",
        queries=("ecmascript", "typescript"),
        rare=_COMMONJS,
        family="javascript",
        selves=("this",),
        shown="TypeScript",
    ),
    Language(
        "tsx",
        (".tsx",),
        "tree_sitter_typescript",
        loader="language_tsx",
        queries=("ecmascript", "typescript", "jsx"),
        rare=_COMMONJS,
        family="javascript",
        selves=("this",),
        shown="TypeScript",
    ),
    Language(
        "javascript",
        (".js", ".jsx", ".mjs", ".cjs"),
        "tree_sitter_javascript",
        queries=("ecmascript", "javascript", "jsx"),
        rare=_COMMONJS,
        selves=("this",),
        shown="JavaScript",
    ),
    Language("go", (".go",), "tree_sitter_go"),
    Language("rust", (".rs",), "tree_sitter_rust", selves=("self", "Self")),
    Language("java", (".java",), "tree_sitter_java", selves=("this",)),
    Language("c", (".c", ".h"), "tree_sitter_c", calls=False),
    Language(
        "cpp",
        (".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx"),
        "tree_sitter_cpp",
        family="c",
        shown="C++",
        calls=False,
    ),
    Language("csharp", (".cs",), "tree_sitter_c_sharp", shown="C#", calls=False),
    Language("ruby", (".rb", ".rake"), "tree_sitter_ruby", calls=False),
    Language("php", (".php",), "tree_sitter_php", loader="language_php", shown="PHP", calls=False),
    Language("kotlin", (".kt", ".kts"), "tree_sitter_kotlin", family="java", calls=False),
)

LANGUAGES = {row.name: row for row in _ROWS}
_BY_SUFFIX = {suffix: row for row in _ROWS for suffix in row.suffixes}


def language_of(path: str) -> Language | None:
    """The language that a file's name tells, or None: its text is then all that is read."""
    return _BY_SUFFIX.get(suffix_of(path))


def role_of(path: str) -> str:
    """Return what a file is for by its name: `source`, `test`, `config`, `prose` or `other`."""
    if language_of(path):
        return "test" if is_test(path) else "source"
    suffix = suffix_of(path)
    if suffix in PROSE_SUFFIXES:
        return "prose"
    return "config" if suffix in _CONFIG_SUFFIXES else "other"


def suffix_of(path: str) -> str:
    """The end of a file's name, with its dot, in small letters."""
    stem, dot, end = path.rpartition("/")[2].rpartition(".")
    return f".{end.lower()}" if dot and stem else ""


def family(name: str) -> str:
    """The rules that find the file behind an import in that language."""
    row = LANGUAGES.get(name)
    return (row.family or row.name) if row else ""


@cache
def _compiled(name: str) -> Grammar:
    from tree_sitter import Language as Grammar

    row = LANGUAGES[name]
    return Grammar(getattr(import_module(row.package), row.loader)())


@cache
def grammar(name: str) -> tuple[Parser, Query]:
    """The parser and the compiled query of a language; made once per process."""
    from tree_sitter import Parser, Query

    row = LANGUAGES[name]
    return Parser(_compiled(name)), Query(_compiled(name), _source(row.queries or (row.name,)))


@cache
def rare_query(name: str, query: str) -> Query:
    """A query for what few files of a language have; made once per process."""
    from tree_sitter import Query

    return Query(_compiled(name), _source((query,)))


def _source(queries: Iterable[str]) -> str:
    folder = Path(__file__).with_name("queries")
    return "\n".join(folder.joinpath(f"{query}.scm").read_text("utf-8") for query in queries)
