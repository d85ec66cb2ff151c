"""Each language has its manifests, and commands to build, test and lint."""

import json
from pathlib import Path

import pytest

from holloway.codemap.build_commands.build_file import BuildFiles, BuildRecipe
from holloway.codemap.build_commands.language_recipes import KNOWN_SUFFIXES, read_language_recipes

PACKAGE = "[project]\nname = 'shop'\nversion = '1'\n"


def recipes(root: Path, files: dict[str, str]) -> list[BuildRecipe]:
    """The recipes of a project with these files."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return read_language_recipes(BuildFiles(root, frozenset(files)))


def recipe(root: Path, files: dict[str, str]) -> BuildRecipe:
    """The only recipe of a project with these files."""
    (only,) = recipes(root, files)
    return only


@pytest.mark.promise("build-commands")
@pytest.mark.parametrize(
    ("lock", "build", "test"),
    [
        ("uv.lock", "uv sync", "uv run pytest"),
        ("poetry.lock", "poetry install", "poetry run pytest"),
        ("pdm.lock", "pdm install", "pdm run pytest"),
        ("pixi.lock", "pixi install", "pixi run pytest"),
        ("Pipfile", "pipenv install --dev", "pipenv run pytest"),
        ("README.md", "pip install -e .", "pytest"),
    ],
)
def test_the_lock_file_says_how_a_python_project_is_run(tmp_path: Path, lock: str, build: str, test: str) -> None:
    found = recipe(tmp_path, {"pyproject.toml": PACKAGE + "[tool.pytest.ini_options]\n", lock: "", "src/a.py": ""})
    assert found.test_tool == "pytest"
    assert (found.build, found.test) == ((build,), (test,))


def test_a_manager_that_is_configured_needs_no_lock_file(tmp_path: Path) -> None:
    hatch = PACKAGE + "[tool.hatch.envs.default]\n"
    assert recipe(tmp_path / "a", {"pyproject.toml": hatch}).build == ("hatch env create",)
    assert recipe(tmp_path / "b", {"pyproject.toml": PACKAGE + "[tool.uv]\n"}).build == ("uv sync",)


def test_requirements_of_developers_are_installed_before_those_of_the_program(tmp_path: Path) -> None:
    files = {"requirements.txt": "", "requirements-dev.txt": ""}
    assert recipe(tmp_path / "a", files).build == ("pip install -r requirements-dev.txt",)
    build = ("pip install -e .", "pip install -r requirements-dev.txt")
    assert recipe(tmp_path / "b", files | {"setup.py": ""}).build == build


def test_a_lock_file_counts_even_if_the_map_does_not_list_it(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").touch()
    assert recipe(tmp_path, {"pyproject.toml": PACKAGE}).build == ("uv sync",)


def test_extras_for_developers_are_installed_with_the_package(tmp_path: Path) -> None:
    text = PACKAGE + "[project.optional-dependencies]\ndev = ['pytest']\n"
    assert recipe(tmp_path, {"pyproject.toml": text}).build == ('pip install -e ".[dev]"',)


def test_what_tox_runs_is_typed_without_its_placeholders(tmp_path: Path) -> None:
    tox = "[tox]\nenvlist = py3\n[testenv]\nchangedir = tests\ncommands =\n    {envpython} runtests.py {posargs}\n"
    found = recipe(tmp_path, {"setup.py": "", "tox.ini": tox, "pkg/a.py": ""})
    assert found.test == ("cd tests && python runtests.py", "tox")
    assert found.test_tool == "unittest"


def test_tox_in_pyproject_and_nox_sessions_are_found(tmp_path: Path) -> None:
    tox = PACKAGE + '[tool.tox.env_run_base]\ncommands = [["python", "-m", "unittest"]]\n'
    assert recipe(tmp_path / "a", {"pyproject.toml": tox}).test == ("python -m unittest", "tox")
    nox = "import nox\n@nox.session(python=['3.11'])\ndef tests(session):\n    session.run('pytest')\n"
    assert recipe(tmp_path / "b", {"noxfile.py": nox, "a.py": ""}).test == ("pytest", "nox -s tests")


@pytest.mark.parametrize(
    ("files", "test"),
    [
        ({"manage.py": "", "requirements.txt": "django\n"}, ("python manage.py test",)),
        ({"setup.py": "", "tests/test_a.py": ""}, ("python -m unittest",)),
        ({"requirements.txt": "pytest==8\n", "a.py": ""}, ("pytest",)),
        ({"setup.cfg": "[tool:pytest]\n", "a.py": ""}, ("pytest",)),
        ({"setup.py": "", "conftest.py": ""}, ("pytest",)),
        ({"noxfile.py": "@session\ndef build(session): ...\n"}, ("nox",)),
        ({"setup.py": "", "a.py": ""}, ()),
    ],
)
def test_python_projects_without_a_pyproject_are_understood(
    tmp_path: Path, files: dict[str, str], test: tuple[str, ...]
) -> None:
    assert recipe(tmp_path, files).test == test


def test_checkers_that_are_configured_are_listed(tmp_path: Path) -> None:
    text = PACKAGE + "[tool.ruff]\nline-length = 100\n[tool.mypy]\nfiles = ['src']\n"
    found = recipe(tmp_path, {"pyproject.toml": text, ".pre-commit-config.yaml": ""})
    assert found.lint == ("ruff check", "mypy", "pre-commit run --all-files")


@pytest.mark.parametrize(
    ("extra", "lock", "build", "test"),
    [
        ({}, "package-lock.json", "npm run build", "npm test"),
        ({}, "pnpm-lock.yaml", "pnpm run build", "pnpm test"),
        ({}, "yarn.lock", "yarn build", "yarn test"),
        ({}, "bun.lock", "bun run build", "bun run test"),
        ({"packageManager": "pnpm@9.1.0"}, "package-lock.json", "pnpm run build", "pnpm test"),
    ],
)
def test_the_package_manager_is_the_one_that_the_project_uses(
    tmp_path: Path, extra: dict[str, str], lock: str, build: str, test: str
) -> None:
    manifest = {"scripts": {"test": "tsc && vitest --run", "build": "tsc", "lint": "eslint ."}} | extra
    found = recipe(tmp_path, {"package.json": json.dumps(manifest), lock: "", "src/a.ts": ""})
    assert (found.build, found.test, found.test_tool) == ((build,), (test,), "vitest")
    assert found.lint[0].endswith("lint")


def test_of_several_scripts_for_one_purpose_the_usual_one_is_called(tmp_path: Path) -> None:
    scripts = {"test:unit": "jest", "test": "jest", "compile": "tsc", "build": "tsc"}
    called = recipe(tmp_path, {"package.json": json.dumps({"scripts": scripts})})
    assert (called.test, called.build) == (("npm test",), ("npm run build",))


def test_a_script_that_only_says_that_there_are_no_tests_is_no_test(tmp_path: Path) -> None:
    scripts = {"test": 'echo "Error: no test specified" && exit 1'}
    assert recipe(tmp_path, {"package.json": json.dumps({"scripts": scripts})}).test == ()


def test_a_framework_without_a_script_is_run_directly(tmp_path: Path) -> None:
    found = recipe(tmp_path, {"package.json": json.dumps({"devDependencies": {"jest": "^29"}})})
    assert (found.test_tool, found.test) == ("jest", ("npx jest",))


@pytest.mark.parametrize(
    ("files", "test"),
    [
        ({"package.json": '{"workspaces": ["packages/*"]}'}, "npm run test --workspaces --if-present"),
        ({"package.json": "{}", "pnpm-lock.yaml": "", "pnpm-workspace.yaml": ""}, "pnpm -r run test"),
        ({"package.json": "{}", "turbo.json": "{}"}, "npx turbo run test"),
        ({"deno.json": '{"tasks": {"test": "deno test -A"}}'}, "deno task test"),
    ],
)
def test_workspaces_are_tested_as_a_whole(tmp_path: Path, files: dict[str, str], test: str) -> None:
    assert recipe(tmp_path, files | {"a.ts": ""}).test == (test,)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"Cargo.toml": "[package]\nname = 'x'\n[workspace]\n", "src/main.rs": ""},
            ("cargo test", ("cargo build --workspace",), ("cargo test --workspace",)),
        ),
        (
            {"Cargo.toml": "[package]\n", ".config/nextest.toml": ""},
            ("cargo nextest", ("cargo build",), ("cargo nextest run",)),
        ),
        ({"go.mod": "module x"}, ("go test", ("go build ./...",), ("go test ./...",))),
        (
            {"pom.xml": "<artifactId>junit</artifactId>", "mvnw": ""},
            ("JUnit", ("./mvnw -q compile",), ("./mvnw -q test",)),
        ),
        (
            {"build.gradle.kts": "useJUnitPlatform()"},
            ("JUnit 5", ("gradle assemble",), ("gradle test",)),
        ),
        (
            {"CMakeLists.txt": "enable_testing()\n"},
            ("ctest", ("cmake -S . -B build", "cmake --build build"), ("ctest --test-dir build",)),
        ),
        (
            {"Gemfile": "gem 'rspec'", "lib/a.rb": ""},
            ("rspec", ("bundle install",), ("bundle exec rspec",)),
        ),
        (
            {"composer.json": '{"require-dev": {"phpunit/phpunit": "^11"}}'},
            ("phpunit", ("composer install",), ("vendor/bin/phpunit",)),
        ),
        (
            {"meson.build": ""},
            ("meson test", ("meson setup build", "meson compile -C build"), ("meson test -C build",)),
        ),
        ({"mix.exs": ""}, ("ExUnit", ("mix compile",), ("mix test",))),
        ({"Package.swift": ""}, ("XCTest", ("swift build",), ("swift test",))),
        ({"pom.xml": "<artifactId>testng</artifactId>"}, ("TestNG", ("mvn -q compile",), ("mvn -q test",))),
        ({"Gemfile": "gem 'rails'", "bin/rails": ""}, ("minitest", ("bundle install",), ("bin/rails test",))),
        ({"Rakefile": "Rake::TestTask.new", "a.rb": ""}, ("minitest", (), ("bundle exec rake test",))),
        ({"CMakeLists.txt": "project(x)\n"}, ("", ("cmake -S . -B build", "cmake --build build"), ())),
        (
            {"composer.json": '{"require-dev": {"pestphp/pest": "^3"}, "scripts": {"test": "pest"}}'},
            ("pest", ("composer install",), ("composer test",)),
        ),
        (
            {"Shop.sln": "", "Shop.Tests/Shop.Tests.csproj": '<PackageReference Include="xunit" />'},
            ("xunit", ("dotnet build",), ("dotnet test",)),
        ),
    ],
)
def test_other_languages_have_their_own_commands(
    tmp_path: Path, files: dict[str, str], expected: tuple[str, tuple[str, ...], tuple[str, ...]]
) -> None:
    found = recipe(tmp_path, files)
    assert (found.test_tool, found.build, found.test) == expected


@pytest.mark.parametrize(
    ("files", "lint"),
    [
        ({"go.mod": "module x", ".golangci.yml": ""}, ("golangci-lint run",)),
        ({"Cargo.toml": "[workspace]", "clippy.toml": ""}, ("cargo clippy --workspace",)),
        ({"Cargo.toml": "[package]"}, ()),
        ({"pom.xml": "<artifactId>spotless-maven-plugin</artifactId>"}, ("mvn spotless:check",)),
        ({"build.gradle": "ktlint\ndetekt", "gradlew": ""}, ("./gradlew ktlintCheck", "./gradlew detekt")),
        ({"Gemfile": "", ".rubocop.yml": ""}, ("bundle exec rubocop",)),
        ({"composer.json": '{"scripts": {"phpstan": "x", "lint": "y"}}'}, ("composer lint", "composer phpstan")),
        ({"mix.exs": ""}, ("mix format --check-formatted",)),
        ({"deno.json": "{}"}, ("deno lint",)),
    ],
)
def test_a_linter_is_named_if_the_project_configures_it(
    tmp_path: Path, files: dict[str, str], lint: tuple[str, ...]
) -> None:
    assert recipe(tmp_path, files).lint == lint


def test_a_project_of_two_languages_has_two_recipes_and_a_package_outranks_deno(tmp_path: Path) -> None:
    files = {"package.json": "{}", "deno.json": "{}", "go.mod": "module x"}
    script, go = recipes(tmp_path, files)
    assert (script.build, go.test_tool) == (("npm install",), "go test")
    assert ".ts" in script.suffixes
    assert go.suffixes == {".go"}
    assert script.suffixes | go.suffixes <= KNOWN_SUFFIXES


def test_a_project_without_a_manifest_has_no_recipe(tmp_path: Path) -> None:
    assert recipes(tmp_path, {"a.py": "", "README.md": ""}) == []
    assert recipes(tmp_path / "b", {"docs/x.csproj": ""}) == []
