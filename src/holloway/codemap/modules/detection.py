"""Detects the modules of a codebase from its folders, and describes them; known modules keep their names."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from holloway.codemap.manifests import FOLDER_MANIFESTS
from holloway.codemap.modules import module_summary
from holloway.codemap.modules.module import Module, ModuleDraft, ModuleEdits, SourceFile, apply_edits, assign_files
from holloway.codemap.modules.module_names import assign_names
from holloway.codemap.modules.partition import FilePart, find_base, partition_files, size_of
from holloway.safety.repository_text import is_path, only_paths
from holloway.text.file_roles import is_project_config

SUPPORT_SHARE_MAX = 0.5
"""A folder of examples with a larger share of the code than this is what the project is about,"""
_CODE_FOLDERS = frozenset({"src", "lib", "packages", "crates"})
"""unless the project has a folder for its code: then it may have any number of examples."""

_SUPPORT = re.compile(
    r"(docs?|documentation|scripts?|ci|website|www|hack|misc|build|fixtures|testdata|playground|\..+)\Z"
    r"|(.*[-_])?(tests?|examples?|samples?|demos?|bench(marks?|es|suite)?|perf|fuzz|e2e)([-_].*)?\Z",
    re.IGNORECASE,
)
"""Folders at the root with supporting code: they become modules too, after those of the product."""
_TEST_FOLDER = re.compile(r"(^|/)([^/]*[-_])?(tests?|e2e|testdata|fixtures)([-_][^/]*)?/", re.IGNORECASE)
"""Files in these folders belong to the tests, at any depth, even if they are no tests themselves."""
SAME_OVERLAP_MIN = 0.5
"""Minimum overlap, as a share of either's files, at which two modules count as the same."""


def detect_modules(
    files: Sequence[SourceFile],
    imports: Mapping[tuple[str, str], float],
    cochanges: Mapping[tuple[str, str], float],
    previous: Sequence[Module] = (),
    edits: ModuleEdits | None = None,
    *,
    entries: Mapping[str, str] | None = None,
    packages: Mapping[str, Sequence[str]] | None = None,
    project: str = "core",
) -> list[Module]:
    """Detect the modules of these files: those of the product first, large ones before small ones.

    `imports` and `together` weigh pairs of paths; `entries` are entry points with their reasons; `packages` are the
    external packages of each file. With `previous` modules, under current paths, modules keep their identity. The
    result is deterministic.
    """
    project = project if is_path(project) else "core"
    # Float sums depend on their order, and communities on the sums.
    imports, cochanges = dict(sorted(imports.items())), dict(sorted(cochanges.items()))
    safe_files = sorted((file for file in files if is_path(file.path)), key=lambda file: file.path)
    support = _find_support_folders(safe_files)
    code = [file for file in safe_files if _is_product(file, support)]
    sizes = {file.path: size_of(file.lines) for file in code}
    manifests = frozenset(_parent_folder(file.path) for file in safe_files if _is_manifest(file.path, support))
    base = find_base(sizes, manifests, {module.folder for module in previous if not module.support})
    importance = module_summary.rank_files(code, imports, cochanges)
    drafts = _name_parts(partition_files(sizes, manifests, base), previous, base, manifests, project)
    drafts = _complete_drafts(drafts, safe_files, support)
    user_edits = edits or ModuleEdits()
    chosen_modules = assign_files([file.path for file in safe_files], user_edits)
    drafts = apply_edits(drafts, user_edits, chosen_modules)
    product = [draft for draft in drafts if not draft.support]
    tests = module_summary.find_tests(
        product, [file.path for file in safe_files if file.role == "test"], imports, chosen_modules
    )
    uses, related = (
        module_summary.rank_connections(product, imports),
        module_summary.rank_connections(product, cochanges, is_undirected=True),
    )
    modules = [
        replace(
            _build_module(draft, importance, entries or {}, packages or {}),
            tests=tests.get(draft.name, ()),
            uses=uses.get(draft.name, ()),
            related=related.get(draft.name, ()),
        )
        for draft in drafts
    ]
    weight = {module.name: sum(sizes.get(path, 0.0) for path in module.files) for module in modules}
    return sorted(modules, key=lambda module: (module.hidden, module.support, -weight[module.name], module.name))


def _find_support_folders(files: Sequence[SourceFile]) -> frozenset[str]:
    """Return the folders at the root that contain only supporting code."""
    size: dict[str, float] = defaultdict(float)
    for file in files:
        if file.role == "source":
            size[file.path.split("/")[0] if "/" in file.path else ""] += size_of(file.lines)
    total = sum(size.values())
    tops = {file.path.split("/")[0] for file in files if "/" in file.path}
    size_max = total if _CODE_FOLDERS & size.keys() else SUPPORT_SHARE_MAX * total
    folders = {top for top in tops if _SUPPORT.match(top) and size[top] <= size_max}
    return frozenset(folders if any(top not in folders for top in size) else folders - size.keys())


def _is_product(file: SourceFile, support: frozenset[str]) -> bool:
    top, _, below = file.path.partition("/")
    is_support = top in support or _TEST_FOLDER.search(file.path) if below else is_project_config(top)
    return file.role == "source" and not is_support


def _is_manifest(path: str, support: frozenset[str]) -> bool:
    folder, _, name = path.rpartition("/")
    return bool(folder) and name in FOLDER_MANIFESTS and path.split("/")[0] not in support


def _parent_folder(path: str) -> str:
    return path.rpartition("/")[0]


def _name_parts(
    parts: Sequence[FilePart], previous: Sequence[Module], base: str, manifests: frozenset[str], project: str
) -> list[ModuleDraft]:
    """Name the parts: one that has most files of a previous module keeps its name, others get new ones."""
    moved = {path: key for module in previous for path, key in module.moved}
    owners = {path: moved.get(path, module.key) for module in previous for path in module.files}
    keys = _match_parts(parts, owners)
    new_parts = [part for part, key in zip(parts, keys, strict=True) if not key]
    new_names = iter(assign_names(new_parts, set(filter(None, keys)), base, manifests, project))
    names = [key or next(new_names) for key in keys]
    return [ModuleDraft(name, name, part.folder, part.files) for name, part in zip(names, parts, strict=True)]


def _complete_drafts(
    drafts: Sequence[ModuleDraft], files: Sequence[SourceFile], support: frozenset[str]
) -> list[ModuleDraft]:
    """Add the remaining files of each folder to the drafts; supporting folders become additional modules.

    Tests are in no module's files: they are listed separately. Folders of tests, and folders without code and prose,
    become no modules.
    """
    members = {draft.key: list(draft.files) for draft in drafts}
    assigned_paths = {path for draft in drafts for path in draft.files}
    tops = {path.split("/")[0] for path in assigned_paths if "/" in path} - support
    homes = module_summary.map_folders(drafts)
    support_files: dict[str, list[str]] = defaultdict(list)
    roles: dict[str, Counter[str]] = defaultdict(Counter)
    for file in files:
        path = file.path
        top, _, below = path.partition("/")
        if path in assigned_paths or not below or top.startswith("."):
            continue
        roles[top][file.role] += 1
        if file.role == "test":
            continue
        if top not in tops:
            support_files[top].append(path)
        elif key := module_summary.find_module(_parent_folder(path), homes):
            members[key].append(path)
    completed = [replace(draft, files=tuple(sorted(members[draft.key]))) for draft in drafts]
    support_parts = [
        FilePart(top, tuple(paths)) for top, paths in sorted(support_files.items()) if _is_worth_a_module(roles[top])
    ]
    support_names = assign_names(support_parts, [draft.key for draft in completed], "", frozenset(), "core")
    return completed + [
        ModuleDraft(name, name, part.folder, part.files, support=True)
        for name, part in zip(support_names, support_parts, strict=True)
    ]


def _is_worth_a_module(roles: Counter[str]) -> bool:
    readable = roles["source"] + roles["prose"]
    return readable > 0 and readable >= roles["test"]


def _build_module(
    draft: ModuleDraft,
    importance: Mapping[str, float],
    entries: Mapping[str, str],
    packages: Mapping[str, Sequence[str]],
) -> Module:
    ordered = tuple(sorted(draft.files, key=lambda path: (-importance.get(path, -1.0), path)))
    return Module(
        name=draft.name,
        key=draft.key,
        folder=draft.folder,
        files=ordered,
        core=tuple(path for path in ordered[: module_summary.CORE_MAX] if path in importance),
        entries=module_summary.select_entries(ordered, entries),
        packages=only_paths(module_summary.rank_packages(ordered, packages)),
        purpose=draft.purpose,
        support=draft.support,
        hidden=draft.hidden,
        moved=draft.moved,
    )


def _match_parts(parts: Sequence[FilePart], owners: Mapping[str, str]) -> list[str]:
    """Return for each part the key of the previous module with the largest overlap, if large enough, or nothing."""
    size_before = Counter(owners.values())
    overlaps: list[tuple[float, int, str]] = []
    for index, part in enumerate(parts):
        for key, shared in Counter(owners[path] for path in part.files if path in owners).items():
            overlap = max(shared / len(part.files), shared / size_before[key])
            if overlap >= SAME_OVERLAP_MIN:
                overlaps.append((shared / (len(part.files) + size_before[key] - shared), index, key))
    key_of: dict[int, str] = {}
    for _, index, key in sorted(overlaps, key=lambda row: (-row[0], row[1], row[2])):
        if index not in key_of and key not in key_of.values():
            key_of[index] = key
    return [key_of.get(index, "") for index in range(len(parts))]
