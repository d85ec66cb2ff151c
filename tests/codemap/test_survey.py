import json
from pathlib import Path

import pytest

from holloway.codemap.survey import commands, project_files, survey
from tests.conftest import Repository, make_repository


def test_modules_are_the_folders_under_the_package(repository: Repository) -> None:
    seen = survey(repository.root)
    assert [(module.name, module.files) for module in seen.modules] == [("auth", 2), ("billing", 1)]
    assert seen.modules[0].tests == "tests/auth"
    assert seen.module_of("src/shop/billing/invoice.py") == "billing"
    assert seen.module_of("README.md") == ""
    assert seen.languages == (("Python", 4),)


def test_ignored_and_vendored_files_are_left_out(repository: Repository) -> None:
    repository.commit(".gitignore", "out/\n")
    for name in ("out/a.py", "node_modules/x/b.js", "vendor/c.go"):
        (repository.root / name).parent.mkdir(parents=True, exist_ok=True)
        (repository.root / name).write_text("x")
    names = project_files(repository.root)
    assert not any(name.startswith(("out", "node_modules", "vendor")) for name in names)


def test_a_folder_without_git_is_walked(tmp_path: Path) -> None:
    for name in ("a/b.py", ".hidden/c.py", "node_modules/d.js"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert "a/b.py" in project_files(tmp_path)
    assert not any("hidden" in name or "node_modules" in name for name in project_files(tmp_path))


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"Makefile": "test: build\n\tpytest\nbuild:\n\ttrue\nX := 1\n"}, (["make build"], ["make test"])),
        (
            {"package.json": json.dumps({"scripts": {"test": "vitest", "build": "tsc"}})},
            (["npm run build"], ["npm test"]),
        ),
        ({"package.json": '{"scripts": {"test": "x"}}', "pnpm-lock.yaml": ""}, ([], ["pnpm test"])),
        ({"pyproject.toml": "[project]\nname='x'\n[tool.pytest]", "uv.lock": ""}, (["uv sync"], ["uv run pytest -q"])),
        ({"Cargo.toml": "[package]"}, (["cargo build"], ["cargo test"])),
        ({"go.mod": "module x"}, (["go build ./..."], ["go test ./..."])),
        ({"package.json": "{broken"}, ([], [])),
        ({"package.json": "[" * 50_000}, ([], [])),
        ({"package.json": '{"scripts": 7}'}, ([], [])),
        ({"pyproject.toml": "[[["}, ([], [])),
        ({"README.md": "# x"}, ([], [])),
    ],
)
def test_commands_come_from_the_projects_own_files(
    tmp_path: Path, files: dict[str, str], expected: tuple[list[str], list[str]]
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert commands(tmp_path, set(files)) == expected


def test_a_manifest_that_links_out_of_the_project_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "outside.json").write_text('{"scripts": {"test": "x"}}')
    inside = make_repository(tmp_path / "inside", {"a.py": "x"})
    (inside.root / "package.json").symlink_to(tmp_path / "outside.json")
    assert survey(inside.root).test == ()
