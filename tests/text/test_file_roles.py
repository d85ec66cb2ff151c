"""Roles of files by their paths."""

from __future__ import annotations

import pytest

from holloway.codemap.parse.languages import role_of
from holloway.text import file_roles


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
        "CartTest.php",
        "CartTests.swift",
        "lib/test_cart.rb",
        "src/test_cart.cc",
        "cart_tests.rs",
        "cart.tests.ts",
    ],
)
def test_a_test_is_known_by_its_folder_or_its_name(path: str) -> None:
    assert file_roles.is_test(path)
    assert role_of(path) == ("other" if path.endswith(".swift") else "test")


@pytest.mark.parametrize("path", ["tests", "web/e2e", "src/__tests__", "test"])
def test_a_folder_of_tests_is_recognised_by_its_path(path: str) -> None:
    assert file_roles.is_test(path)


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
        "numpy/testing/decorators.py",
        "docs/test_plan.md",
        "src/test_data.json",
        "django/test",
    ],
)
def test_what_only_sounds_like_a_test_is_none(path: str) -> None:
    assert not file_roles.is_test(path)


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
        ("cart_tests.rs", "cart"),
        ("shop/tests.py", ""),
        ("shop/cart.py", ""),
    ],
)
def test_a_tests_name_points_to_what_it_tests(path: str, stem: str) -> None:
    assert file_roles.tested_stem(path) == stem


def test_a_runner_picks_up_what_is_named_as_a_test_and_not_what_lies_beside_it() -> None:
    assert file_roles.is_runnable_test("shop/tests.py")
    assert file_roles.is_runnable_test("tests/test_cart.py")
    assert not file_roles.is_runnable_test("tests/models.py")


@pytest.mark.parametrize(
    "path", ["web/package.json", "Dockerfile", "vite.config.ts", "noxfile.py", ".eslintrc.config.js"]
)
def test_project_configuration_is_recognised_by_its_name(path: str) -> None:
    assert file_roles.is_project_config(path)


@pytest.mark.parametrize("path", ["shop/tasks.py", "shop/build.py", "data/cart.json", "i18n/de.yaml", "src/config.py"])
def test_data_and_code_in_the_same_formats_are_not_project_configuration(path: str) -> None:
    assert not file_roles.is_project_config(path)


@pytest.mark.parametrize(
    "path",
    [
        *("vendor/a.go", "web/node_modules/x/i.js", "lib/thirdparty/z.c", "home/go/pkg/mod/x/y.go"),
        "src/external/a.py",
        *("app/models/vendor/node_modules/x.js", "models/x/vendor/a.rb", "vendor/models/a.rb", "src/vendor/a.ts"),
    ],
)
def test_folders_of_other_peoples_code_are_third_party(path: str) -> None:
    assert file_roles.is_third_party(path)


@pytest.mark.parametrize(
    "path",
    [
        *("src/vendors.py", "src/external.py", "vendor", "build/main.js", "dist/app.js"),
        *("app/models/vendor/payout.rb", "app/views/vendor/index.erb"),
    ],
)
def test_own_code_and_build_output_are_not_third_party(path: str) -> None:
    assert not file_roles.is_third_party(path)


@pytest.mark.parametrize("path", ["vendor/a.go", "pip/_vendor/six.py", "third-party/z.c", ".yarn/y.cjs", "dist/app.js"])
def test_the_map_skips_third_party_code_and_build_output(path: str) -> None:
    assert file_roles.is_skipped(path)


@pytest.mark.parametrize("path", ["src/external/a.py", "extern/lib.c", ".cargo/config.toml", "src/build.py", "target"])
def test_the_map_keeps_folders_that_may_be_the_projects(path: str) -> None:
    assert not file_roles.is_skipped(path)


@pytest.mark.parametrize(("path", "is_prose"), [("docs/a.md", True), ("README.rst", True), ("docs/conf.py", False)])
def test_documentation_is_prose(path: str, is_prose: bool) -> None:
    assert file_roles.is_documentation(path) is is_prose
