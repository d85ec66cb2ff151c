"""Facts as short lines, so that a test can say what it expects the way a reader would."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

from holloway.codemap.parse.facts import MODULE_SCOPE
from holloway.codemap.parse.parser import extract_facts

if TYPE_CHECKING:
    from holloway.codemap.parse.facts import Facts


def read(language: str, source: str) -> Facts:
    """The facts of a piece of code; its indentation in the test is not part of it."""
    return extract_facts(language, dedent(source).encode())


def definitions(facts: Facts) -> list[str]:
    """`kind qualified.name`, and `-> what it gives`."""
    return [f"{one.kind} {one.qualified}" + (f" -> {one.returns}" if one.returns else "") for one in facts.definitions]


def imports(facts: Facts) -> list[str]:
    """`module`, `module: symbol`, `module: symbol as alias`; a plus for what is offered on."""
    return [
        item.module
        + (f": {item.symbol}" if item.symbol else "")
        + (f" as {item.alias}" if item.alias else "")
        + (" +" if item.exported else "")
        for item in facts.imports
    ]


def references(facts: Facts, *kinds: str) -> list[str]:
    """`kind name`, and `@ the definition it stands in`."""
    rows = [
        (line, one.kind, one.name, scope)
        for one in (*facts.bases, *facts.references)
        for scope, line in zip(one.scopes, one.lines, strict=True)
        if not kinds or one.kind in kinds
    ]
    return [f"{kind} {name}{_place(facts, scope)}" for _, kind, name, scope in sorted(rows)]


def bindings(facts: Facts) -> list[str]:
    """`name = expression` or `name: type`, and `@ the definition it holds in`."""
    return [
        f"{one.name}{':' if one.is_type else ' ='} {one.expression}{_place(facts, one.scope)}" for one in facts.bindings
    ]


def _place(facts: Facts, scope: int) -> str:
    return "" if scope == MODULE_SCOPE else f" @ {facts.definitions[scope].qualified}"
