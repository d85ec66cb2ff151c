"""What C includes, Ruby requires and PHP uses leads to files."""

from __future__ import annotations

from pathlib import Path

from tests.codemap.resolve.drawn import edges, mapped


def test_an_included_file_is_found_beside_or_by_the_end_of_its_path(tmp_path: Path) -> None:
    project = {
        "src/a.c": '#include "lib/b.h"\n#include "far/c.h"\n#include <stdio.h>\nint main() { return 0; }\n',
        "src/lib/b.h": "int b(void);\n",
        "include/far/c.h": "int c(void);\n",
    }
    assert edges(mapped(tmp_path, project), "imports") == {
        "src/a.c imports src/lib/b.h",
        "src/a.c imports include/far/c.h",
        "src/a.c imports stdio.h",
    }


def test_a_required_file_is_found_beside_below_lib_or_by_the_end_of_its_path(tmp_path: Path) -> None:
    project = {
        "lib/a.rb": "require_relative 'b'\nrequire 'shop/cart'\nrequire 'far/end'\nrequire 'rails/all'\n",
        "lib/b.rb": "class B\nend\n",
        "lib/shop/cart.rb": "class Cart\nend\n",
        "vendor_code/far/end.rb": "class End\nend\n",
    }
    assert edges(mapped(tmp_path, project), "imports") == {
        "lib/a.rb imports lib/b.rb",
        "lib/a.rb imports lib/shop/cart.rb",
        "lib/a.rb imports vendor_code/far/end.rb",
        "lib/a.rb imports rails",
    }


def test_a_class_is_found_by_the_part_of_its_name_that_folders_have(tmp_path: Path) -> None:
    project = {
        "src/Shop/Cart.php": "<?php\nnamespace App\\Shop;\nclass Cart {}\n",
        "public/index.php": "<?php\nuse App\\Shop\\Cart;\nuse Far\\Away\\Thing;\n$cart = new Cart();\n",
    }
    assert edges(mapped(tmp_path, project), "imports") == {
        "public/index.php imports src/Shop/Cart.php",
        "public/index.php imports Far",
    }
