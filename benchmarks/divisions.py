"""How the people of public repositories divide their code: by owners (CODEOWNERS) or by workspace packages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Workspace:
    """A repository that declares its packages: patterns of folders, with `*` for one folder."""

    members: tuple[str, ...]
    manifest: str = ""
    """A file that a folder must have to be a package."""

    def label(self, root: Path, paths: Sequence[str]) -> dict[str, str]:
        """Return the package of each file that is in one."""
        folders = sorted(
            {
                folder.relative_to(root).as_posix()
                for member in self.members
                for folder in root.glob(member)
                if not self.manifest or (folder / self.manifest).exists()
            },
            key=len,
            reverse=True,
        )
        owners = ((path, next((folder for folder in folders if path.startswith(f"{folder}/")), "")) for path in paths)
        return {path: folder for path, folder in owners if folder}


@dataclass(frozen=True, slots=True)
class Owners:
    """A repository with a file of code owners; a rule for everything says nothing about any file."""

    file: str

    def label(self, root: Path, paths: Sequence[str]) -> dict[str, str]:
        """Return the owners of each file for which the last matching rule names some."""
        rules = [
            (compile_owner_pattern(words[0]), " ".join(sorted(words[1:])))
            for line in (root / self.file).read_text(encoding="utf-8").splitlines()
            if (words := line.partition("#")[0].split()) and words[0] != "*"
        ]
        labels = {}
        for path in paths:
            owners = [names for pattern, names in rules if pattern.search(path)]
            if owners and owners[-1]:
                labels[path] = owners[-1]
        return labels


def compile_owner_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a pattern as GitHub reads it: anchored if it has a slash before its end, and true of what is below."""
    is_anchored = "/" in pattern.rstrip("/")
    parts = re.split(r"(\*\*/?|\*|\?)", pattern.strip("/"))
    wildcards = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    body = "".join(wildcards.get(part) or re.escape(part) for part in parts)
    is_whole_folder = pattern.endswith("/*") and not pattern.endswith("**/*")
    return re.compile(("^" if is_anchored else "(?:^|/)") + body + ("$" if is_whole_folder else "(?:/|$)"))


DIVISIONS: dict[str, Workspace | Owners] = {
    "agentv": Workspace(("apps/*", "packages/*")),
    "aube": Workspace(("crates/*",)),
    "axum": Workspace(("axum", "axum-*")),
    "core": Workspace(("packages/*", "packages-private/*")),
    "iptvnator": Workspace(("apps/*", "libs/**"), "project.json"),
    "instructor-php": Workspace(("packages/*",)),
    "pantoken": Workspace(("apps/*", "docs", "packages/*", "formats/*", "platforms/*", "renderers/*", "bundlers/*")),
    "prometheus": Owners("CODEOWNERS"),
    "ripgrep": Workspace(("crates/*",)),
    "scipy": Owners(".github/CODEOWNERS"),
    "vitest": Workspace(("packages/*",)),
}
