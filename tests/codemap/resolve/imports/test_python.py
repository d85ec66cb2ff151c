"""Modules, packages, re-exports and aliases of Python lead to files."""

from __future__ import annotations

from pathlib import Path

import pytest

from holloway.codemap.resolve.imports import python
from tests.codemap.resolve.drawn import Files, edges, mapped

PROJECTS: list[tuple[Files, set[str]]] = [
    (
        {
            "shop/__init__.pyi": "from .tax import Rate\n\nclass Cart:\n    def add(self): ...\n",
            "shop/tax.pyi": "class Rate:\n    def of(self): ...\n",
            "main.py": "from shop import Cart, Rate, tax\n\nCart().add()\nRate().of()\n",
        },
        {
            "main.py imports shop/__init__.pyi",
            "main.py imports shop/tax.pyi",
            "main.py calls shop/__init__.pyi:Cart.add",
            "main.py calls shop/tax.pyi:Rate.of",
        },
    ),
    (
        {
            "shop/__init__.py": "from .cart import Cart as Basket\n",
            "shop/cart.py": "class Cart:\n    def add(self):\n        return self.total()\n\n    def total(self): ...\n",
            "main.py": "from shop import Basket\n\ndef run():\n    Basket().add()\n",
        },
        {
            "main.py imports shop/__init__.py",
            "main.py imports_symbol shop/cart.py:Cart",
            "main.py:run instantiates shop/cart.py:Cart",
            "main.py:run calls shop/cart.py:Cart.add",
            "shop/cart.py:Cart.add calls shop/cart.py:Cart.total",
            "shop/__init__.py exports shop/cart.py:Cart",
        },
    ),
    (
        {
            "a.py": "import pkg.deep.mod as m\nimport pkg.deep.mod\n\nm.go()\n\ndef f():\n    pkg.deep.mod.go()\n",
            "pkg/__init__.py": "",
            "pkg/deep/__init__.py": "",
            "pkg/deep/mod.py": "def go():\n    pass\n",
        },
        {"a.py calls pkg/deep/mod.py:go", "a.py:f calls pkg/deep/mod.py:go"},
    ),
    (
        {
            "base.py": "class Base:\n    def save(self): ...\n    def clean(self): ...\n",
            "child.py": "from base import Base\n\nclass Child(Base):\n    def save(self):\n        super().save()\n        self.clean()\n",
        },
        {
            "child.py:Child extends base.py:Base",
            "child.py:Child.save overrides base.py:Base.save",
            "child.py:Child.save calls base.py:Base.save",
            "child.py:Child.save calls base.py:Base.clean",
        },
    ),
    (
        {
            "repo.py": "class Repo:\n    def get(self): ...\n\ndef connect() -> Repo:\n    return Repo()\n",
            "app.py": (
                "from repo import Repo, connect\n\nclass App:\n    def __init__(self, repo: Repo):\n        self.repo = repo\n"
                "    def show(self):\n        self.repo.get()\n\ndef main():\n    connect().get()\n    r = connect()\n    r.get()\n"
            ),
        },
        {
            "app.py:App.show calls repo.py:Repo.get",
            "app.py:main calls repo.py:Repo.get",
            "app.py:App.__init__ typed_as repo.py:Repo",
        },
    ),
    (
        {"settings.py": "DEBUG: bool = True\n", "use.py": "from settings import DEBUG\n"},
        {"use.py imports_symbol settings.py:DEBUG"},
    ),
    (
        {
            "src/app/core.py": "def start(): ...\n",
            "src/app/__init__.py": "from .core import *\n",
            "tests/test_core.py": "import app\n\ndef test_start():\n    app.start()\n",
        },
        {
            "tests/test_core.py:test_start calls src/app/core.py:start",
            "src/app/core.py tested_by tests/test_core.py",
        },
    ),
]


@pytest.mark.parametrize(("project", "expected"), PROJECTS)
def test_names_are_followed_to_what_they_name(tmp_path: Path, project: Files, expected: set[str]) -> None:
    assert expected - edges(mapped(tmp_path, project)) == set()


def test_a_name_of_the_standard_library_is_not_taken_for_a_file_elsewhere(tmp_path: Path) -> None:
    database = mapped(
        tmp_path,
        {"a.py": "import json\n\njson.dumps(1)\n", "pkg/__init__.py": "", "pkg/json.py": "def dumps(x): ...\n"},
    )
    assert edges(database) == {"a.py imports json", "a.py calls_external json"}


def test_roots_are_tried_from_the_outside_in_and_then_by_name() -> None:
    assert sorted(["src/b", "lib", "", "src/a", "app"], key=python._depth_key) == ["", "app", "lib", "src/a", "src/b"]
