"""The parts of a codebase as its developers would draw them, and what is known of each."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from holloway.codemap.modules import module_summary
from holloway.codemap.modules.file_affinity import blended
from holloway.codemap.modules.manifests import FOLDER_MANIFESTS
from holloway.codemap.modules.module_identity import continued
from holloway.codemap.modules.module_names import base_folder, names
from holloway.codemap.modules.partition import Bounds, Part, partition, size_of
from holloway.codemap.modules.user_edits import Draft, Edits, applied, placed
from holloway.safety.repository_text import is_path, only_paths
from holloway.text.file_roles import is_project_config

SUPPORT_SHARE_MAX = 0.5
"""A folder of examples that holds more of the code than this is what the project is about,"""
_HOMES = frozenset({"src", "lib", "packages", "crates"})
"""unless the project has a place for its code: it may show that in any number of examples."""

_SUPPORT = re.compile(
    r"(docs?|documentation|scripts?|ci|website|www|hack|misc|build|fixtures|testdata|playground|\..+)\Z"
    r"|(.*[-_])?(tests?|examples?|samples?|demos?|bench(marks?|es|suite)?|perf|fuzz|e2e)([-_].*)?\Z",
    re.IGNORECASE,
)
"""Folders at the root whose code serves the code: it gets modules too, after those of the product."""
_TEST_FOLDER = re.compile(r"(^|/)([^/]*[-_])?(tests?|e2e|testdata|fixtures)([-_][^/]*)?/", re.IGNORECASE)
"""What lies in one of these is there for tests, at any depth, even where it is no test itself."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the project: `role` is `source`, `test`, or what else it is there for."""

    path: str
    role: str
    language: str
    lines: int


@dataclass(frozen=True, slots=True)
class Module:
    """A part of the codebase. All lists have what matters most first."""

    name: str
    key: str
    """The name that it was drawn with, which edits refer to and which stays when it is shown under another."""
    folder: str
    files: tuple[str, ...]
    core: tuple[str, ...]
    entries: tuple[str, ...] = ()
    flows: tuple[str, ...] = ()
    """Where work goes that enters here, from module to module."""
    tests: tuple[str, ...] = ()
    uses: tuple[tuple[str, float], ...] = ()
    """The modules that it imports from, and how much."""
    related: tuple[tuple[str, float], ...] = ()
    """The modules that change together with it, and how often."""
    packages: tuple[str, ...] = ()
    purpose: str = ""
    support: bool = False
    """Whether it serves the code, as examples, benchmarks and docs do, and is no part of the product."""
    hidden: bool = False
    confidence: str = "shallow"
    moved: tuple[tuple[str, str], ...] = ()
    """Files that people put here, and the keys of the modules that they were drawn in."""


def detect(
    files: Sequence[SourceFile],
    imports: Mapping[tuple[str, str], float],
    together: Mapping[tuple[str, str], float],
    previous: Sequence[Module] = (),
    edits: Edits | None = None,
    *,
    entries: Mapping[str, str] | None = None,
    packages: Mapping[str, Sequence[str]] | None = None,
    project: str = "core",
) -> list[Module]:
    """The modules of these files: those of the product first, large ones before small ones.

    `imports` and `together` weigh pairs of paths; `entries` are files that are started from outside and why;
    `packages` are the external packages that a file uses. With `previous`, under today's paths, modules stay
    themselves. The same input gives the same answer.
    """
    project = project if is_path(project) else "core"
    # Sums of floats depend on their order, and communities on the sums.
    imports, together = dict(sorted(imports.items())), dict(sorted(together.items()))
    shown = sorted((file for file in files if is_path(file.path)), key=lambda file: file.path)
    support = _support_folders(shown)
    code = [file for file in shown if _is_product(file, support)]
    sizes = {file.path: size_of(file.lines) for file in code}
    manifests = frozenset(_folder(file.path) for file in shown if _is_manifest(file.path, support))
    parts = partition(sizes, manifests, blended(sizes, imports, together))
    standing = module_summary.standing(code, imports, together)
    drafts = _named(parts, previous, sizes, manifests, standing, project)
    drafts = _completed(drafts, shown, support)
    chosen = edits or Edits()
    place = placed([file.path for file in shown], chosen)
    drafts = applied(drafts, chosen, place)
    product = [draft for draft in drafts if not draft.support]
    tests = module_summary.tests(product, [file.path for file in shown if file.role == "test"], imports, place)
    uses, related = module_summary.ties(product, imports), module_summary.ties(product, together, both_ways=True)
    modules = [
        replace(
            _module(draft, standing, entries or {}, packages or {}),
            tests=tests.get(draft.name, ()),
            uses=uses.get(draft.name, ()),
            related=related.get(draft.name, ()),
        )
        for draft in drafts
    ]
    weight = {module.name: sum(sizes.get(path, 0.0) for path in module.files) for module in modules}
    return sorted(modules, key=lambda each: (each.hidden, each.support, -weight[each.name], each.name))


def _support_folders(files: Sequence[SourceFile]) -> frozenset[str]:
    """The folders at the root whose code only serves the code."""
    size: dict[str, float] = defaultdict(float)
    for file in files:
        if file.role == "source":
            size[file.path.split("/")[0] if "/" in file.path else ""] += size_of(file.lines)
    total = sum(size.values())
    tops = {file.path.split("/")[0] for file in files if "/" in file.path}
    most = total if _HOMES & size.keys() else SUPPORT_SHARE_MAX * total
    found = {top for top in tops if _SUPPORT.match(top) and size[top] <= most}
    return frozenset(found if any(top not in found for top in size) else found - size.keys())


def _is_product(file: SourceFile, support: frozenset[str]) -> bool:
    top, _, below = file.path.partition("/")
    serves = top in support or _TEST_FOLDER.search(file.path) if below else is_project_config(top)
    return file.role == "source" and not serves


def _is_manifest(path: str, support: frozenset[str]) -> bool:
    folder, _, name = path.rpartition("/")
    return bool(folder) and name in FOLDER_MANIFESTS and path.split("/")[0] not in support


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _named(
    parts: Sequence[Part],
    previous: Sequence[Module],
    sizes: Mapping[str, float],
    manifests: frozenset[str],
    standing: Mapping[str, float],
    project: str,
) -> list[Draft]:
    """The parts with their names: those that modules had before, new ones for what is new."""
    moved = {path: key for module in previous for path, key in module.moved}
    owners = {path: moved.get(path, module.key) for module in previous for path in module.files}
    drawn = continued(parts, owners, sizes, Bounds.of(sum(sizes.values())).large) if owners else []
    fresh = [each.part for each in drawn if not each.key] if owners else list(parts)
    kept = [Draft(each.key, each.key, each.part.folder, each.part.files) for each in drawn if each.key]
    taken = {draft.key for draft in kept}
    given = names(fresh, taken, base_folder(sizes), manifests, standing, project)
    return [*kept, *(Draft(name, name, part.folder, part.files) for name, part in zip(given, fresh, strict=True))]


def _completed(drafts: Sequence[Draft], files: Sequence[SourceFile], support: frozenset[str]) -> list[Draft]:
    """The drafts with the other files that lie with them; folders that serve the code become modules after them.

    Tests are in no module's files: each module has its own. Nor is a folder of tests, or one without code and prose.
    """
    members = {draft.key: list(draft.files) for draft in drafts}
    known = {path for draft in drafts for path in draft.files}
    tops = {path.split("/")[0] for path in known if "/" in path} - support
    homes = module_summary.homes(drafts)
    beside: dict[str, list[str]] = defaultdict(list)
    roles: dict[str, Counter[str]] = defaultdict(Counter)
    for file in files:
        path = file.path
        top, _, below = path.partition("/")
        if path in known or not below or top.startswith("."):
            continue
        roles[top][file.role] += 1
        if file.role == "test":
            continue
        if top not in tops:
            beside[top].append(path)
        elif key := module_summary.home(_folder(path), homes):
            members[key].append(path)
    found = [replace(draft, files=tuple(sorted(members[draft.key]))) for draft in drafts]
    extra = [Part(top, tuple(paths)) for top, paths in sorted(beside.items()) if _is_worth_a_module(roles[top])]
    given = names(extra, [draft.key for draft in found], "", frozenset(), {}, "core")
    return found + [
        Draft(name, name, part.folder, part.files, support=True) for name, part in zip(given, extra, strict=True)
    ]


def _is_worth_a_module(roles: Counter[str]) -> bool:
    readable = roles["source"] + roles["prose"]
    return readable > 0 and readable >= roles["test"]


def _module(
    draft: Draft,
    standing: Mapping[str, float],
    entries: Mapping[str, str],
    packages: Mapping[str, Sequence[str]],
) -> Module:
    ordered = tuple(sorted(draft.files, key=lambda path: (-standing.get(path, -1.0), path)))
    return Module(
        name=draft.name,
        key=draft.key,
        folder=draft.folder,
        files=ordered,
        core=tuple(path for path in ordered[: module_summary.CORE_MAX] if path in standing),
        entries=module_summary.entries(ordered, entries),
        packages=only_paths(module_summary.packages(ordered, packages)),
        purpose=draft.purpose,
        support=draft.support,
        hidden=draft.hidden,
        moved=draft.moved,
    )
