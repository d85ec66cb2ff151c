"""Normalises expressions of all languages into one notation: `a.b().c` is a chain of names with the calls marked."""

from __future__ import annotations

import re

EXPRESSION_BYTES_MAX = 400
"""Longer expressions are not followed; only their last member is recorded."""

UNKNOWN = "?"
"""Placeholder for a part of a chain that is not followed, such as a subscript."""

WRAPPERS = frozenset(
    "Optional Promise Awaitable Annotated ClassVar Final Readonly Partial Required NonNullable".split()
)
"""Generic types that are replaced by the type they contain."""

RUST_WRAPPERS = WRAPPERS | frozenset("Box Arc Rc Option Result Ref RefMut RefCell Cell Mutex RwLock Pin Weak".split())

_USE_CHARS_MAX = 4_000
_USE_ROWS_MAX = 500
_USE_DEPTH_MAX = 8
_NESTED_CALLS_MAX = 6

_PLAIN = re.compile(r"[A-Za-z_$][\w$]*(?:\.[\w$]+)*\Z", re.ASCII)
_CHAIN = re.compile(r"[^\W\d][\w$]*(?:\(\))*(?:\.[\w$#]+(?:\(\))*)*\Z|\$[\w$]*(?:\.[\w$#]+(?:\(\))*)*\Z")
_ARGUMENTS = re.compile(r"\([^()]*\)")
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`]*`")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_GENERICS = re.compile(r"\.?<[^<>]*>")
_LAST = re.compile(r"\.(#?[^\W\d][\w$]*)\Z")
_PREFIX = re.compile(r"(?:(?:await|new|yield|typeof)\b|&mut\b|&|\*)\s*")
_JOINTS = str.maketrans({"\n": None, "\r": None, " ": None, "\t": None})
_HOLE = "\x00"
_UNWRAPPING = re.compile(
    r"\.(?:await\b|(?:unwrap|expect|unwrap_or_default|clone|to_owned|as_ref|as_mut|borrow|borrow_mut|lock)\(\))"
)

_ARROW = "\u21d2"
_BRACKETS = re.compile(rf"[()\[\]{{}}<>|{_ARROW}]")
_SIMPLE_TYPE = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)
_TYPE_NAME = re.compile(r"[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
_TYPE_PREFIX = re.compile(r"(?:[*&:?\"\s.]|'\w+\b(?!')|'|\b(?:const|mut|dyn|impl|final|readonly|struct|unique)\b)+")
_NOT_CLASSES = frozenset(
    "None true false null undefined void any unknown never object string number boolean bigint symbol typeof"
    " keyof asserts infer new int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr byte rune float32"
    " float64 bool error func chan interface map i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 str"
    " char fn long short double float var".split()
)


def normalise_chain(text: str) -> str:
    """Normalise `foo(1).bar` to `foo().bar`; an expression that cannot be followed gives `?.last`, or nothing."""
    if len(text) > EXPRESSION_BYTES_MAX:
        return _last_member(text[-80:].rstrip())
    if _PLAIN.match(text):
        return text
    text = _PREFIX.sub("", text, count=1) if _PREFIX.match(text) else text
    text = _STRING.sub(_HOLE, text)
    text = (_COMMENT.sub("", text) if "/" in text else text).translate(_JOINTS)
    text = text.replace("::", ".").replace("?.", ".").replace("!.", ".").replace("->", ".").replace("\\", ".")
    for _ in range(_NESTED_CALLS_MAX):
        text, replacements = _ARGUMENTS.subn(_HOLE, text)
        if not replacements:
            break
    while "<" in text and (plain := _GENERICS.sub("", text)) != text:
        text = plain
    text = text.replace(_HOLE, "()").rstrip("?!")
    return text if _CHAIN.match(text) else _last_member(text)


def strip_unwrapping(text: str) -> str:
    """Remove calls that only pass on their content: `open().unwrap().read` becomes `open().read`."""
    return _UNWRAPPING.sub("", text) if "." in text else text


def _last_member(text: str) -> str:
    match = _LAST.search(text)
    return f"{UNKNOWN}.{match.group(1)}" if match else ""


def extract_type_names(text: str, wrappers: frozenset[str] = WRAPPERS) -> str:
    """Return the classes that a type annotation names, joined by `|`; element types of containers are left out."""
    if _SIMPLE_TYPE.match(text):
        return "" if text in _NOT_CLASSES else text
    text = text[:EXPRESSION_BYTES_MAX].replace("::", ".").replace("\\", ".")
    if "=>" in text:
        text = text.replace("=>", _ARROW)
    names: list[str] = []
    for part in _split_union(text) if "|" in text else (text,):
        if part.rstrip().endswith(_ARROW):
            # The return type of a function type follows, and a function is no class.
            break
        name = _parse_type_name(part, wrappers, 0)
        if name and name not in _NOT_CLASSES:
            names.append(name)
    return "|".join(dict.fromkeys(names[:4]))


def _split_union(text: str) -> list[str]:
    """Split a union into its parts; bars inside brackets are ignored."""
    parts: list[str] = []
    depth = 0
    start = 0
    for match in _BRACKETS.finditer(text):
        char = match.group()
        if char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth -= 1
        elif depth == 0:
            end = match.end() if char == _ARROW else match.start()
            parts.append(text[start:end])
            start = match.end()
    return [*parts, text[start:]]


def _parse_type_name(part: str, wrappers: frozenset[str], depth: int) -> str:
    prefix = _TYPE_PREFIX.match(part)
    match = _TYPE_NAME.match(part, prefix.end() if prefix else 0)
    if not match:
        return ""
    name = match.group()
    inner = part[match.end() :].lstrip()
    if name.rpartition(".")[2] in wrappers and inner[:1] in ("[", "<") and depth < _NESTED_CALLS_MAX:
        return _parse_type_name(inner[1:], wrappers, depth + 1)
    is_array = inner.startswith("[") and inner[1:2] in ("]", "")
    is_other = inner.startswith(("is ", "extends ", _ARROW))
    return "" if is_array or is_other else name


def expand_use_tree(text: str) -> list[tuple[str, str, str]]:
    """Expand `a::{b, c::d as e, f::*}` into (module, symbol, alias) rows."""
    return _expand_branches(" ".join(text[:_USE_CHARS_MAX].split()).replace("\\", "::"), "", 0)[:_USE_ROWS_MAX]


def _expand_branches(text: str, prefix: str, depth: int) -> list[tuple[str, str, str]]:
    text = text.strip()
    head, brace, tail = text.partition("{")
    if brace and depth < _USE_DEPTH_MAX:
        inner = tail[: tail.rindex("}")] if "}" in tail else tail
        base = prefix + head.strip().removesuffix("::") + "::" if head.strip() else prefix
        return [row for part in _split_at_commas(inner) for row in _expand_branches(part, base, depth + 1)]
    path, _, alias = text.partition(" as ")
    full_path = (prefix + path.strip()).removesuffix("::self").strip(":").replace("::", ".")
    module, _, symbol = full_path.rpartition(".")
    if not module:
        return [(symbol, "", alias.strip())] if symbol else []
    return [(module, symbol, alias.strip())]


def _split_at_commas(text: str) -> list[str]:
    parts: list[str] = []
    depth = 0
    start = 0
    for position, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [part for part in (*parts, text[start:]) if part.strip()]
