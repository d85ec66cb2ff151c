"""Table of supported programming languages: file suffixes, tree-sitter grammars, query files, and families."""

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


PACKAGE_FAMILIES = frozenset({"go", "java"})
"""Families in which the files of one folder see each other's names without an import."""

OPEN_FAMILIES = frozenset({"go", "rust", "csharp", "ruby", "java"})
"""Families in which a name may have a meaning that its file does not show: classes are extended elsewhere, or files see
the names of their siblings."""

BARE_MEMBERS = frozenset({"java", "csharp", "c", "ruby", "php"})
"""Families in which code inside a class refers to members, also inherited ones, without a prefix such as `self`."""

PACKAGE_FILE_STEMS = {"__init__": "python", "index": "javascript", "mod": "rust", "lib": "rust", "main": "rust"}
"""Files that stand for the folder that contains them, and the family that treats them so."""

CONSTRUCTOR_NAMES = {
    "python": ("__init__", "__new__"),
    "javascript": ("constructor",),
    "php": ("__construct",),
    "ruby": ("initialize",),
}
"""Names of constructors; in other families the constructor is named like its class."""


class RareQuery(NamedTuple):
    """A query for constructs that few files contain; compiling it takes as long as a small language's query."""

    query: str
    pattern: re.Pattern[bytes]
    """A file without this pattern has no match for the query; one with it may still have none."""


class Language(NamedTuple):
    """How files of one language are recognised and parsed."""

    name: str
    suffixes: tuple[str, ...]
    package: str
    """The Python package of the grammar."""
    loader: str = "language"
    queries: tuple[str, ...] = ()
    """The query files, if there are others than the one named like the language."""
    rare: tuple[RareQuery, ...] = ()
    """Query files for rare constructs."""
    family: str = ""
    """Whose import rules apply, if not the language's."""
    selves: tuple[str, ...] = ()
    """The names by which code inside a class refers to the instance or the class."""
    display_name: str = ""
    """Display name, if it is not the capitalised name."""
    calls: bool = True
    """Whether calls are resolved; otherwise only definitions and imports are read."""

    def __str__(self) -> str:
        return self.display_name or self.name.title()


_COMMONJS = (
    RareQuery("require", re.compile(rb"require\s*(?:\(\s*[\"']|[<?/])")),
    RareQuery("exports", re.compile(rb"exports\s*[.=/]")),
    RareQuery("prototype", re.compile(rb"prototype\s*[./][^=;(]{0,200}=")),
)
"""JavaScript's constructs from before it had modules and classes; comments may stand between the tokens."""

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
        display_name="TypeScript",
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
        display_name="TypeScript",
    ),
    Language(
        "javascript",
        (".js", ".jsx", ".mjs", ".cjs"),
        "tree_sitter_javascript",
        queries=("ecmascript", "javascript", "jsx"),
        rare=_COMMONJS,
        selves=("this",),
        display_name="JavaScript",
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
        display_name="C++",
        calls=False,
    ),
    Language("csharp", (".cs",), "tree_sitter_c_sharp", display_name="C#", calls=False),
    Language("ruby", (".rb", ".rake"), "tree_sitter_ruby", calls=False),
    Language("php", (".php",), "tree_sitter_php", loader="language_php", display_name="PHP", calls=False),
    Language("kotlin", (".kt", ".kts"), "tree_sitter_kotlin", family="java", calls=False),
)

LANGUAGES = {row.name: row for row in _ROWS}
_BY_SUFFIX = {suffix: row for row in _ROWS for suffix in row.suffixes}


def language_of(path: str) -> Language | None:
    """Return the language of a file by its suffix, or None: then only its text is indexed."""
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
    """Return the suffix of a file name, with its dot, in lower case."""
    stem, dot, end = path.rpartition("/")[2].rpartition(".")
    return f".{end.lower()}" if dot and stem else ""


def find_family(name: str) -> str:
    """Return the language family, whose import rules apply to that language."""
    row = LANGUAGES.get(name)
    return (row.family or row.name) if row else ""


@cache
def _load_grammar(name: str) -> Grammar:
    from tree_sitter import Language as Grammar

    row = LANGUAGES[name]
    return Grammar(getattr(import_module(row.package), row.loader)())


@cache
def load_parser(name: str) -> tuple[Parser, Query]:
    """Return the parser and the compiled query of a language; created once per process."""
    from tree_sitter import Parser, Query

    row = LANGUAGES[name]
    return Parser(_load_grammar(name)), Query(_load_grammar(name), _read_queries(row.queries or (row.name,)))


@cache
def load_rare_query(name: str, query: str) -> Query:
    """Return a compiled query for rare constructs of a language; created once per process."""
    from tree_sitter import Query

    return Query(_load_grammar(name), _read_queries((query,)))


def _read_queries(queries: Iterable[str]) -> str:
    folder = Path(__file__).with_name("queries")
    return "\n".join(folder.joinpath(f"{query}.scm").read_text("utf-8") for query in queries)
