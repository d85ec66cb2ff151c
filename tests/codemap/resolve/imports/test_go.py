"""Packages of Go lead to the files of a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codemap.resolve.drawn import Files, edges, mapped

PROJECTS: list[tuple[Files, set[str]]] = [
    (
        {
            "go.mod": "module example.org/shop\n\ngo 1.22\n",
            "cmd/shop/main.go": 'package main\n\nimport (\n\t"fmt"\n\n\tst "example.org/shop/internal/store"\n)\n\nfunc main() {\n\ts := st.Open()\n\ts.Get()\n\tfmt.Println()\n}\n',
            "internal/store/open.go": "package store\n\nfunc Open() *Store { return &Store{} }\n",
            "internal/store/store.go": "package store\n\ntype Store struct{ cache Cache }\n\nfunc (s *Store) Get() { s.cache.Read(); helper() }\n",
            "internal/store/cache.go": "package store\n\ntype Cache struct{}\n\nfunc (c Cache) Read() {}\n\nfunc helper() {}\n",
        },
        {
            "cmd/shop/main.go imports internal/store/open.go",
            "cmd/shop/main.go:main calls internal/store/open.go:Open",
            "cmd/shop/main.go:main calls internal/store/store.go:Store.Get",
            "cmd/shop/main.go:main calls_external fmt",
            "internal/store/store.go:Store.Get calls internal/store/cache.go:Cache.Read",
            "internal/store/store.go:Store.Get calls internal/store/cache.go:helper",
            "internal/store/open.go:Open instantiates internal/store/store.go:Store",
        },
    )
]


@pytest.mark.parametrize(("project", "expected"), PROJECTS)
def test_names_are_followed_to_what_they_name(tmp_path: Path, project: Files, expected: set[str]) -> None:
    assert expected - edges(mapped(tmp_path, project)) == set()


def test_the_version_at_the_end_of_a_path_is_not_the_name_of_the_package(tmp_path: Path) -> None:
    project = {
        "go.mod": "module example.org/shop\n",
        "store/v2/open.go": "package store\n\nfunc Open() {}\n",
        "main.go": 'package main\n\nimport "example.org/shop/store/v2"\n\nfunc main() { store.Open() }\n',
    }
    assert "main.go:main calls store/v2/open.go:Open" in edges(mapped(tmp_path, project))
