"""A SCIP index in bytes, as a test writes it down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from holloway.codemap.scip.documents import Document, read_documents
from holloway.errors import HollowayError

P = "scip-x npm shop 1.0 "
APP, CART, ITEM = f"{P}src/`app.ts`/", f"{P}src/`cart.ts`/", f"{P}src/`cart.ts`/Item#"
ADD, RUN = f"{P}src/`cart.ts`/Cart#add().", f"{P}src/`app.ts`/run()."


def varint(value: int) -> bytes:
    head = bytes([value & 0x7F | (0x80 if value > 0x7F else 0)])
    return head + varint(value >> 7) if value > 0x7F else head


def field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def packed(*numbers: int) -> bytes:
    return b"".join(map(varint, numbers))


def occurrence(symbol: str, place: tuple[int, ...], roles: int = 0, enclosing: tuple[int, ...] = ()) -> bytes:
    around = field(7, packed(*enclosing)) if enclosing else b""
    return field(2, field(1, packed(*place)) + field(2, symbol) + field(3, roles) + around)


def symbol(name: str, *implemented: str, kind: int = 0) -> bytes:
    related = b"".join(field(4, field(1, one) + field(3, 1)) for one in implemented)
    return field(3, field(1, name) + field(3, "# Documentation") + related + field(5, kind) + field(6, "shown"))


def document(path: str, *parts: bytes) -> bytes:
    return field(2, field(4, "typescript") + field(1, path) + b"".join(parts))


METADATA = field(1, field(2, field(1, "scip-x")) + field(3, "file:///shop") + field(4, 1))
CART_FILE = document(
    "src/cart.ts",
    occurrence(CART, (0, 0, 0), 1, (0, 0, 40, 0)),
    occurrence(ITEM, (2, 17, 21), 1, (2, 0, 4, 1)),
    occurrence(f"{P}src/`cart.ts`/Cart#", (6, 13, 17), 1, (6, 0, 30, 1)),
    occurrence(ADD, (10, 2, 5), 1, (8, 2, 20, 3)),
    occurrence(ITEM, (10, 12, 16)),
    symbol(ITEM, kind=21),
)
APP_FILE = document(
    "src/app.ts",
    occurrence(APP, (0, 0, 0), 1, (0, 0, 9, 0)),
    occurrence(CART, (0, 20, 28)),
    occurrence(f"{P}src/`cart.ts`/Cart#", (0, 9, 13), 2),
    occurrence(RUN, (3, 9, 12), 1, (3, 0, 7, 1)),
    occurrence("local 4", (4, 8, 9), 1),
    occurrence(ADD, (5, 4, 7)),
    occurrence("local 4", (5, 8, 9)),
    occurrence("scip-x npm typescript 5.9 lib/`a.d.ts`/Map#", (6, 4, 7)),
)

Index = Callable[..., Path]


def read_or_refused(path: Path) -> Iterator[Document]:
    try:
        yield from read_documents(path)
    except HollowayError as error:
        if str(path) not in error.message:
            raise
