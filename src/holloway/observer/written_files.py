"""Files that a session wrote, each with the source of the foreign text in it, and the files that a command writes."""

from __future__ import annotations

import posixpath
import re
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from holloway.data import load_table
from holloway.text.programs import FETCH
from holloway.text.tools import EDIT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.text.commands import Step

WRITTEN_FILES_MAX = 10_000
CLONES = frozenset({"git clone", "gh repo clone"})
COPY_PROGRAMS = frozenset({"cp", "mv", "ln", "install"})
"""Programs that copy, move or link the files they name to the last one, or to the folder of an option."""

_TABLE = load_table("carriers")
_COPY_COMMANDS = tuple(_TABLE["copy_commands"])
_IN_PLACE_OPTIONS = frozenset(_TABLE["in_place_options"])
_OUTPUT_OPTION = re.compile(r"(?:-[a-zA-Z]*?[oO]|--output(?:-document)?(?:=|\Z))(?P<value>.*)")
_DOWNLOAD_FOLDER_OPTION = re.compile(r"(?:-P|--directory-prefix(?:=|\Z)|--output-dir(?:=|\Z))(?P<value>.*)")
_TARGET_OPTION = re.compile(r"(?:-t|--target-directory(?:=|\Z))(?P<value>.*)")
_UNPACKERS = ("gunzip", "bunzip2", "unxz", "unzstd")
_FILE_NAME = re.compile(r"(?:^|/)\.?[\w-]+\.\w{1,8}$|/$|\*")
_TEMPORARY_FOLDERS = ("/tmp/", "/private/tmp/", "/var/folders/")  # noqa: S108  (names, nothing is opened)


class _Archiver(NamedTuple):
    """The words by which a program extracts an archive, only lists or prints it, and names the folder."""

    extract: re.Pattern[str]
    print: re.Pattern[str]
    folder: re.Pattern[str]


_TAR = _Archiver(
    re.compile(r"-?[a-zA-Z]*x[a-zA-Z]*|--extract|--get"),
    re.compile(r"-[a-zA-Z]*O[a-zA-Z]*|--to-stdout"),
    re.compile(r"(?:-C|--directory(?:=|\Z))(?P<value>.*)"),
)
_SEVEN_ZIP = _Archiver(re.compile(r"[xe]"), re.compile(r"-so"), re.compile(r"-o(?P<value>.*)"))
_ARCHIVERS = {
    "tar": _TAR,
    "bsdtar": _TAR,
    "unzip": _Archiver(re.compile(r"[^-].*"), re.compile(r"-[a-zA-Z]*[pltZ]\w*"), re.compile(r"-d(?P<value>.*)")),
    "7z": _SEVEN_ZIP,
    "7za": _SEVEN_ZIP,
}


class WrittenFiles:
    """The files and folders that one session wrote."""

    def __init__(self) -> None:
        self._sources: dict[str, str] = {}
        self.has_edits = False

    def record_edit(self, path: str, source: str) -> None:
        """Record that the session changed a file; clean text does not change what the file was before."""
        self.has_edits = True
        if source and len(self._sources) < WRITTEN_FILES_MAX:
            self._sources[path] = self._sources.get(path, "") or source

    def record_new_file(self, path: str, source: str) -> None:
        """Record that the session replaced a whole file, whatever it contained before."""
        self.has_edits = True
        if len(self._sources) < WRITTEN_FILES_MAX:
            self._sources[path] = source

    @property
    def has_foreign(self) -> bool:
        """Whether foreign text is in one of the files."""
        return any(self._sources.values())

    def find_source(self, path: str) -> str | None:
        """Return the source of what the session wrote to a file or its folder; None if it wrote nothing there.

        An empty string means that the session's own words are in it.
        """
        parts = path.split("/")
        prefixes = ("/".join(parts[:size]) for size in range(len(parts), 0, -1))
        return next((self._sources[prefix] for prefix in prefixes if prefix in self._sources), None)


_RENAMES_MEMBERS = re.compile(r"--(?:strip|transform|xform)|-s(?:$|[,/|])")
_SHORT_OPTIONS = re.compile(r"-[a-zA-Z]+")
_UNZIPPED = re.compile(r"\s*(?:inflating|extracting|linking|creating): (?P<name>\S.*?)(?:\s+-> .*)?\s*")


def names_files(word: str) -> bool:
    """Whether a word has the form of a file name or a pattern for several, not of a folder or a branch."""
    return bool(_FILE_NAME.search(word))


def resolve_paths(step: Step) -> Iterator[str]:
    """Yield the paths of a step relative to the project."""
    return (resolve_path(step, path) for path in step.paths)


def resolve_path(step: Step, path: str) -> str:
    """Return a step's path relative to the project: a step names paths relative to its working directory."""
    return path if path.startswith(("/", "~")) or not step.directory else f"{step.directory}/{path}"


def list_written_paths(step: Step) -> list[str]:
    """List the files and folders that a step writes: by redirecting, copying, downloading, extracting or mkdir."""
    if copies_from_elsewhere(step):
        return [resolve_path(step, step.args[-1])]
    if step.program in COPY_PROGRAMS:
        return split_copied_paths(step)[1]
    if step.kind == EDIT:
        return list(resolve_paths(step))
    if step.program == "mkdir":
        return [path for path in map(posixpath.normpath, step.args) if path.startswith(_TEMPORARY_FOLDERS)]
    return [resolve_path(step, name) for name in _list_created_paths(step) if name]


def split_copied_paths(step: Step) -> tuple[list[str], list[str]]:
    """Return the paths that a copying program reads, and those that it writes."""
    paths = [path for path in resolve_paths(step) if not path.isdigit()]  # The mode of `install` is no path.
    folders = [resolve_path(step, folder) for folder in _list_option_values(step, _TARGET_OPTION)]
    if folders:
        return [path for path in paths if path not in folders], folders
    return paths[:-1], paths[-1:]


def extracts_archive(step: Step) -> bool:
    """Whether a step writes the files of an archive."""
    archiver = _ARCHIVERS.get(step.program)
    if archiver is None or any(map(archiver.print.fullmatch, step.args)):
        return False
    if step.program == "unzip":
        return any(map(archiver.extract.fullmatch, step.args))
    options = [word for word in step.args if word.startswith("-")]
    return any(map(archiver.extract.fullmatch, (*step.args[:1], *options)))


def list_extracted_files(step: Step, output: str) -> list[str] | None:
    """List the files that a step extracted into its folder, from the names that it prints; None if it names them not.

    The step must be the last one of its command, so that its output is complete.
    """
    if any(_RENAMES_MEMBERS.match(word) for word in step.args):
        return None
    if step.program == "unzip":
        names = [match["name"].strip() for line in output.splitlines() if (match := _UNZIPPED.fullmatch(line))]
    elif step.program in ("tar", "bsdtar") and _is_verbose(step):
        names = [line.removeprefix("x ").strip() for line in output.splitlines()]
    else:
        return None
    files = [resolve_path(step, name) for name in names if name and not name.endswith("/")]
    return [posixpath.normpath(path) for path in files] or None


def _is_verbose(step: Step) -> bool:
    """Whether tar prints the names of what it extracts, and nothing else about it; its first word needs no hyphen."""
    groups = [word for word in step.args[1:] if _SHORT_OPTIONS.fullmatch(word)]
    groups += [word for word in step.args[:1] if not word.startswith("--")]
    return sum(word.count("v") for word in groups) + step.args.count("--verbose") == 1


def copies_from_elsewhere(step: Step) -> bool:
    """Whether a step copies a file from a container or another machine."""
    return bool(step.args) and " ".join((step.program, *step.args)).startswith(_COPY_COMMANDS)


def _list_created_paths(step: Step) -> list[str]:
    """List the names of new files and folders, relative to the folder of the step."""
    if step.program in CLONES:
        operands = (word for word in step.args if not word.startswith("-"))
        return _list_clone_folders(step, step.url or next(operands, ""))
    if step.kind == FETCH:
        name = posixpath.basename(step.url)
        folders = _list_option_values(step, _DOWNLOAD_FOLDER_OPTION)
        named = _list_option_values(step, _OUTPUT_OPTION)
        return [*named, name, *(posixpath.join(folder, file) for folder in folders for file in (*named, name))]
    if not _IN_PLACE_OPTIONS.isdisjoint(step.args):
        return [word for word in step.args if not word.startswith("-") and names_files(word)]
    if step.program == "dd":
        return [word.removeprefix("of=") for word in step.args if word.startswith("of=")]
    if step.program in _UNPACKERS:
        return [posixpath.splitext(word)[0] for word in step.args if not word.startswith("-")]
    return _list_option_values(step, _ARCHIVERS[step.program].folder) if extracts_archive(step) else []


def _list_option_values(step: Step, option: re.Pattern[str]) -> list[str]:
    """List the values of an option: the rest of its word, or the next word."""
    return [
        match["value"] or following
        for word, following in zip_longest(step.args, step.args[1:], fillvalue="")
        if (match := option.match(word)) and (match["value"] or following)
    ]


def _list_clone_folders(step: Step, address: str) -> list[str]:
    """Return the possible folders of a git clone: the one given after the address, else the repository's name.

    A word that follows an option may be that option's value; then both are returned.
    """
    tail = step.args[step.args.index(address) :] if address in step.args else ()
    words_after = [(before, word) for before, word in pairwise(tail) if not word.startswith("-")]
    repository_name = posixpath.basename(address.rstrip("/")).removesuffix(".git")
    is_sure = any(not before.startswith("-") for before, _ in words_after)
    return [word for _, word in words_after] + ([] if is_sure else [repository_name])
