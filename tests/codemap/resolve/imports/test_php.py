"""What PHP uses leads to files."""

from __future__ import annotations

from pathlib import Path

from tests.codemap.resolve.drawn import edges, mapped


def test_a_class_is_found_by_the_part_of_its_name_that_folders_have(tmp_path: Path) -> None:
    project = {
        "src/Shop/Cart.php": "<?php\nnamespace App\\Shop;\nclass Cart {}\n",
        "public/index.php": "<?php\nuse App\\Shop\\Cart;\nuse Far\\Away\\Thing;\n$cart = new Cart();\n",
    }
    assert edges(mapped(tmp_path, project), "imports") == {
        "public/index.php imports src/Shop/Cart.php",
        "public/index.php imports Far",
    }
