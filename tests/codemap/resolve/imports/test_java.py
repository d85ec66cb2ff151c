"""Classes and packages of Java lead to files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codemap.resolve.drawn import Files, edges, mapped

PROJECTS: list[tuple[Files, set[str]]] = [
    (
        {
            "src/main/java/org/shop/Cart.java": "package org.shop;\n\nimport org.shop.money.Price;\n\npublic class Cart extends Base {\n  private Price price = new Price();\n  public void pay() { price.charge(); done(); }\n  void done() {}\n}\n",
            "src/main/java/org/shop/Base.java": "package org.shop;\n\npublic abstract class Base {}\n",
            "src/main/java/org/shop/money/Price.java": "package org.shop.money;\n\npublic class Price {\n  public void charge() {}\n}\n",
        },
        {
            "src/main/java/org/shop/Cart.java imports src/main/java/org/shop/money/Price.java",
            "src/main/java/org/shop/Cart.java:Cart extends src/main/java/org/shop/Base.java:Base",
            "src/main/java/org/shop/Cart.java:Cart.pay calls src/main/java/org/shop/money/Price.java:Price.charge",
            "src/main/java/org/shop/Cart.java:Cart.pay calls src/main/java/org/shop/Cart.java:Cart.done",
        },
    )
]


@pytest.mark.parametrize(("project", "expected"), PROJECTS)
def test_names_are_followed_to_what_they_name(tmp_path: Path, project: Files, expected: set[str]) -> None:
    assert expected - edges(mapped(tmp_path, project)) == set()


def test_a_static_import_names_a_member_of_the_class_of_its_file(tmp_path: Path) -> None:
    project = {
        "a/Tools.java": "package a;\n\npublic class Tools {\n  public static void fix() {}\n}\n",
        "b/Use.java": "package b;\n\nimport static a.Tools.fix;\n\nclass Use {\n  void run() { fix(); }\n}\n",
    }
    assert edges(mapped(tmp_path, project), "calls") == {"b/Use.java:Use.run calls a/Tools.java:Tools.fix"}
