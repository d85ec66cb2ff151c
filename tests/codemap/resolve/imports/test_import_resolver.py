"""A module name leads to a file by the rules of its language, and a file is found by the words of its names."""

from __future__ import annotations

import pytest

from holloway.codemap.parse.facts import Import
from holloway.codemap.resolve.imports import import_resolver
from holloway.codemap.resolve.imports.file_tree import NO_TARGET, ImportTarget
from holloway.codemap.resolve.imports.import_resolver import ImportResolver, words_in

TEXTS = {
    "go.mod": "module example.org/shop\n",
    "Cargo.toml": '[package]\nname = "the-crate"\n',
    "web/package.json": '{"name": "@shop/web", "main": "start.js"}',
}
PATHS = [
    *TEXTS,
    "pkg/__init__.py",
    "pkg/part.py",
    "web/start.ts",
    "web/cart.ts",
    "store/open.go",
    "src/lib.rs",
    "src/part.rs",
    "org/shop/Cart.java",
    "lib/end.h",
    "lib/till.rb",
]


@pytest.fixture
def resolver() -> ImportResolver:
    return ImportResolver(PATHS, lambda path: TEXTS.get(path, ""))


@pytest.mark.parametrize(
    ("family", "origin", "module", "path"),
    [
        ("python", "main.py", "pkg.part", "pkg/part.py"),
        ("python", "pkg/part.py", ".", "pkg/__init__.py"),
        ("javascript", "web/start.ts", "./cart", "web/cart.ts"),
        ("go", "main.go", "example.org/shop/store", "store/"),
        ("rust", "src/lib.rs", "crate::part", "src/part.rs"),
        ("java", "org/shop/Till.java", "org.shop.Cart", "org/shop/Cart.java"),
        ("c", "main.c", "lib/end.h", "lib/end.h"),
        ("ruby", "lib/main.rb", "./till", "lib/till.rb"),
    ],
)
def test_each_language_has_its_rules(
    resolver: ImportResolver, family: str, origin: str, module: str, path: str
) -> None:
    assert resolver.find_target(family, origin, module).path == path
    assert resolver.find_target(family, origin, module) is resolver.find_target(family, origin, module)


def test_an_unknown_language_or_an_empty_name_leads_nowhere(resolver: ImportResolver) -> None:
    assert resolver.find_target("cobol", "a.cob", "pkg") is NO_TARGET
    assert resolver.find_target("python", "main.py", "") is NO_TARGET


def test_the_cache_of_targets_is_bounded(resolver: ImportResolver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_resolver, "TARGETS_CACHED_MAX", 2)
    for number in range(5):
        assert resolver.find_target("python", "main.py", f"m{number}").package == f"m{number}"
        assert len(resolver._cached) <= 2


def test_the_name_of_an_import_is_bound_by_the_rules_of_its_language(resolver: ImportResolver) -> None:
    whole = Import("pkg.part", "", "", -1, 1, False)
    assert resolver.find_import_target("python", "main.py", whole).path == "pkg/part.py"
    assert resolver.find_bound_target("python", "main.py", whole).path == "pkg/__init__.py"
    inner = Import("super", "go", "", 0, 1, False)
    assert resolver.find_import_target("rust", "src/part.rs", inner).path == "src/part.rs"
    assert resolver.find_submodule("python", ImportTarget("pkg/__init__.py"), "part").path == "pkg/part.py"
    assert resolver.find_submodule("go", ImportTarget("store/"), "open") is NO_TARGET


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("pkg/part.py", {"part"}),
        ("pkg/__init__.py", {"__init__", "pkg", "part"}),
        ("web/start.ts", {"start", "shop"}),
        ("store/open.go", {"open", "store"}),
        ("src/lib.rs", {"lib", "src", "the_crate"}),
        ("notes.md", {"notes"}),
    ],
)
def test_a_file_is_found_by_a_word_of_each_of_its_names(resolver: ImportResolver, path: str, words: set[str]) -> None:
    assert resolver.words_for(path) == words


def test_a_name_has_words() -> None:
    assert words_in("@shop/two-words.js") == ["shop", "two", "words", "js"]
    assert words_in("../..") == []


def test_an_import_of_a_language_without_packages_is_bound_to_the_file_that_it_names(resolver: ImportResolver) -> None:
    cart = Import("./cart", "", "", 0, 1, False)
    assert resolver.find_bound_target("javascript", "web/start.ts", cart).path == "web/cart.ts"
