"""What a module is for, in a line: from its manifest, its README or the comment at its head, else its files' names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from holloway.codemap.modules import manifests
from holloway.codemap.reading.languages import language_of
from holloway.safety.instructions import neutral
from holloway.safety.secrets import redact
from holloway.text.bounds import one_line

if TYPE_CHECKING:
    from holloway.codemap.modules.detection import Module

PURPOSE_CHARS_MAX = 120
READ_CHARS_MAX = 8_000
WORDS_MIN = 3
LISTED_MAX = 6
FOLDERS_MIN = 3
FOLDERS_SHARE_MIN = 0.6
"""From so many folders and such a share of the files in them on, the folders say more than the files."""
FACES = (
    "__init__.py",
    "mod.rs",
    "lib.rs",
    "doc.go",
    "package-info.java",
    "index.ts",
    "index.tsx",
    "index.js",
    "main.rs",
)
GO_FILES_READ_MAX = 6
COMMENTS_READ_MAX = 5

_MANIFEST = re.compile(r"(package|composer)\.json\Z|(Cargo|pyproject)\.toml\Z")
_README = re.compile(r"readme(\.(md|rst|txt|adoc|markdown))?\Z", re.IGNORECASE)
_FENCED = re.compile(r"^(```|~~~).*?^(```|~~~)|<!--.*?-->", re.MULTILINE | re.DOTALL)
_NOT_PROSE = re.compile(
    r"\s*(#|=|\.\. |:\w+:|\||>|[-*+] |\d+[.)] |<|!\[|\[!|\[.{0,200}\]:|={3,}|-{3,}|~{3,}|\^{3,}|-\*-|%|$)"
)
_UNDERLINE = re.compile(r"\s*([=\-~^\"'#*+])\1{2,}\s*\Z")
_LINKS = re.compile(
    r"!?\[([^\[\]]{0,200})\](\([^()]{0,400}\)|\[[^\[\]]{0,100}\])|(?::\w{1,20}:)?`{1,2}([^`]{1,100}?)(\s*<[^<>]{0,200}>)?`{1,2}_{0,2}"
)
_MARKS = re.compile(r"\*\*|__|</?\w[^<>]{0,100}>")
_NAMED_LINK = re.compile(r"\[([A-Za-z_][\w:.-]{0,60})\]")
"""A link whose target stands elsewhere, as Rust's documentation has them."""
_LEADS_ON = re.compile(r"(?:[,\s]+(?:such as|including|like|for example|e\.g\.?|namely))?[\s,:;]*\Z", re.IGNORECASE)
"""What introduces a list that is not shown."""
_DOC_LINK = re.compile(r"\{@\w{1,20}\s(?:[\w.]{1,120}\.)?([\w#]{1,60})(?:\s+[^{}]{0,80})?\}")
_SENTENCE = re.compile(r"(.+?[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?=\s+[^a-z\s]|\s*\Z)", re.DOTALL)
_GUIDES = re.compile(r"(if|to|in|for|when|once|after|before|run|install|use|see|note) ", re.IGNORECASE)
"""How a sentence begins that helps a reader along and says nothing of what is there."""
_PREAMBLE = re.compile(
    r"(Package \w+|(This|The) ([\w-]+ ){0,2}(package|module|crate|folder|directory|library)) "
    r"(provides|contains|implements|holds|defines) "
)
_BOILERPLATE = re.compile(
    r"copyright|licen[sc]e|spdx|all rights reserved|eslint|@ts-|use strict|prettier|coding[:=]|generated|#!",
    re.IGNORECASE,
)
_SPEAKS_TO_AGENTS = re.compile(
    r"\b(ignore|disregard|forget|override|bypass)\b.{0,60}\b(instructions?|previous|prior|above|rules?|prompts?)\b"
    r"|\b(system prompt|jailbreak|you (must|should|are|will|need)|as an? (ai|llm|language model|assistant)\b)"
    r"|\b(do not|don't|must not) \w+"
    r"|\b(ai|llm|coding) (agents?|assistants?|models?)\b.{0,20}\b(must|should|shall|:)|\b(attention|important|note)\s*:"
    r"|https?://|\b(curl|wget|sudo|rm -|eval|base64|chmod)\b|\b(always|never|please|make sure|be sure|first,?) \w+",
    re.IGNORECASE,
)
"""A description says what is there. A line that tells its reader what to do is not shown to an agent as one."""


def is_description(text: str) -> bool:
    """Whether a text only says what is there, and tells its reader nothing to do."""
    return _SPEAKS_TO_AGENTS.search(text) is None


def described(modules: Sequence[Module], root: Path) -> list[Module]:
    """The modules with their purposes; the one that a person gave stays."""
    read = partial(manifests.text, root)
    return [replace(module, purpose=purpose(module, read)) for module in modules]


def purpose(module: Module, read: Callable[[str], str]) -> str:
    """The purpose of a module. `read` gives the text of a file, or an empty one."""
    if module.purpose:
        return one_line(neutral(module.purpose[:READ_CHARS_MAX]), PURPOSE_CHARS_MAX)
    for path in _about(module, _MANIFEST):
        if found := from_manifest(path, read(path)):
            return found
    for path in _about(module, _README):
        if found := from_readme(read(path)):
            return found
    for path in _heads(module):
        if found := from_head(path, read(path)):
            return found
    return from_names(module)


def from_manifest(path: str, text: str) -> str:
    """The description that a package gives of itself."""
    data = manifests.json_table(text) if path.endswith(".json") else manifests.toml_table(text)
    tables = (data, manifests.inner(data, "package"), manifests.inner(data, "project"))
    told = " ".join(manifests.string(table, "description") for table in tables)[:READ_CHARS_MAX]
    return _sentence(told, may_guide=False)  # "Run scripts in parallel" says what a package does.


def from_readme(text: str) -> str:
    """The first sentence of a README that is prose: no heading, badge, list, quotation or code."""
    lines = _FENCED.sub("", text[:READ_CHARS_MAX]).split("\n")
    paragraph: list[str] = []
    for at, line in enumerate(lines):
        heads = at + 1 < len(lines) and bool(line.strip()) and bool(_UNDERLINE.match(lines[at + 1]))
        if heads or _NOT_PROSE.match(line) or line.startswith(("    ", "\t")):
            if paragraph and (found := _sentence(" ".join(paragraph))):
                return found
            paragraph = []
        else:
            paragraph.append(line)
    return _sentence(" ".join(paragraph)) if paragraph else ""


def from_head(path: str, text: str) -> str:
    """The first sentence of the comment or docstring that a file begins with."""
    reader = _HEAD_READERS.get(PurePosixPath(path).suffix.lower())
    return _sentence(reader(text[:READ_CHARS_MAX])) if reader else ""


def from_names(module: Module) -> str:
    """The names of its folders, or else of its central files: there is nothing else to go by."""
    code = [path for path in module.files if language_of(path)]
    below = Counter(rest[0] for path in code if len(rest := _below(path, module.folder)) > 1)
    if len(below) >= FOLDERS_MIN and below.total() >= FOLDERS_SHARE_MIN * len(code):
        names = sorted(below, key=lambda name: (-below[name], name))
    else:
        names = [_telling_name(path) for path in code]
    return one_line(neutral(", ".join(list(dict.fromkeys(filter(None, names)))[:LISTED_MAX])), PURPOSE_CHARS_MAX)


def _below(path: str, folder: str) -> list[str]:
    return path.removeprefix(f"{folder}/").split("/") if path.startswith(f"{folder}/") else []


def _telling_name(path: str) -> str:
    """A file's name, or its folder's where it only stands for that; empty where neither tells anything."""
    stem = PurePosixPath(path).name.partition(".")[0].strip("_")
    if stem == "index" and path.endswith((".ts", ".tsx", ".js", ".jsx", ".mjs")):
        return PurePosixPath(path).parent.name
    return "" if stem in ("init", "main", "mod", "lib") else stem


def _about(module: Module, name: re.Pattern[str]) -> list[str]:
    """The files of that name that are about the module: in its folder or, for a package, above it."""
    found = [
        path
        for path in module.files
        if name.match(PurePosixPath(path).name) and _is_above(path.rpartition("/")[0], module.folder)
    ]
    return sorted(found, key=lambda path: (-path.count("/"), path))[:2]


def _is_above(folder: str, other: str) -> bool:
    return bool(folder) and (other == folder or other.startswith(f"{folder}/"))


def _heads(module: Module) -> list[str]:
    """The files whose beginning may speak for the module: its face, and the file that it is named after."""
    beside = [path for path in module.files if path.rpartition("/")[0] == module.folder]
    own_name = module.key.rpartition("/")[2].casefold()
    faces = [path for face in FACES for path in beside if PurePosixPath(path).name == face]
    named = [path for path in beside if PurePosixPath(path).stem.casefold() == own_name]
    packages = [path for path in beside if path.endswith(".go")][:GO_FILES_READ_MAX]
    same_name = PurePosixPath(module.folder).name.casefold() == own_name
    ordered = [*faces, *named, *packages] if same_name else [*named, *faces, *packages]
    return list(dict.fromkeys(ordered))


def _sentence(text: str, *, may_guide: bool = True) -> str:
    """The first sentence on one line; empty where it says too little, or speaks to its reader."""
    plain = _MARKS.sub("", _LINKS.sub(lambda match: match[1] or match[3] or "", _DOC_LINK.sub(r"\1", text)))
    flat = redact(neutral(_NAMED_LINK.sub(r"\1", plain)))[0]
    match = _SENTENCE.match(flat)
    found = _LEADS_ON.sub("", (match[1] if match else flat).strip(), count=1)
    if len(found.split()) < WORDS_MIN or (may_guide and _GUIDES.match(found)):
        return ""
    if _BOILERPLATE.search(found) or not is_description(found):
        return ""
    short = _PREAMBLE.sub("", found)
    return one_line(short[:1].upper() + short[1:], PURPOSE_CHARS_MAX).rstrip(".")


_PYTHON_DOC = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*[rRuU]?(\"\"\"|''')(.*?)\1", re.DOTALL)
_RUST_BLOCK = re.compile(r"\s*(?:#!\[[^\n]*\n\s*|//[^/!\n][^\n]*\n\s*)*/\*!(.*?)\*/", re.DOTALL)
_RUST_LINES = re.compile(r"^//! ?(.*)$", re.MULTILINE)
_GO_PACKAGE = re.compile(r"^((?://[^\n]*\n)+|/\*.*?\*/\s*\n)package\s", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"/\*\*?(.*?)\*/", re.DOTALL)
_TAG_LINE = re.compile(r"^@(module|packageDocumentation|file|fileoverview|overview)\b")


def _python(text: str) -> str:
    match = _PYTHON_DOC.match(text)
    return _paragraph(match[2]) if match else ""


def _rust(text: str) -> str:
    if block := _RUST_BLOCK.match(text):
        return _paragraph(block[1])
    return _paragraph("\n".join(_RUST_LINES.findall(text)))


def _go(text: str) -> str:
    match = _GO_PACKAGE.search(text)
    comment = _paragraph(re.sub(r"^//+ ?|^/\*|\*/", "", match[1], flags=re.MULTILINE)) if match else ""
    return comment if comment.startswith("Package ") else ""


def _slashes(text: str) -> str:
    """The first block comment that is no licence, if no code stands before it."""
    for match in islice(_BLOCK.finditer(text), COMMENTS_READ_MAX):
        comment = _paragraph(re.sub(r"^\s*\*+ ?", "", match[1], flags=re.MULTILINE))
        if _BLOCK.sub("", text[: match.start()]).strip():
            return ""
        if comment and not _BOILERPLATE.search(comment):
            return comment
    return ""


def _paragraph(comment: str) -> str:
    """The first paragraph of a comment; what follows a tag other than that of the file itself is none."""
    found: list[str] = []
    for line in comment.strip().split("\n"):
        plain = _TAG_LINE.sub("", line.strip()).strip()
        if plain.startswith("@") or (found and (not plain or plain.startswith(("#", "<p>", "```")))):
            break
        if plain and not _UNDERLINE.match(plain):
            found.append(plain.lstrip("# "))
    return " ".join(found)


_HEAD_READERS: dict[str, Callable[[str], str]] = {
    ".py": _python,
    ".rs": _rust,
    ".go": _go,
    ".java": _slashes,
    ".ts": _slashes,
    ".tsx": _slashes,
    ".js": _slashes,
    ".jsx": _slashes,
}
