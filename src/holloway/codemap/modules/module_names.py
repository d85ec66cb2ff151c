"""Names for parts of a codebase: the folder that people know, or what the files of a flat folder are about."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from holloway.codemap.modules.partition import TOP_SHARE, Part, package_of
from holloway.text.identifiers import parts as word_parts

GENERIC = frozenset(
    "app apps cmd code crates internal java js kotlin lib libs main modules packages pkg projects py python rust "
    "scala source sources src ts".split()
)
"""Folders that say where code lies and not what it is."""
WHOLE = frozenset("app lib source sources src".split())
"""Folders that hold what a project itself is, beside its examples and packages."""
NAME_FOLDERS_MAX = 2
TERM_FILES_MIN = 3
TERM_SHARE_MIN = 0.25
TERM_OWN_MIN = 0.6
"""A word names a group when a quarter of its files carry it and most files that carry it are in the group."""
FACES = frozenset({"init", "index", "mod", "lib", "doc", "package-info"})
"""Files that stand for their folder."""
VAGUE = frozenset(
    "base common compat constants errors exceptions helper helpers types typing util utils version".split()
)
VAGUE_SHARE_MIN = 0.5
"""Files that are about nothing in particular: another one, if it stands out half as much, names the group."""
STEM_WORDS_MAX = 2
ROOTS = frozenset({"main", "root"})


def base_folder(sizes: Mapping[str, float]) -> str:
    """The deepest folder that holds most of the code: what every name would begin with, and so none does."""
    total = sum(sizes.values())
    weight: dict[str, float] = defaultdict(float)
    for path, size in sizes.items():
        folder = path
        while folder := folder.rpartition("/")[0]:
            weight[folder] += size
    most = [folder for folder, size in weight.items() if size >= TOP_SHARE * total]
    return max(most, key=lambda folder: (folder.count("/"), folder), default="")


def names(
    parts: Sequence[Part],
    taken: Collection[str],
    base: str,
    packages: frozenset[str],
    weights: Mapping[str, float],
    project: str,
) -> list[str]:
    """A name for each part, unlike each other and unlike those that are taken. `weights` say which file stands out."""
    alone = Counter(package_of(part.folder, packages) for part in parts)
    around: dict[str, Counter[str]] = {}
    for part in parts:
        if part.split:
            around.setdefault(part.folder, Counter()).update(_words(part.files))
    wanted: list[list[str]] = []
    for part in parts:
        folders = _folders(part.folder, base, packages, project, alone)
        label = _label(part, around[part.folder], weights) if part.split else ""
        wanted.append(_candidates(part.folder, folders, label, base))
    first = Counter(candidates[0] for candidates in wanted)
    inside = [part.folder.removeprefix(f"{base}/") for part in parts]
    plain = Counter(where for where, candidates in zip(inside, wanted, strict=True) if where == candidates[0])
    used = {name.casefold() for name in taken}
    found: list[str] = []
    for where, candidates in zip(inside, wanted, strict=True):
        # Of several that would be called the same, the one that lies in the folder of that name is.
        is_own = where == candidates[0] and plain[where] == 1
        longer = candidates[1:] if first[candidates[0]] > 1 and not is_own else []
        name = next((each for each in [*longer, *candidates] if each.casefold() not in used), "")
        found.append(name or _numbered(candidates[0], used))
        used.add(found[-1].casefold())
    return found


def _folders(folder: str, base: str, packages: frozenset[str], project: str, alone: Mapping[str, int]) -> list[str]:
    """The folders that tell a part from the others, outermost first."""
    if folder == base or base.startswith(f"{folder}/") or not folder:
        return _telling(base.split("/"))[-1:] or [project]
    if folder.startswith(f"{base}/"):
        return _telling(folder.removeprefix(f"{base}/").split("/")) or folder.split("/")[-1:]
    package = package_of(folder, packages)
    if not package:
        return _telling(folder.split("/")) or ([project] if folder in WHOLE else folder.split("/")[-1:])
    own = package.split("/")[-1:]
    inside = _telling(folder.removeprefix(package).split("/"))[-1:]
    return own if alone[package] == 1 or inside == own else own + inside


def _telling(folders: Sequence[str]) -> list[str]:
    return [folder for folder in folders if folder and folder not in GENERIC]


def _candidates(folder: str, folders: Sequence[str], label: str, base: str) -> list[str]:
    """Names to try, the short one first and the whole path last."""
    short = "/".join(folders[-NAME_FOLDERS_MAX:])
    whole = "/".join(folders)
    if label:
        longer = [f"{folders[-1]}/{label}", f"{short}/{label}", f"{folder}/{label}".lstrip("/")]
        return list(dict.fromkeys([label, *longer] if folder == base else longer))
    inside = folder.removeprefix(f"{base}/") if folder.startswith(f"{base}/") else whole
    return list(dict.fromkeys([short, whole, inside, folder or whole]))


def _label(part: Part, around: Mapping[str, int], weights: Mapping[str, float]) -> str:
    """What a group within a folder is about; the folder's own name where it holds what the folder is named after."""
    name = PurePosixPath(part.folder).name
    stems = {PurePosixPath(path).stem.casefold() for path in part.files if PurePosixPath(path).parent.name == name}
    if stems & ROOTS or name.casefold() in stems:
        return ""
    counted = _words(part.files)
    for word, number in sorted(counted.items(), key=lambda item: (-item[1], -len(item[0]), item[0])):
        enough = number >= TERM_FILES_MIN and number >= TERM_SHARE_MIN * len(part.files)
        if enough and number >= TERM_OWN_MIN * around[word]:
            return word
    ordered = sorted(part.files, key=lambda path: (-weights.get(path, 0.0), path))
    least = VAGUE_SHARE_MIN * weights.get(ordered[0], 0.0)
    telling = [path for path in ordered if _stem(path) not in VAGUE and weights.get(path, 0.0) >= least]
    stem = _stem((telling or ordered)[0])
    if stem in FACES:
        return ""
    words = [word for word in word_parts(stem) if len(word) > 2]
    return stem if len(words) <= STEM_WORDS_MAX else max(words, key=lambda word: (counted[word], -words.index(word)))


def _stem(path: str) -> str:
    file = path.rpartition("/")[2]
    return file.partition(".")[0].strip("_") or file


def _words(files: Sequence[str]) -> Counter[str]:
    """In how many of the files' names a word stands, or two that follow each other."""
    counted: Counter[str] = Counter()
    for path in files:
        words = word_parts(_stem(path))
        counted.update({word for word in words if len(word) > 2} | {"_".join(pair) for pair in pairwise(words)})
    return counted


def _numbered(name: str, used: Collection[str]) -> str:
    number = 2
    while f"{name}-{number}".casefold() in used:
        number += 1
    return f"{name}-{number}"
