"""Reading the words after a program: options and their values, paths, patterns, URLs and messages.

The hook process may import this module: it loads nothing but `re` and `json`.
"""

from __future__ import annotations

import re

from holloway.text import shell
from holloway.text.programs import COMMIT, FETCH, GIT, REVERT, TABLE, TEST
from holloway.text.tools import EDIT, LIST, READ, SEARCH

PATCH_FILES_MAX = 64
"""Maximum number of files that are taken from one patch."""
COMMIT_MESSAGE_CHARS_MAX = 4_000


VALUED_OPTIONS: dict[str, frozenset[str]] = {
    program: frozenset(options) for program, options in TABLE["valued_options"].items()
}
"""Options that take a value, where a plain word after them is no path, pattern or subcommand."""
TAKES_SCRIPT = frozenset(TABLE["takes_script"])
_TAKES_PATHS = frozenset(TABLE["takes_paths"])
_TEST_SELECTORS = frozenset(TABLE["test_selectors"])
_SAME_OPTIONS = {"egrep": "grep", "fgrep": "grep", "fdfind": "fd"}
_FOLDER_OPTIONS = {
    "git": "-C",
    "make": "-C",
    "go": "-C",
    "npm": "--prefix",
    "pnpm": "-C",
    "yarn": "--cwd",
    "bun": "--cwd",
}
_URL = re.compile(r"(?:https?|ftp|ssh|git)://\S+|git@[\w.-]+:\S+|localhost[:/]\S*")
_PATCHED_FILE = re.compile(
    r"^\*\*\* (?:Update|Add|Delete) File: (.{1,500}?)[ \t\r]*$|^\+\+\+ (?:b/)?([^\t\n]{1,500})", re.MULTILINE
)
PATH = re.compile(r"[/\\]|^\.{1,2}$|\.[A-Za-z][A-Za-z0-9]{0,9}(?::\S*)?$|::")
_REVISION_PATH = re.compile(r"[\w.~^@{}/-]{1,200}:(?!//)(\S+)")


def find_plain_words(program: str, words: list[str]) -> list[tuple[int, str]]:
    """Find the words that are neither options nor values of options, each with its index."""
    valued = VALUED_OPTIONS.get(program) or VALUED_OPTIONS.get(_SAME_OPTIONS.get(program, ""))
    plain, is_value = [], False
    for index, word in enumerate(words):
        if is_value:
            is_value = False
        elif word == "--":
            plain += list(enumerate(words))[index + 1 :]
            break
        elif word.startswith("-") and len(word) > 1:
            is_value = bool(valued and word in valued)
        elif valued and word in valued:
            is_value = True
        else:
            plain.append((index, word))
    return plain


def list_plain_words(program: str, words: list[str]) -> list[str]:
    """List the words that are neither options nor values of options."""
    return [word for _, word in find_plain_words(program, words)]


def find_folder(program: str, args: list[str]) -> str:
    """Find the folder that an option makes a program work in: `git -C x`, `make -C x`, `npm --prefix x`."""
    option = _FOLDER_OPTIONS.get(program)
    return args[args.index(option) + 1] if option and option in args[:-1] else ""


def list_option_values(args: list[str], names: frozenset[str]) -> list[str]:
    """List the values of these options, given as `-m value`, `--message=value` or `-run=value`."""
    values = [args[index + 1] for index, word in enumerate(args[:-1]) if word in names]
    return values + [word.split("=", 1)[1] for word in args if "=" in word and word.split("=", 1)[0] in names]


def find_subject(kind: str, program: str, args: list[str]) -> tuple[tuple[str, ...], str, str]:
    """Find the paths, the pattern and the address that a command is about."""
    plain = list_plain_words(program, args)
    if kind == FETCH:
        return (), "", next((word for word in args if _URL.match(word)), plain[0] if plain else "")
    if kind in (SEARCH, LIST) and program == "find":
        paths = [word for word in args[: _find_first_test(args)] if word not in ("-L", "-H")]
        patterns = list_option_values(args, frozenset(("-name", "-iname", "-path", "-ipath", "-regex")))
        return tuple(paths), next(iter(patterns), ""), ""
    if kind == SEARCH:
        plain = list_plain_words("grep", args) if program == "git" else plain
        patterns = [] if program in ("fd", "fdfind") else list_option_values(args, frozenset(("-e", "--regexp")))
        paths = plain if patterns else plain[1:]
        return tuple(paths), (patterns or [*plain, ""])[0], ""
    if kind in (READ, EDIT):
        return _find_files(program, args, plain), "", ""
    if kind == TEST:
        paths = plain if program in _TAKES_PATHS else list(filter(PATH.search, plain))
        return tuple(paths), " ".join(list_option_values(args, _TEST_SELECTORS)), ""
    if kind in (GIT, REVERT, COMMIT):
        return _find_git_paths(args, plain), "", ""
    return tuple(plain if kind == LIST else filter(PATH.search, plain)), "", ""


def _find_first_test(args: list[str]) -> int:
    """Find where the tests of `find` begin, after its folders."""
    starts = (index for index, word in enumerate(args) if word[:1] in ("-", "(", "!") and word not in ("-L", "-H"))
    return next(starts, len(args))


def _find_files(program: str, args: list[str], plain: list[str]) -> tuple[str, ...]:
    if program == "git":
        return tuple(plain)
    if program in TAKES_SCRIPT:
        has_script = any(word in ("-e", "-f", "--expression") or re.fullmatch(r"-[a-z]*p?[eE]", word) for word in args)
        plain = [word for word in plain if word]
        if program == "perl" and has_script:
            return tuple(word for word in plain if PATH.search(word) and not re.match(r"\W*(?:s|m|tr|y)\W", word))
        return tuple(plain if has_script else plain[1:])
    return tuple(word for word in plain if not (program == "tail" and word.startswith("+")))


def _find_git_paths(args: list[str], plain: list[str]) -> tuple[str, ...]:
    if "--" in args:
        return tuple(args[args.index("--") + 1 :])
    paths = [match[1] if (match := _REVISION_PATH.fullmatch(word)) else word for word in plain]
    return tuple(
        word
        for word in paths
        if re.search(r"\.[A-Za-z][A-Za-z0-9]{0,9}$|^\.{1,2}(?:/|$)|/$", word) and ".." not in word[1:]
    )


def list_patched_files(texts: list[str]) -> tuple[str, ...]:
    """List the files that patches change."""
    names = [match[1] or match[2] for text in texts for match in _PATCHED_FILE.finditer(text)]
    return tuple(dict.fromkeys(name for name in names[:PATCH_FILES_MAX] if name != "/dev/null"))


def find_commit_message(args: list[str], documents: list[str]) -> str:
    """Find a commit's message, in `-m`, `-am`, `--message=`, a substituted here-document or the standard input."""
    names = frozenset(word for word in args if re.fullmatch(r"-[a-ln-z]{0,3}m", word)) | {"--message"}
    parts = [_read_document(value) for value in list_option_values(args, names)]
    parts += [word[2:] for word in args if re.match(r"-m[^-=\s]", word)]
    if not parts and documents and {"-F", "--file", "-F-"} & set(args):
        parts = [documents[0]]
    return "\n\n".join(parts).strip()[:COMMIT_MESSAGE_CHARS_MAX]


def find_pull_request_text(args: list[str], documents: list[str]) -> str:
    """Find the title and the body of a pull request: its options, a here-document or the standard input."""
    title, body = (
        [_read_document(value) for value in list_option_values(args, frozenset(names))]
        for names in (("-t", "--title"), ("-b", "--body"))
    )
    if not body and documents and {"-F", "--body-file"} & set(args):
        body = [documents[0]]
    return "\n".join([*title[:1], *body[:1]]).strip()[:COMMIT_MESSAGE_CHARS_MAX]


def _read_document(value: str) -> str:
    """Read the here-document of `$(cat <<EOF …)`; any other value is returned as it is."""
    if not value.startswith("$("):
        return value
    inner = shell.split_commands(value[2:-1] if value.endswith(")") else value[2:])
    return next((document for simple in inner for document in simple.documents), value)


def host_of(url: str) -> str:
    """The host that an address names; nothing where it is no address."""
    from urllib.parse import urlsplit  # only a fetch needs it

    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
