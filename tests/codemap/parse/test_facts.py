"""Facts survive storage, and their interface changes only with what other files can see."""

from __future__ import annotations

import pytest

from holloway.codemap.parse.facts import (
    MODULE_SCOPE,
    Binding,
    Definition,
    Facts,
    Import,
    Reference,
    decode_facts,
    decode_references,
)

SHOP = Definition("class", "Shop", "Shop", MODULE_SCOPE, 1, 9, "class Shop", True, "")
SELL = Definition("method", "sell", "Shop.sell", 0, 2, 4, "def sell(self)", True, "")
INIT = Definition("method", "__init__", "Shop.__init__", 0, 5, 6, "def __init__(self)", True, "")
MAKE = Definition("function", "make", "make", MODULE_SCOPE, 7, 9, "def make()", True, "=Shop()")
FACTS = Facts(
    "shop",
    (SHOP, SELL, INIT, MAKE),
    (Import("money", "Price", "Cost", MODULE_SCOPE, 1), Import("far", "*", "", MODULE_SCOPE, 2, exported=True)),
    (Reference("base", "Base", [0], [1]),),
    (Binding(MODULE_SCOPE, "limit", "Price()", False, MODULE_SCOPE),),
    ("Shop", "é"),
    (Reference("call", "print", [1, 3], [3, 8]),),
)


def test_facts_and_references_are_stored_apart_and_come_back() -> None:
    assert decode_facts(FACTS.encode_facts()) == FACTS._replace(references=())
    assert decode_references(FACTS.encode_references()) == FACTS.references
    assert decode_facts(Facts().encode_facts()) == Facts()
    assert decode_facts(FACTS._replace(exports=None).encode_facts()).exports is None
    assert decode_facts(FACTS._replace(exports=()).encode_facts()).exports == ()


def bound_in(scope: int) -> Facts:
    return FACTS._replace(bindings=(*FACTS.bindings, Binding(scope, "x", "y", False, scope)))


@pytest.mark.parametrize(
    "changed",
    [
        FACTS._replace(package="other"),
        FACTS._replace(definitions=(SHOP._replace(kind="type"), SELL, INIT, MAKE)),
        FACTS._replace(definitions=(SHOP, SELL._replace(qualified="Shop.buy"), INIT, MAKE)),
        FACTS._replace(definitions=(SHOP, SELL._replace(returns="int"), INIT, MAKE)),
        FACTS._replace(imports=(FACTS.imports[0]._replace(alias=""), FACTS.imports[1])),
        FACTS._replace(imports=(FACTS.imports[0], FACTS.imports[1]._replace(exported=False))),
        FACTS._replace(bases=(Reference("base", "Other", [0], [1]),)),
        FACTS._replace(bases=(Reference("base", "Base", [3], [1]),)),
        FACTS._replace(exports=None),
        bound_in(MODULE_SCOPE),
        bound_in(0),
        bound_in(2),
        bound_in(3),
    ],
)
def test_a_change_that_others_can_see_changes_the_interface(changed: Facts) -> None:
    assert changed.hash_interface() != FACTS.hash_interface()


@pytest.mark.parametrize(
    "changed",
    [
        FACTS._replace(references=()),
        FACTS._replace(
            definitions=(SHOP._replace(line=3, end_line=12, signature="class Shop(Base)"), SELL, INIT, MAKE)
        ),
        FACTS._replace(imports=(FACTS.imports[0]._replace(line=40), FACTS.imports[1])),
        FACTS._replace(bases=(Reference("base", "Base", [0], [44]),)),
        bound_in(1),
    ],
)
def test_a_change_inside_a_body_does_not(changed: Facts) -> None:
    assert changed.hash_interface() == FACTS.hash_interface()
