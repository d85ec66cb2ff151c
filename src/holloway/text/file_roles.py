"""Decides by its path whether a file is a test file, project configuration, third-party code or build output.

A query of the map may import this module: it loads `re` only to recognise configuration.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

PATHS_CACHED = 20_000
"""Paths whose classification is cached, because every answer asks again: about 4 MB."""

_TEST_FOLDERS = frozenset({"tests", "__tests__", "spec", "specs", "e2e", "testdata"})
_TEST_ENDS = ("_test", "_tests", "_spec", ".test", ".tests", ".spec")
_DASHED_TEST_ENDS = ("-test", "-spec")
"""Ends that name the tested file but do not make a test alone: `ab-test.ts` may well be a feature."""
_CLASS_TEST_ENDS = ("Test", "Tests")
"""Ends of the name of a test class, in languages that name a file after its class."""
_CLASS_SUFFIXES = frozenset({"java", "kt", "cs", "php", "swift", "scala", "groovy"})
_PREFIX_SUFFIXES = frozenset({"py", "rb", "c", "cc", "cpp", "cxx", "sh"})
"""Languages whose test runners or conventions name a test `test_...`."""

DEMONSTRATION_FOLDERS = frozenset(
    "benchmark benchmarks bench demo demos doc docs example examples sample samples".split()
)
"""Folders whose code shows or measures what the project does."""

_PROJECT_CONFIG = (
    r"(?:^|/)(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|Cargo\.toml|go\.mod|pom\.xml|build\.gradle(?:\.kts)?"
    r"|tsconfig[\w.-]*\.json|[\w.-]+\.config\.(?:[cm]?[jt]s|json)|Dockerfile|docker-compose[\w.-]*\.ya?ml|Makefile"
    r"|justfile|mise\.toml|tox\.ini|\.env(?:\.\w+)?|\.golangci\.ya?ml|\.goreleaser\.ya?ml|\.github/workflows/[^/]+)$"
)
_ROOT_CONFIG = (
    r"(setup|conftest|noxfile|fabfile|tasks|conanfile|build|Gruntfile|gulpfile|Jakefile|Rakefile)\.\w+\Z"
    r"|(\.?[\w-]+\.)+(config|setup|conf|rc)\.\w+\Z|[\w-]+\.gradle(\.kts)?\Z"
)
"""Names that configure a tool only at the root: further down, `tasks.py` is code."""

_THIRD_PARTY_FOLDERS = frozenset(
    "vendor vendored _vendor third_party third-party thirdparty node_modules bower_components site-packages "
    "dist-packages .venv venv Pods Carthage .gradle .m2 .npm .yarn".split()
)
_NAMESPACE_FOLDERS = frozenset("models controllers views entities mailers policies serializers".split())
"""Folders of classes, in which a folder `vendor` is the name of a thing that the project is about."""
_SUSPECTED_FOLDERS = frozenset({"extern", "external", ".cargo"})
"""Folders that often hold third-party code, and as often the project's: distrusted, but mapped."""
_BUILT_FOLDERS = frozenset(
    "dist build target out env __pycache__ .git .hg .svn .tox .nox .mypy_cache .pytest_cache .ruff_cache .idea .vscode "
    ".next .nuxt coverage .terraform .eggs".split()
)
SKIPPED_FOLDERS = _THIRD_PARTY_FOLDERS | _BUILT_FOLDERS
"""Folders whose files are not the project's source: third-party code, build output and the state of tools."""


@lru_cache(PATHS_CACHED)
def is_test(path: str) -> bool:
    """Return whether a path is a test file or a folder of tests."""
    *folders, name = path.split("/")
    stem, _, suffix = name.rpartition(".")
    if not _TEST_FOLDERS.isdisjoint([*folders, name]) or (folders or [name])[0] == "test":
        return True
    if "test" in folders and suffix not in ("py", "pyi"):
        # A Python package called `test` may be part of the product, as Django's is.
        return True
    if suffix == "py" and stem in ("test", "tests", "conftest"):
        return True
    if suffix in _PREFIX_SUFFIXES and stem.startswith("test_") and stem != "test_":
        return True
    if suffix in _CLASS_SUFFIXES and stem.endswith(_CLASS_TEST_ENDS):
        return True
    return stem.endswith(_TEST_ENDS) and suffix.replace("_", "x").isalnum()


def is_runnable_test(path: str) -> bool:
    """Return whether a test runner picks the file up by its name; support files among tests are not runnable."""
    return bool(tested_stem(path)) or path.rpartition("/")[2] in ("tests.py", "test.py")


def tested_stem(path: str) -> str:
    """Return the file name that a test's name refers to: `test_views.py` and `views.test.ts` give `views`."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    if stem in ("test", "tests"):
        return ""
    subject = stem.removeprefix("test_")
    ends = (*_TEST_ENDS, *_DASHED_TEST_ENDS, *_CLASS_TEST_ENDS)
    subject = subject.removesuffix(next((end for end in ends if subject.endswith(end)), ""))
    return subject if subject != stem else ""


def is_project_config(path: str) -> bool:
    """Return whether a file configures the project or one of its tools; data files in the same formats do not."""
    import re

    return bool(re.search(_PROJECT_CONFIG, path) or re.match(_ROOT_CONFIG, path))


def is_documentation(path: str) -> bool:
    """Whether a file holds prose for people, and no code."""
    return path.endswith((".md", ".mdx", ".rst", ".txt"))


def is_third_party(path: str) -> bool:
    """Return whether a file is in a folder that may hold other people's code, whose text is not to be trusted."""
    folders = path.split("/")[:-1]
    folders = [name for above, name in pairwise(["", *folders]) if name != "vendor" or above not in _NAMESPACE_FOLDERS]
    is_listed = not (_THIRD_PARTY_FOLDERS | _SUSPECTED_FOLDERS).isdisjoint(folders)
    return is_listed or "/go/pkg/mod/" in f"/{path}"


def is_skipped(path: str) -> bool:
    """Return whether a file is in a folder of third-party code or build output, which the map leaves out."""
    return not SKIPPED_FOLDERS.isdisjoint(path.split("/")[:-1])
