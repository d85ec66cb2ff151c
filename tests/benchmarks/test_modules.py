"""B10: agreement of two divisions of the same files, and how people's own divisions are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.b10_modules import OURS, TOP_FOLDER, Agreement, Measured, _build_result, adjusted_rand, homogeneity
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


def test_the_target_counts_repositories_without_a_lead_of_ten_points() -> None:
    def measured(ours: float) -> Measured:
        return Measured(9, 3, {OURS: Agreement(ours, 1.0, 3), TOP_FOLDER: Agreement(0.5, 0.5, 2)})

    names = list(DIVISIONS)[:8]
    for leading, is_met in ((6, True), (5, False)):
        found = {name: measured(0.61 if at < leading else 0.55) for at, name in enumerate(names)}
        result = _build_result(found)
        assert result["targets"][0]["met"] is is_met
        assert len(result["tables"][0]["rows"][0]) == len(result["tables"][0]["columns"])
