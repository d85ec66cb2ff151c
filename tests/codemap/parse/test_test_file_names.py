"""Tests by the names of their files."""

from __future__ import annotations

import pytest

from holloway.codemap.parse import test_file_names
from holloway.codemap.parse.file_roles import role_of


@pytest.mark.parametrize(
    "path",
    [
        "tests/shop/cart.py",
        "src/__tests__/cart.ts",
        "spec/models/cart_helper.rb",
        "web/e2e/login.ts",
        "pkg/testdata/input.go",
        "test/cart.py",
        "src/test/java/Cart.java",
        "shop/test_cart.py",
        "shop/tests.py",
        "shop/conftest.py",
        "cart_test.go",
        "cart_spec.rb",
        "cart.test.tsx",
        "cart.spec.js",
        "CartTest.java",
        "CartTests.cs",
    ],
)
def test_a_test_is_known_by_its_folder_or_its_name(path: str) -> None:
    assert test_file_names.is_test(path)
    assert role_of(path) == "test"


@pytest.mark.parametrize(
    "path",
    [
        "django/test/client.py",
        "shop/test_.py",
        "shop/contest.py",
        "latest/cart.py",
        "CartTest.py",
        "shop/cart_test",
        "shop/cart.test.a-b",
        "specimen/cart.go",
        "conftest.ts",
        "shop/ab-test.ts",
    ],
)
def test_what_only_sounds_like_a_test_is_none(path: str) -> None:
    assert not test_file_names.is_test(path)


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("shop/test_cart.py", "cart"),
        ("cart_test.go", "cart"),
        ("cart.spec.ts", "cart"),
        ("CartTests.java", "Cart"),
        ("test/cart-test.cc", "cart"),
        ("tests/unit/cart-spec.js", "cart"),
        ("test_cart_test.py", "cart"),
        ("shop/tests.py", ""),
        ("shop/cart.py", ""),
    ],
)
def test_a_tests_name_points_to_what_it_tests(path: str, stem: str) -> None:
    assert test_file_names.tested_stem(path) == stem


def test_a_runner_picks_up_what_is_named_as_a_test_and_not_what_lies_beside_it() -> None:
    assert test_file_names.is_runnable_test("shop/tests.py")
    assert test_file_names.is_runnable_test("tests/test_cart.py")
    assert not test_file_names.is_runnable_test("tests/models.py")
