"""A first look at a codebase: its languages, its modules by folder, how it is built and tested."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from holloway import git
from holloway.config import GIT_TIMEOUT_S, RULE_FILE_BYTES_MAX, SURVEY_FILES_MAX, replace_file

if TYPE_CHECKING:
    from collections.abc import Callable

LANGUAGES = {
    ".py": "Python",
    ".pyi": "Python",
    ".ts": "TypeScript",
    ".tsx": "TypeScript",
    ".js": "JavaScript",
    ".jsx": "JavaScript",
    ".mjs": "JavaScript",
    ".cjs": "JavaScript",
    ".go": "Go",
    ".rs": "Rust",
    ".java": "Java",
    ".kt": "Kotlin",
    ".c": "C",
    ".h": "C",
    ".cc": "C++",
    ".cpp": "C++",
    ".hpp": "C++",
    ".cs": "C#",
    ".rb": "Ruby",
    ".php": "PHP",
    ".swift": "Swift",
    ".scala": "Scala",
    ".ex": "Elixir",
    ".sh": "Shell",
}
CONTAINERS = frozenset({"src", "lib", "packages", "apps", "crates", "internal", "pkg", "cmd", "app", "source", "main"})
SKIPPED = frozenset(
    {"node_modules", "vendor", "third_party", "dist", "build", "target", ".venv", "venv", "__pycache__", ".git"}
)
_TEST = re.compile(r"(^|/)(tests?|__tests__|specs?|testing|e2e)/|(^|/)test_[^/]+$|_test\.\w+$|\.(test|spec)\.\w+$")


_NAME = re.compile(r"[\w.@+()\[\]-]{1,60}\Z")
"""A part of a path that looks like one. A folder whose name is a sentence is not shown to an agent as a module."""


@dataclass(frozen=True, slots=True)
class Module:
    """A part of the codebase: its folder, how many source files, the ones to look at first, its tests."""

    name: str
    folder: str
    files: int
    core: tuple[str, ...]
    tests: str = ""


@dataclass(frozen=True, slots=True)
class Survey:
    """What a first look found."""

    files: int
    source_files: int
    languages: tuple[tuple[str, int], ...]
    modules: tuple[Module, ...]
    build: tuple[str, ...]
    test: tuple[str, ...]

    def module_of(self, path: str) -> str:
        """The module that a file lies in, or an empty string."""
        inside = [module for module in self.modules if path.startswith(module.folder + "/")]
        return max(inside, key=lambda module: len(module.folder)).name if inside else ""


def survey(root: Path, timeout_s: float = GIT_TIMEOUT_S) -> Survey:
    """Look at a project: only names and a few small manifests are read."""
    names = project_files(root, timeout_s)
    source = [name for name in names if PurePosixPath(name).suffix.lower() in LANGUAGES]
    tests = [name for name in source if _TEST.search(name)]
    code = sorted(set(source) - set(tests))
    counted = Counter(LANGUAGES[PurePosixPath(name).suffix.lower()] for name in source)
    build, test = commands(root, set(names))
    return Survey(
        files=len(names),
        source_files=len(source),
        languages=tuple(counted.most_common(4)),
        modules=tuple(_modules(root, code, tests)),
        build=tuple(build),
        test=tuple(test),
    )


def save(seen: Survey, path: Path) -> None:
    """Keep a survey for those who have no time to look for themselves; it can be made again at any time."""
    replace_file(str(path), json.dumps(asdict(seen), ensure_ascii=False).encode())


def load(path: Path) -> Survey | None:
    """A survey that was kept; None where there is none or it is not understood."""
    try:
        data = json.loads(path.read_text("utf-8"))
        modules = tuple(Module(**{**module, "core": tuple(module["core"])}) for module in data["modules"])
        languages = tuple((str(language), int(number)) for language, number in data["languages"])
        lists = {"modules": modules, "languages": languages, "build": tuple(data["build"]), "test": tuple(data["test"])}
        return Survey(**{**data, **lists})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def project_files(root: Path, timeout_s: float = GIT_TIMEOUT_S) -> list[str]:
    """The project's own files, relative and POSIX; ignored and vendored ones are left out."""
    listed = git.tracked_files(str(root), timeout_s) if git.find_root(str(root)) == str(root.resolve()) else []
    names = listed or _walked(root)
    return [name for name in names if _is_readable(name)][:SURVEY_FILES_MAX]


def _is_readable(name: str) -> bool:
    """Not vendored, and a name that can be written down: bytes that are not UTF-8 come as surrogates."""
    vendored = SKIPPED & set(PurePosixPath(name).parts[:-1])
    return not vendored and not any("\ud800" <= char <= "\udfff" for char in name)


def _walked(root: Path) -> list[str]:
    found: list[str] = []
    for folder, folders, files in os.walk(root, followlinks=False):
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not name.startswith("."))
        base = Path(folder).relative_to(root).as_posix()
        found += [name if base == "." else f"{base}/{name}" for name in sorted(files)]
        if len(found) > SURVEY_FILES_MAX:
            break
    return found


def _modules(root: Path, code: list[str], tests: list[str]) -> list[Module]:
    grouped: dict[str, list[str]] = defaultdict(list)
    base = _shared_folder(code)
    for name in code:
        folder = _module_folder(name, base)
        if folder and all(_NAME.match(part) for part in PurePosixPath(name).parts):
            grouped[folder].append(name)
    ordered = sorted(grouped.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        Module(PurePosixPath(folder).name, folder, len(names), tuple(_core(root, names)), _tests_of(folder, tests))
        for folder, names in ordered
    ]


def _shared_folder(code: list[str]) -> tuple[str, ...]:
    """The folders that nearly all source lies under, such as src/package."""
    base: tuple[str, ...] = ()
    while True:
        following = Counter(
            parts[len(base)]
            for name in code
            if len(parts := PurePosixPath(name).parts) > len(base) + 1 and parts[: len(base)] == base
        )
        best = following.most_common(1)
        if not best or best[0][1] < 0.75 * len(code):
            return base
        base = (*base, best[0][0])


def _module_folder(name: str, base: tuple[str, ...]) -> str:
    folders = PurePosixPath(name).parts[:-1]
    depth = len(base) if folders[: len(base)] == base else 0
    while depth < len(folders) - 1 and folders[depth] in CONTAINERS:
        depth += 1
    return "/".join(folders[: depth + 1]) if depth < len(folders) else "/".join(base)


def _core(root: Path, names: list[str], most: int = 2) -> list[str]:
    """The largest files first: without a graph, size is the best guess at weight."""

    def size(name: str) -> int:
        try:
            return (root / name).lstat().st_size
        except OSError:
            return 0

    return sorted(names[:2_000], key=lambda name: (-size(name), name))[:most]


def _tests_of(folder: str, tests: list[str]) -> str:
    name = PurePosixPath(folder).name
    near = [
        parent
        for test in tests
        if (parent := PurePosixPath(test).parent.as_posix()).startswith(folder + "/") or parent.endswith("/" + name)
    ]
    return min(near, key=lambda path: (len(path), path)) if near else ""


def commands(root: Path, names: set[str]) -> tuple[list[str], list[str]]:
    """How the project says it is built and tested, from its own manifests."""
    build: list[str] = []
    test: list[str] = []
    for manifest, reader in _MANIFESTS.items():
        if manifest in names and (text := _small(root / manifest)):
            more_build, more_test = reader(text, names)
            build += more_build
            test += more_test
    return build[:2], test[:2]


def _makefile(text: str, names: set[str]) -> tuple[list[str], list[str]]:
    targets = set(re.findall(r"^([A-Za-z][\w.-]*)\s*:(?!=)", text, re.MULTILINE))
    return _chosen("make", targets)


def _justfile(text: str, names: set[str]) -> tuple[list[str], list[str]]:
    return _chosen("just", set(re.findall(r"^@?([A-Za-z][\w-]*)[^:=\n]*:(?!=)", text, re.MULTILINE)))


def _chosen(tool: str, targets: set[str]) -> tuple[list[str], list[str]]:
    build = [f"{tool} {name}" for name in ("build", "install", "all") if name in targets][:1]
    return build, [f"{tool} {name}" for name in ("test", "tests", "check") if name in targets][:1]


def _package_json(text: str, names: set[str]) -> tuple[list[str], list[str]]:
    try:
        scripts = json.loads(text).get("scripts", {})
    except (ValueError, AttributeError, RecursionError):
        return [], []
    runner = "pnpm" if "pnpm-lock.yaml" in names else "yarn" if "yarn.lock" in names else "npm"
    wanted = scripts if isinstance(scripts, dict) else {}
    return [f"{runner} run build"] if "build" in wanted else [], [f"{runner} test"] if "test" in wanted else []


def _pyproject(text: str, names: set[str]) -> tuple[list[str], list[str]]:
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return [], []
    prefix = "uv run " if "uv.lock" in names else "poetry run " if "poetry.lock" in names else ""
    build = {"uv run ": ["uv sync"], "poetry run ": ["poetry install"]}.get(prefix, ["pip install -e ."])
    tests_with_pytest = "pytest" in text or any(name.startswith("tests/") for name in names)
    return build if "project" in data or "poetry" in text else [], [f"{prefix}pytest -q"] if tests_with_pytest else []


_MANIFESTS: dict[str, Callable[[str, set[str]], tuple[list[str], list[str]]]] = {
    "Makefile": _makefile,
    "justfile": _justfile,
    "package.json": _package_json,
    "pyproject.toml": _pyproject,
    "Cargo.toml": lambda text, names: (["cargo build"], ["cargo test"]),
    "go.mod": lambda text, names: (["go build ./..."], ["go test ./..."]),
    "pom.xml": lambda text, names: (["mvn -q compile"], ["mvn -q test"]),
    "build.gradle": lambda text, names: (["./gradlew build"], ["./gradlew test"]),
    "tox.ini": lambda text, names: ([], ["tox"]),
}


def _small(path: Path) -> str:
    """The text of a small regular file; anything else reads as empty."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > RULE_FILE_BYTES_MAX:
            return ""
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
