"""Whether text of a repository looks like what it claims to be: a path, a name, a command.

Whoever writes a repository chooses its file names, identifiers and commands, so a sentence in one of them would speak
to the agent that reads our answer. Text that does not look like what it claims to be is left out, never repaired, and
prose (commit subjects, headings, descriptions, author names) is not shown at all.
"""

from __future__ import annotations

import re
import shlex
from functools import lru_cache
from typing import TYPE_CHECKING
from unicodedata import combining, normalize

from holloway.text import programs

if TYPE_CHECKING:
    from collections.abc import Iterable

TEXT_CHARS_MAX = 300
NAME_WORDS_MAX = 6
"""Words of one identifier, a leading `test` aside; with more it is a sentence."""
PATH_PART_CHARS_MAX = 100
PATH_WORDS_MAX = 7
"""Words of one folder or file name."""
SPACED_WORDS_MAX = 4
"""Words of a file name that are separated by spaces."""
ORDER_WORDS_MIN = 3
PHRASE_WORDS_MIN = 4
"""Fewer words can hardly instruct anybody: with an order in them, or otherwise."""
COMMAND_WORDS_MAX = 12
BARE_WORDS_MAX = 4
"""Arguments of a command that are nothing but letters: subcommands, tasks, folders."""
EXPRESSION_WORDS_MAX = 5
CACHED = 20_000

_LETTER = "A-Za-z0-9_\u00c0-\u024f"
_NAME = re.compile(rf"[{_LETTER}$@#.:~-]{{1,160}}[?!=]?\Z")
_PATH = re.compile(rf"[{_LETTER}$@#.~+,&'()\[\]=!% /-]{{1,{TEXT_CHARS_MAX}}}\Z")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z\u00c0-\u024f]+")
"""A word of a name; numbers are none."""
_EXTENSION = re.compile(r"(?<=.)\.\w{1,8}\Z")
_NAME_PARTS = re.compile(r"[.:#]+")
_ARGUMENT = re.compile(r"[A-Za-z0-9_@%+=:,./*\[\]~^-]{1,100}\Z")
_ASSIGNMENT = re.compile(r"[A-Z_][A-Z0-9_]{0,40}=[\w./:,@+-]{0,60}\Z", re.ASCII)
_PUNCTUATED = re.compile(r"[A-Za-z][,:.;!?]\Z")
"""An argument that ends as a part of a sentence does."""
_OPERATORS = frozenset({"and", "or", "not"})
_VERSIONED = re.compile(r"[\w-]@")
_EXPRESSION = re.compile(r"[A-Za-z0-9_.:* -]{1,60}\Z")
_FOLDER_CHANGE = re.compile(r"cd ([\w./@+-]{1,120}) && ", re.ASCII)
_SCRIPT = re.compile(r"(?:\./)?(?:[\w.@+-]{1,60}/){0,6}[\w.@+-]{1,60}\Z", re.ASCII)

_ADDRESSES = frozenset({"please", "you", "your", "yours", "yourself", "everyone"})
"""Words that only a sentence to a reader has."""
_READERS = frozenset("agent agents assistant assistants claude codex copilot gemini llm ai".split())
_OBLIGES = frozenset("must should shall always never need needs required requires".split())
_DISMISSES = frozenset({"ignore", "disregard", "forget", "override", "bypass", "skip"})
_DISMISSED = frozenset("rules rule instructions previous prior all everything checks".split())
_ACTS = frozenset("run install execute fetch curl wget download".split())
_URGES = frozenset("always must please first before immediately now never every".split())
_FUNCTION_WORDS = frozenset(
    "a an and are as at be because but by can every first for has have if in is it its must need needs of on only or "
    "please shall should so tell that the their them then this to until we when which with you your".split()
)
"""Words that a sentence needs and a command does without."""
_INSTALLS = frozenset("install i add get tool require use download wheel".split())
_GROUP_FLAGS = frozenset({"--without", "--only", "--extra", "--extras", "--group", "-E"})
_STRANGERS = ("--with", "--package", "--registry", "--index", "--extra-index", "--find-links", "--from")
"""Options that bring in a package or an index which the project does not list."""
_PACKAGE_RUNNERS = frozenset("npx bunx uvx pnpx pipx".split())
_PACKAGE_MANAGERS = frozenset("npm pnpm yarn bun".split())
_RUNS_PACKAGE = frozenset({"exec", "dlx", "x"})
_LISTS = (".txt", ".toml", ".lock", ".in")
"""Endings of files that list what a project needs."""
_JOINS = frozenset("and every must please should tell the then to you your".split())
_EXPRESSION_FLAGS = ("-k", "-m", "--grep", "-g", "-t", "-run", "--filter", "--tags")
_PROGRAMS = frozenset(
    "ant autoconf b2 bazel bin/rails buck2 bun bunx bundle cabal cargo cmake composer configure coverage crystal ctest "
    "dart deno dotnet dub dune earthly elixir flutter gleam go golangci-lint gradle gradlew grunt gulp hatch helm "
    "invoke just kubectl lein lerna mage make meson mise mix moon mvn mvnw nimble ninja node nox npm npx nx pants pdm "
    "php phpstan phpunit pip pipenv pipx pixi pnpm poe poetry pre-commit prove py.test pytest python python3 rails "
    "rake rebar3 rspec ruby ruff rye sbt scons setup.py sphinx-build stack stestr swift task terraform tox turbo "
    "unittest uv uvx vite vitest waf xcodebuild yarn zig zope-testrunner".split()
)
"""Programs that build and run projects; those that test and check are listed in `text.programs`."""


def is_path(text: str) -> bool:
    """Whether a path reads as a path, not as a sentence."""
    if len(text) > TEXT_CHARS_MAX or not _PATH.match(text):
        return False
    return _reads_as_path(text)


@lru_cache(maxsize=CACHED)
def _reads_as_path(text: str) -> bool:
    names = text.split("/")
    if any(not name or len(name) > PATH_PART_CHARS_MAX or len(name.split()) > SPACED_WORDS_MAX for name in names):
        return False
    if sum(" " in name for name in names) > 1:
        return False
    parts = [_words(_EXTENSION.sub("", name)) for name in names]
    if any(len(words) > PATH_WORDS_MAX or _speaks(words) for words in parts):
        return False
    whole = [word for words in parts for word in words]
    # Folders in a row read as a sentence only with the words that join one together.
    return _JOINS.isdisjoint(whole) or not _speaks(whole)


def is_name(text: str) -> bool:
    """Whether the name of a symbol, a module or a package reads as a name, not as a sentence."""
    if not _NAME.match(text):
        return False
    return _reads_as_name(text)


@lru_cache(maxsize=CACHED)
def _reads_as_name(text: str) -> bool:
    parts = [_words(part) for part in _NAME_PARTS.split(text)]
    if any(len(words) - (words[:1] == ["test"]) > NAME_WORDS_MAX for words in parts):
        return False
    return not _speaks([word for words in parts for word in words])


def is_command(text: str) -> bool:
    """Whether a line parses as a known program, or a script of the project, with plain arguments."""
    if len(text) > TEXT_CHARS_MAX:
        return False
    change = _FOLDER_CHANGE.match(text)
    if change and not is_path(change[1]):
        return False
    try:
        words = shlex.split(text[change.end() :] if change else text)
    except ValueError:
        return False
    while words and _ASSIGNMENT.match(words[0]):
        words.pop(0)
    if not words or len(words) > COMMAND_WORDS_MAX or not _is_program(words[0]):
        return False
    return _are_plain_arguments(words[1:]) and _brings_no_stranger(words)


def only_paths(texts: Iterable[str]) -> tuple[str, ...]:
    """Keep the texts that read as paths."""
    return tuple(text for text in texts if is_path(text))


def only_names(texts: Iterable[str]) -> tuple[str, ...]:
    """Keep the texts that read as names."""
    return tuple(text for text in texts if is_name(text))


def _is_program(word: str) -> bool:
    if programs.is_check(word) or programs.named(word) in _PROGRAMS or word in _PROGRAMS:
        return True
    # A script of the project: it lies in a folder, or is run from the current one.
    return "/" in word and bool(_SCRIPT.match(word)) and is_path(word)


def _are_plain_arguments(arguments: list[str]) -> bool:
    before = ["", *arguments]
    for flag, argument in zip(before, arguments, strict=False):
        if " " in argument:
            is_expression = flag in _EXPRESSION_FLAGS and _EXPRESSION.match(argument)
            if not is_expression or len(argument.split()) > EXPRESSION_WORDS_MAX or _speaks(_words(argument)):
                return False
        elif not _ARGUMENT.match(argument) or "://" in argument or _speaks(_words(argument)):
            return False
    if any(_PUNCTUATED.search(argument) for argument in arguments):
        return False
    bare = [argument.lower() for argument in arguments if argument.isalpha()]
    spoken = {word for argument in arguments if " " in argument for word in _words(argument)} - _OPERATORS
    if len(bare) > BARE_WORDS_MAX or _FUNCTION_WORDS & ({*bare} | spoken):
        return False
    return not _speaks([word for argument in arguments for word in _words(argument)])


def _brings_no_stranger(words: list[str]) -> bool:
    """Whether a command runs and installs nothing but the project, what its files list, and known checks."""
    program, arguments = programs.named(words[0]), words[1:]
    strangers = () if program == "poetry" else _STRANGERS  # There, --with names a group of the project's own.
    if any(argument.startswith(strangers) for argument in arguments) or any(map(_VERSIONED.search, arguments)):
        return False
    if program in _PACKAGE_MANAGERS and arguments[:1] and arguments[0] in _RUNS_PACKAGE:
        program, arguments = "npx", arguments[1:]
    if program in _PACKAGE_RUNNERS:
        package = next((argument for argument in arguments if not argument.startswith("-") and argument != "run"), "")
        return programs.is_check(package) or programs.has_subcommands(package)
    return _installs_what_is_here(arguments)


def _installs_what_is_here(arguments: list[str]) -> bool:
    """Whether a command installs nothing but the project and what its own files list."""
    at = next((place for place, argument in enumerate(arguments) if argument in _INSTALLS), -1)
    if at < 0:
        return True
    pairs = zip(arguments[at:], arguments[at + 1 :], strict=False)
    named = [word for before, word in pairs if not word.startswith("-") and before not in (*_GROUP_FLAGS, "--with")]
    return all(word.startswith(".") or word.endswith(_LISTS) for word in named)


def _words(text: str) -> list[str]:
    """The words of a name in plain small letters, without their accents."""
    if not text.isascii():
        text = "".join(letter for letter in normalize("NFKD", text) if not combining(letter))
    return [word.lower() for word in _WORD.findall(text)]


def _speaks(words: list[str]) -> bool:
    """Whether the words of a name, read one after the other, address or instruct a reader."""
    present = set(words)
    if len(words) >= ORDER_WORDS_MIN and (
        (present & _DISMISSES and present & _DISMISSED) or (present & _ACTS and present & _URGES)
    ):
        return True
    if len(words) < PHRASE_WORDS_MIN:
        return False
    return bool(present & _ADDRESSES or (present & _READERS and present & _OBLIGES))
