"""What Ruby requires leads to files."""

from __future__ import annotations

from pathlib import Path

from tests.codemap.resolve.drawn import edges, mapped


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
