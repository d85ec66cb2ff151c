"""Exclusion rules: which files and commands are left out of capturing, as the person's settings say. Light.

A hook reads them from the file that commands write next to the project's database, because it cannot afford the
settings parser; the readers of transcripts obey the same rules.
"""

from __future__ import annotations

from holloway.store import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_JOINS = ("&&", "||", ";", "|", "\n", "(", ")", "`", "&")
_PREFIXES = frozenset("sudo env time nohup nice exec command builtin".split())


class Exclusions:
    """The rules of one project. A plain class, as hooks need."""

    __slots__ = ("_commands", "_paths")

    def __init__(self, paths: Sequence[str] = (), commands: Sequence[str] = ()) -> None:
        self._paths = [pattern.removesuffix("**").rstrip("/").removeprefix("./") for pattern in paths]
        self._commands = [" ".join(pattern.split()) for pattern in commands]

    def __bool__(self) -> bool:
        return bool(self._paths or self._commands)

    def has_path(self, path: str) -> bool:
        """Return whether a path of the project is excluded: by a pattern for it, its name, or a folder above it."""
        from fnmatch import fnmatchcase  # only where there are rules

        parts = path.strip("/").split("/")
        folders = ["/".join(parts[: count + 1]) for count in range(len(parts))]
        return any(
            fnmatchcase(name, pattern) for pattern in self._paths for name in (folders if "/" in pattern else parts)
        )

    def has_command(self, command: str) -> bool:
        """Return whether a command line has an excluded command in it, or a word that is an excluded path."""
        return any(self._has_step(step.split()) for step in _split_steps(command))

    def has_entry(self, entry: dict[str, object]) -> bool:
        """Return whether the journal's entry of a tool call is about an excluded file or command."""
        edits = entry.get("edits")
        edited = [edit.get("path") for edit in edits if isinstance(edit, dict)] if isinstance(edits, list) else []
        more = entry.get("more")
        paths = [entry.get("path"), *edited, *(more if isinstance(more, list) else [])]
        commands = (entry.get("command"), entry.get("cmd"))
        return any(isinstance(path, str) and path and self.has_path(path) for path in paths) or any(
            isinstance(command, str) and self.has_command(command) for command in commands
        )

    def clean_entry(self, entry: dict[str, object]) -> None:
        """Leave excluded files out of those that a search found."""
        files = entry.get("files")
        if isinstance(files, list):
            entry["files"] = self.without_excluded([path for path in files if isinstance(path, str)])

    def without_excluded(self, paths: Sequence[str]) -> list[str]:
        """Return the paths that are not excluded."""
        return [path for path in paths if not self.has_path(path)]

    def _has_step(self, words: list[str]) -> bool:
        from fnmatch import fnmatchcase

        while words and (words[0] in _PREFIXES or "=" in words[0].lstrip("-")):
            words = words[1:]
        if not words:
            return False
        typed = " ".join(words)
        named = " ".join([words[0].rpartition("/")[2], *words[1:]])
        return any(
            line == pattern or line.startswith(f"{pattern} ") or fnmatchcase(line, pattern)
            for pattern in self._commands
            for line in (typed, named)
        ) or any(self.has_path(word.strip("'\"<>@").rpartition("=")[2]) for word in words)


def _split_steps(command: str) -> list[str]:
    for join in _JOINS:
        command = command.replace(join, "\0")
    return command.split("\0")


def load_exclusions(folder: str) -> Exclusions:
    """Load the rules of the project with this data folder."""
    settings = registry.read_hook_settings(folder)
    paths, commands = settings.get("exclude_paths"), settings.get("exclude_commands")
    return Exclusions(
        [str(pattern) for pattern in paths] if isinstance(paths, list) else (),
        [str(pattern) for pattern in commands] if isinstance(commands, list) else (),
    )
