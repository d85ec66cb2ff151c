"""Build, test and lint commands of Rust, Go, Java, Kotlin, C, C++, C#, Ruby, PHP, Elixir and Swift projects."""

from __future__ import annotations

import re
from collections.abc import Callable

from holloway.codemap.build_commands.build_file import Project, Recipe, chosen
from holloway.codemap.modules.manifests import inner, json_table, toml_table

_JVM = frozenset({".java", ".kt", ".kts", ".scala", ".groovy"})
_C = frozenset({".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh"})
_DOTNET = frozenset({".cs", ".fs", ".vb"})


def read(project: Project) -> list[Recipe]:
    """Return all recipes that apply."""
    return [recipe for reader in _READERS if (recipe := reader(project))]


def _cargo(project: Project) -> Recipe | None:
    if not project.has("Cargo.toml"):
        return None
    data = toml_table(project.text("Cargo.toml"))
    workspace_flag = " --workspace" if "workspace" in data else ""
    nextest = project.has(".config/nextest.toml")
    lint = [f"cargo clippy{workspace_flag}"] if project.has("clippy.toml", ".clippy.toml") else []
    return Recipe(
        test_tool="cargo nextest" if nextest else "cargo test",
        build=(f"cargo build{workspace_flag}",),
        test=(f"cargo nextest run{workspace_flag}",) if nextest else (f"cargo test{workspace_flag}",),
        lint=tuple(lint),
        suffixes=frozenset({".rs"}),
    )


def _go(project: Project) -> Recipe | None:
    if not project.has("go.mod", "go.work"):
        return None
    linter = project.has(".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")
    return Recipe(
        test_tool="go test",
        build=("go build ./...",),
        test=("go test ./...",),
        lint=("golangci-lint run",) if linter else ("go vet ./...",),
        suffixes=frozenset({".go"}),
    )


def _maven(project: Project) -> Recipe | None:
    if not project.has("pom.xml"):
        return None
    run = "./mvnw" if project.has("mvnw") else "mvn"
    text = project.text("pom.xml")
    return Recipe(
        test_tool=_jvm_framework(text),
        build=(f"{run} -q compile",),
        test=(f"{run} -q test",),
        lint=(f"{run} spotless:check",) if "spotless-maven-plugin" in text else (),
        suffixes=_JVM,
    )


def _gradle(project: Project) -> Recipe | None:
    file = project.first("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
    if not file:
        return None
    run = "./gradlew" if project.has("gradlew") else "gradle"
    text = project.text(file)
    lint = [f"{run} {task}" for name, task in _GRADLE_LINTS if name in text]
    return Recipe(
        test_tool=_jvm_framework(text),
        build=(f"{run} assemble",),
        test=(f"{run} test",),
        lint=tuple(lint),
        suffixes=_JVM,
    )


_GRADLE_LINTS = (("spotless", "spotlessCheck"), ("ktlint", "ktlintCheck"), ("detekt", "detekt"))


def _jvm_framework(text: str) -> str:
    frameworks = (
        ("junit-jupiter", "JUnit 5"),
        ("useJUnitPlatform", "JUnit 5"),
        ("junit", "JUnit"),
        ("testng", "TestNG"),
    )
    return next((name for mark, name in frameworks if mark in text), "")


def _cmake(project: Project) -> Recipe | None:
    if not project.has("CMakeLists.txt"):
        return None
    text = project.text("CMakeLists.txt")
    has_tests = re.search(r"\b(enable_testing|add_test|include\s*\(\s*CTest)\b", text, re.IGNORECASE) is not None
    return Recipe(
        test_tool="ctest" if has_tests else "",
        build=("cmake -S . -B build", "cmake --build build"),
        test=("ctest --test-dir build",) if has_tests else (),
        suffixes=_C,
    )


def _meson(project: Project) -> Recipe | None:
    if not project.has("meson.build"):
        return None
    build = ("meson setup build", "meson compile -C build")
    return Recipe("meson test", build, ("meson test -C build",), (), _C)


def _dotnet(project: Project) -> Recipe | None:
    solutions = sorted(name for name in project.names if "/" not in name and name.endswith((".sln", ".slnx")))
    projects = sorted(name for name in project.names if name.endswith((".csproj", ".fsproj")))
    if not solutions and not any("/" not in name for name in projects):
        return None
    texts = [project.text(name) for name in projects if "test" in name.lower()][:4]
    frameworks = ("xunit", "nunit", "mstest")
    return Recipe(
        test_tool=next((name for name in frameworks if any(name in text.lower() for text in texts)), "dotnet test"),
        build=("dotnet build",),
        test=("dotnet test",),
        suffixes=_DOTNET,
    )


def _ruby(project: Project) -> Recipe | None:
    if not project.has("Gemfile", "Rakefile"):
        return None
    gems, tasks = project.text("Gemfile"), project.text("Rakefile")
    lint = ("bundle exec rubocop",) if project.has(".rubocop.yml") else ()
    tool, test = "", ""
    if project.has(".rspec") or "rspec" in gems or project.has_folder("spec"):
        tool, test = "rspec", "bundle exec rspec"
    elif project.has("bin/rails"):
        tool, test = "minitest", "bin/rails test"
    elif "TestTask" in tasks or project.has_folder("test"):
        tool, test = "minitest", "bundle exec rake test"
    build = ("bundle install",) if gems else ()
    return Recipe(tool, build, (test,) if test else (), lint, frozenset({".rb", ".rake"}))


def _php(project: Project) -> Recipe | None:
    if not project.has("composer.json"):
        return None
    scripts = inner(json_table(project.text("composer.json")), "scripts")
    dev_packages = inner(json_table(project.text("composer.json")), "require-dev")
    tool = "pest" if "pestphp/pest" in dev_packages else "phpunit" if "phpunit/phpunit" in dev_packages else ""
    if not tool and project.has("phpunit.xml", "phpunit.xml.dist"):
        tool = "phpunit"
    test = [f"composer {name}" for name in chosen(("test", "tests", "phpunit"), scripts)[:1]]
    lint = [f"composer {name}" for name in chosen(("lint", "phpstan", "cs", "cs-check", "analyse"), scripts)[:2]]
    return Recipe(
        test_tool=tool,
        build=("composer install",),
        test=tuple(test) or ((f"vendor/bin/{tool}",) if tool else ()),
        lint=tuple(lint),
        suffixes=frozenset({".php"}),
    )


def _elixir(project: Project) -> Recipe | None:
    if not project.has("mix.exs"):
        return None
    lint = ("mix format --check-formatted",)
    return Recipe("ExUnit", ("mix compile",), ("mix test",), lint, frozenset({".ex", ".exs"}))


def _swift(project: Project) -> Recipe | None:
    if not project.has("Package.swift"):
        return None
    return Recipe("XCTest", ("swift build",), ("swift test",), (), frozenset({".swift"}))


_READERS: tuple[Callable[[Project], Recipe | None], ...] = (
    _cargo,
    _go,
    _maven,
    _gradle,
    _cmake,
    _meson,
    _dotnet,
    _ruby,
    _php,
    _elixir,
    _swift,
)

SUFFIXES = _JVM | _C | _DOTNET | frozenset({".rs", ".go", ".rb", ".rake", ".php", ".ex", ".exs", ".swift"})
"""All suffixes that these recipes cover."""
