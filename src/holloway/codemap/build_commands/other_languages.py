"""Build, test and lint commands of Rust, Go, Java, Kotlin, C, C++, C#, Ruby, PHP, Elixir and Swift projects."""

from __future__ import annotations

import re
from collections.abc import Callable

from holloway.codemap.build_commands.build_file import BuildFiles, BuildRecipe, pick_available
from holloway.codemap.manifests import nested_table, parse_json_table, parse_toml_table

_JVM = frozenset({".java", ".kt", ".kts", ".scala", ".groovy"})
_C = frozenset({".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh"})
_DOTNET = frozenset({".cs", ".fs", ".vb"})


def read_recipes(project: BuildFiles) -> list[BuildRecipe]:
    """Return all recipes that apply."""
    return [recipe for reader in _READERS if (recipe := reader(project))]


def _read_cargo(project: BuildFiles) -> BuildRecipe | None:
    if not project.has_file("Cargo.toml"):
        return None
    data = parse_toml_table(project.read_text("Cargo.toml"))
    workspace_flag = " --workspace" if "workspace" in data else ""
    nextest = project.has_file(".config/nextest.toml")
    lint = [f"cargo clippy{workspace_flag}"] if project.has_file("clippy.toml", ".clippy.toml") else []
    return BuildRecipe(
        test_tool="cargo nextest" if nextest else "cargo test",
        build=(f"cargo build{workspace_flag}",),
        test=(f"cargo nextest run{workspace_flag}",) if nextest else (f"cargo test{workspace_flag}",),
        lint=tuple(lint),
        suffixes=frozenset({".rs"}),
    )


def _read_go(project: BuildFiles) -> BuildRecipe | None:
    if not project.has_file("go.mod", "go.work"):
        return None
    linter = project.has_file(".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")
    return BuildRecipe(
        test_tool="go test",
        build=("go build ./...",),
        test=("go test ./...",),
        lint=("golangci-lint run",) if linter else ("go vet ./...",),
        suffixes=frozenset({".go"}),
    )


def _read_maven(project: BuildFiles) -> BuildRecipe | None:
    if not project.has_file("pom.xml"):
        return None
    run = "./mvnw" if project.has_file("mvnw") else "mvn"
    text = project.read_text("pom.xml")
    return BuildRecipe(
        test_tool=_find_jvm_framework(text),
        build=(f"{run} -q compile",),
        test=(f"{run} -q test",),
        lint=(f"{run} spotless:check",) if "spotless-maven-plugin" in text else (),
        suffixes=_JVM,
    )


def _read_gradle(project: BuildFiles) -> BuildRecipe | None:
    file = project.first_existing("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
    if not file:
        return None
    run = "./gradlew" if project.has_file("gradlew") else "gradle"
    text = project.read_text(file)
    lint = [f"{run} {task}" for name, task in _GRADLE_LINTS if name in text]
    return BuildRecipe(
        test_tool=_find_jvm_framework(text),
        build=(f"{run} assemble",),
        test=(f"{run} test",),
        lint=tuple(lint),
        suffixes=_JVM,
    )


_GRADLE_LINTS = (("spotless", "spotlessCheck"), ("ktlint", "ktlintCheck"), ("detekt", "detekt"))


def _find_jvm_framework(text: str) -> str:
    frameworks = (
        ("junit-jupiter", "JUnit 5"),
        ("useJUnitPlatform", "JUnit 5"),
        ("junit", "JUnit"),
        ("testng", "TestNG"),
    )
    return next((name for mark, name in frameworks if mark in text), "")


def _read_cmake(project: BuildFiles) -> BuildRecipe | None:
    if not project.has_file("CMakeLists.txt"):
        return None
    text = project.read_text("CMakeLists.txt")
    has_tests = re.search(r"\b(enable_testing|add_test|include\s*\(\s*CTest)\b", text, re.IGNORECASE) is not None
    return BuildRecipe(
        test_tool="ctest" if has_tests else "",
        build=("cmake -S . -B build", "cmake --build build"),
        test=("ctest --test-dir build",) if has_tests else (),
        suffixes=_C,
    )


def _read_meson(project: BuildFiles) -> BuildRecipe | None:
    if not project.has_file("meson.build"):
        return None
    build = ("meson setup build", "meson compile -C build")
    return BuildRecipe("meson test", build, ("meson test -C build",), (), _C)


def _read_dotnet(project: BuildFiles) -> BuildRecipe | None:
    solutions = sorted(name for name in project.names if "/" not in name and name.endswith((".sln", ".slnx")))
    projects = sorted(name for name in project.names if name.endswith((".csproj", ".fsproj")))
    if not solutions and not any("/" not in name for name in projects):
        return None
    texts = [project.read_text(name) for name in projects if "test" in name.lower()][:4]
    frameworks = ("xunit", "nunit", "mstest")
    return BuildRecipe(
        test_tool=next((name for name in frameworks if any(name in text.lower() for text in texts)), "dotnet test"),
        build=("dotnet build",),
        test=("dotnet test",),
        suffixes=_DOTNET,
    )


def _read_ruby(project: BuildFiles) -> BuildRecipe | None:
    if not project.has_file("Gemfile", "Rakefile"):
        return None
    gems, tasks = project.read_text("Gemfile"), project.read_text("Rakefile")
    lint = ("bundle exec rubocop",) if project.has_file(".rubocop.yml") else ()
    tool, test = "", ""
    if project.has_file(".rspec") or "rspec" in gems or project.has_folder("spec"):
        tool, test = "rspec", "bundle exec rspec"
    elif project.has_file("bin/rails"):
        tool, test = "minitest", "bin/rails test"
    elif "TestTask" in tasks or project.has_folder("test"):
        tool, test = "minitest", "bundle exec rake test"
    build = ("bundle install",) if gems else ()
    return BuildRecipe(tool, build, (test,) if test else (), lint, frozenset({".rb", ".rake"}))


def _read_php(project: BuildFiles) -> BuildRecipe | None:
    if not project.has_file("composer.json"):
        return None
    scripts = nested_table(parse_json_table(project.read_text("composer.json")), "scripts")
    dev_packages = nested_table(parse_json_table(project.read_text("composer.json")), "require-dev")
    tool = "pest" if "pestphp/pest" in dev_packages else "phpunit" if "phpunit/phpunit" in dev_packages else ""
    if not tool and project.has_file("phpunit.xml", "phpunit.xml.dist"):
        tool = "phpunit"
    test = [f"composer {name}" for name in pick_available(("test", "tests", "phpunit"), scripts)[:1]]
    lint = [
        f"composer {name}" for name in pick_available(("lint", "phpstan", "cs", "cs-check", "analyse"), scripts)[:2]
    ]
    return BuildRecipe(
        test_tool=tool,
        build=("composer install",),
        test=tuple(test) or ((f"vendor/bin/{tool}",) if tool else ()),
        lint=tuple(lint),
        suffixes=frozenset({".php"}),
    )


def _read_elixir(project: BuildFiles) -> BuildRecipe | None:
    if not project.has_file("mix.exs"):
        return None
    lint = ("mix format --check-formatted",)
    return BuildRecipe("ExUnit", ("mix compile",), ("mix test",), lint, frozenset({".ex", ".exs"}))


def _read_swift(project: BuildFiles) -> BuildRecipe | None:
    if not project.has_file("Package.swift"):
        return None
    return BuildRecipe("XCTest", ("swift build",), ("swift test",), (), frozenset({".swift"}))


_READERS: tuple[Callable[[BuildFiles], BuildRecipe | None], ...] = (
    _read_cargo,
    _read_go,
    _read_maven,
    _read_gradle,
    _read_cmake,
    _read_meson,
    _read_dotnet,
    _read_ruby,
    _read_php,
    _read_elixir,
    _read_swift,
)

OTHER_SUFFIXES = _JVM | _C | _DOTNET | frozenset({".rs", ".go", ".rb", ".rake", ".php", ".ex", ".exs", ".swift"})
"""All suffixes that these recipes cover."""
