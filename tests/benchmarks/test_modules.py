"""B10: agreement of two divisions of the same files, and how people's own divisions are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.b10_modules import adjusted_rand, divide_by_package, homogeneity
from benchmarks.divisions import DIVISIONS, Owners, Workspace, compile_owner_pattern


def test_the_same_division_agrees_fully_whatever_its_names_are() -> None:
    assert adjusted_rand(["a", "a", "b"], ["x", "x", "y"]) == 1.0
    assert homogeneity(["a", "a", "b"], ["x", "x", "y"]) == 1.0


def test_one_part_for_everything_agrees_by_chance_only() -> None:
    assert adjusted_rand(["a", "a", "b", "b"], ["x"] * 4) == 0.0
    assert homogeneity(["a", "a", "b", "b"], ["x"] * 4) == 0.0


def test_agreement_is_that_of_the_textbook() -> None:
    truth, labels = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    assert adjusted_rand([*map(str, truth)], [*map(str, labels)]) == pytest.approx(0.24242424)
    assert homogeneity([*map(str, truth)], [*map(str, labels)]) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("/cmd/tool", "cmd/tool/main.go", True),
        ("/cmd/tool", "other/cmd/tool/main.go", False),
        ("docs/", "src/docs/a.md", True),
        ("lib/core/", "lib/core/x.py", True),
        ("lib/core/", "vendor/lib/core/x.py", False),
        ("*.js", "web/app.js", True),
        ("/lib/*", "lib/a.py", True),
        ("/lib/*", "lib/deep/a.py", False),
        ("/src/**/auth/**", "src/api/v1/auth/login.py", True),
        ("/src/**/auth/**", "src/auth/login.py", True),
        ("/tool", "tools/a.py", False),
    ],
)
def test_a_pattern_of_owners_is_read_as_github_does(pattern: str, path: str, matches: bool) -> None:
    assert bool(compile_owner_pattern(pattern).search(path)) is matches


def test_the_last_rule_wins_and_one_for_everything_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "CODEOWNERS").write_text("* @all\n/src/ @b @a # both\n/src/api @c\n/src/api/open\n")
    files = ["README.md", "src/a.py", "src/api/b.py", "src/api/open/c.py"]
    assert Owners("CODEOWNERS").label(tmp_path, files) == {"src/a.py": "@a @b", "src/api/b.py": "@c"}


def test_a_workspace_gives_each_file_its_innermost_package(tmp_path: Path) -> None:
    for name in ("packages/a/package.json", "packages/b/package.json", "packages/b/inner/package.json"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("{}")
    (tmp_path / "packages/c").mkdir()
    files = ["packages/a/x.ts", "packages/b/inner/y.ts", "packages/c/z.ts", "index.ts"]
    workspace = Workspace(("packages/**",), "package.json")
    assert workspace.label(tmp_path, files) == {files[0]: "packages/a", files[1]: "packages/b/inner"}
    assert Workspace(("packages/*",)).label(tmp_path, files)[files[1]] == "packages/b"


def test_the_simple_division_takes_packages_first_and_then_folders_below_the_base() -> None:
    files = ["src/shop/cart.py", "src/shop/mail/send.py", "src/shop/web/js/app.js", "setup.py"]
    assert list(divide_by_package(files, frozenset({"src/shop/web"}), "src/shop").values()) == [
        "",
        "mail",
        "src/shop/web",
        "",
    ]


def test_at_least_eight_repositories_are_compared() -> None:
    assert len(DIVISIONS) >= 8
