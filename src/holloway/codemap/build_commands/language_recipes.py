"""Build, test and lint commands by language, from manifests such as pyproject.toml, package.json and Cargo.toml."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

from holloway.codemap.build_commands.build_file import BuildFiles, BuildRecipe, is_safe, pick_available, prefix_folder
from holloway.codemap.manifests import Table, get_string, nested_table, parse_json_table, parse_toml_table

_PYTHON = frozenset({".py", ".pyi"})
_PYTHON_MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "requirements.txt", "tox.ini", "noxfile.py")
_PYTEST_NAMED = re.compile(r"""(^|["'\s,:\[])pytest\b""", re.MULTILINE)
_TOX_SECTION = re.compile(r"^\[([^\]\n]+)\]\s*$", re.MULTILINE)
_NOX_SESSION = re.compile(r"@(?:nox\.)?session[^\n]*\n(?:@[^\n]*\n){0,5}def (\w{1,40})\(")
_DEV_EXTRAS = ("dev", "test", "tests", "testing", "all")
_SCRIPT = frozenset({".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte"})
_SCRIPT_LOCKS = {
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "package-lock.json": "npm",
}
_DENO_MANIFESTS = ("deno.json", "deno.jsonc")
_SCRIPT_TESTS = ("test", "tests", "test:unit", "unit", "test:all", "test:ci")
_SCRIPT_BUILDS = ("build", "compile", "build:all")
_SCRIPT_LINTS = ("lint", "typecheck", "type-check", "check-types", "check", "format:check")
_SCRIPT_FRAMEWORKS = "vitest jest mocha ava jasmine tap uvu playwright cypress karma qunit".split()
_NO_TEST = "no test specified"
_DIRECT = {"vitest": "vitest run", "jest": "jest", "mocha": "mocha", "ava": "ava"}
_EXECUTE = {"npm": "npx", "pnpm": "pnpm exec", "yarn": "yarn", "bun": "bunx"}
_JVM = frozenset({".java", ".kt", ".kts", ".scala", ".groovy"})
_C = frozenset({".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh"})
_DOTNET = frozenset({".cs", ".fs", ".vb"})
KNOWN_SUFFIXES = (
    _PYTHON | _SCRIPT | _JVM | _C | _DOTNET | {".rs", ".go", ".rb", ".rake", ".php", ".ex", ".exs", ".swift"}
)
"""All suffixes that the recipes cover."""
_GRADLE_MANIFESTS = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
_GRADLE_LINTS = (("spotless", "spotlessCheck"), ("ktlint", "ktlintCheck"), ("detekt", "detekt"))


def _read_python(project: BuildFiles) -> BuildRecipe:
    data = parse_toml_table(project.read_text("pyproject.toml"))
    tool, prefix = _find_manager(project, data)
    test_tool, test = _list_test_commands(project, data, prefix)
    return BuildRecipe(
        test_tool=test_tool,
        build=tuple(_list_build_commands(project, data, tool)),
        test=tuple(test),
        lint=tuple(_list_lint_commands(project, data, prefix)),
        suffixes=_PYTHON,
    )


def _find_manager(project: BuildFiles, data: Table) -> tuple[str, str]:
    """Return the environment manager and the prefix of its commands."""
    tools = nested_table(data, "tool")
    if project.has_file("uv.lock") or "uv" in tools:
        return "uv", "uv run "
    if project.has_file("poetry.lock") or "poetry" in tools:
        return "poetry", "poetry run "
    if project.has_file("pdm.lock") or "pdm" in tools:
        return "pdm", "pdm run "
    if "pixi" in tools or project.has_file("pixi.lock"):
        return "pixi", "pixi run "
    if nested_table(tools, "hatch", "envs"):
        return "hatch", "hatch run "
    if project.has_file("Pipfile"):
        return "pipenv", "pipenv run "
    return "pip", ""


def _list_build_commands(project: BuildFiles, data: Table, tool: str) -> list[str]:
    managed = {"uv": "uv sync", "poetry": "poetry install", "pdm": "pdm install", "pipenv": "pipenv install --dev"}
    managed |= {"hatch": "hatch env create", "pixi": "pixi install"}
    if tool in managed:
        return [managed[tool]]
    requirement_files = [name for name in ("requirements-dev.txt", "requirements.txt") if project.has_file(name)]
    if not project.has_file("setup.py", "setup.cfg") and not nested_table(data, "project"):
        return [f"pip install -r {name}" for name in requirement_files[:1]]
    extra = next((name for name in _DEV_EXTRAS if name in nested_table(data, "project", "optional-dependencies")), "")
    install = f'pip install -e ".[{extra}]"' if extra else "pip install -e ."
    return [install, *(f"pip install -r {name}" for name in requirement_files[:1] if not extra)]


def _list_test_commands(project: BuildFiles, data: Table, prefix: str) -> tuple[str, list[str]]:
    """Return the test framework and its commands: pytest if declared, then tox and nox, then unittest."""
    tox = _read_tox_command(project, data)
    wrappers = [f"{prefix}tox"] if tox is not None else []
    if sessions := _NOX_SESSION.findall(project.read_text("noxfile.py")):
        session = next((name for name in sessions if "test" in name), "")
        wrappers.append(f"{prefix}nox -s {session}" if session else f"{prefix}nox")
    if _uses_pytest(project, data):
        return "pytest", [f"{prefix}pytest", *wrappers]
    if tox:
        tool = "unittest" if "unittest" in tox or "runtests" in tox else ""
        return tool, [tox, *wrappers]
    if wrappers:
        return "", wrappers
    if project.has_file("manage.py"):
        return "unittest", [f"{prefix}python manage.py test"]
    if project.has_folder("tests", "test"):
        return "unittest", [f"{prefix}python -m unittest"]
    return "", []


def _uses_pytest(project: BuildFiles, data: Table) -> bool:
    if "pytest" in nested_table(data, "tool") or project.has_file("pytest.ini", "conftest.py", "tests/conftest.py"):
        return True
    declared = ("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "Pipfile", "noxfile.py")
    requirement_files = sorted(
        name for name in project.names if name.startswith("requirements") and name.endswith(".txt")
    )
    return any(_PYTEST_NAMED.search(project.read_text(name)) for name in (*declared, *requirement_files[:8]))


def _read_tox_command(project: BuildFiles, data: Table) -> str | None:
    """Return the first command of tox, if it can be typed as is; None if the project does not use tox."""
    if project.has_file("tox.ini"):
        settings = _parse_section(project.read_text("tox.ini"), "testenv")
        return _expand_tox_command(
            settings.get("commands", ""), settings.get("changedir", settings.get("change_dir", ""))
        )
    if not nested_table(data, "tool", "tox"):
        return None
    commands = nested_table(data, "tool", "tox", "env_run_base").get("commands")
    first = commands[0] if isinstance(commands, list) and commands else []
    words = [word for word in cast("list[object]", first) if isinstance(word, str)] if isinstance(first, list) else []
    return _expand_tox_command(" ".join(words), "")


def _parse_section(text: str, name: str) -> dict[str, str]:
    """Return the first line of each setting in one section of an ini file."""
    heads = list(_TOX_SECTION.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    body = next((text[head.end() : end] for head, end in zip(heads, ends, strict=False) if head[1] == name), "")
    settings: dict[str, str] = {}
    key = ""
    for line in body.split("\n"):
        if line[:1] not in ("", " ", "\t", "#", ";") and "=" in line:
            key, _, value = line.partition("=")
            key = key.strip()
            settings.setdefault(key, value.strip())
        elif key and not settings[key] and line.strip() and not line.lstrip().startswith(("#", ";")):
            settings[key] = line.strip()
    return settings


def _expand_tox_command(command: str, folder: str) -> str:
    """Return a command of tox as a person would type it; empty if it needs more than that."""
    plain = re.sub(r"\{posargs(:([^{}]*))?\}", r"\2", command).replace("{envpython}", "python")
    plain = " ".join(plain.split())
    subfolder = "" if folder == "{toxinidir}" else folder.replace("{toxinidir}/", "").strip("/")
    return prefix_folder(subfolder, plain) if is_safe(plain) else ""


def _list_lint_commands(project: BuildFiles, data: Table, prefix: str) -> list[str]:
    tools = nested_table(data, "tool")
    settings = project.read_text("setup.cfg") + project.read_text("tox.ini")
    commands: list[str] = []
    if "ruff" in tools or project.has_file("ruff.toml", ".ruff.toml"):
        commands.append(f"{prefix}ruff check")
    elif "[flake8]" in settings or project.has_file(".flake8"):
        commands.append(f"{prefix}flake8")
    if "black" in tools:
        commands.append(f"{prefix}black --check .")
    if "mypy" in tools or project.has_file("mypy.ini", ".mypy.ini") or "[mypy]" in settings:
        commands.append(f"{prefix}mypy" + ("" if nested_table(tools, "mypy").get("files") else " ."))
    if "pyright" in tools or project.has_file("pyrightconfig.json"):
        commands.append(f"{prefix}pyright")
    if project.has_file(".pre-commit-config.yaml"):
        commands.append(f"{prefix}pre-commit run --all-files")
    return commands


def _read_deno(project: BuildFiles) -> BuildRecipe | None:
    if project.has_file("package.json"):
        return None
    tasks = nested_table(parse_json_table(project.read_text(project.first_existing(*_DENO_MANIFESTS))), "tasks")
    return BuildRecipe(
        test_tool="deno test",
        build=tuple(f"deno task {name}" for name in pick_available(_SCRIPT_BUILDS, tasks)[:1]),
        test=tuple(f"deno task {name}" for name in pick_available(_SCRIPT_TESTS, tasks)[:1]) or ("deno test",),
        lint=tuple(f"deno task {name}" for name in pick_available(_SCRIPT_LINTS, tasks)[:2]) or ("deno lint",),
        suffixes=_SCRIPT,
    )


def _read_package_json(project: BuildFiles) -> BuildRecipe:
    data = parse_json_table(project.read_text("package.json"))
    tool = _find_package_manager(project, data)
    scripts = nested_table(data, "scripts")
    script_names = {name for name, script in scripts.items() if isinstance(script, str) and _NO_TEST not in script}
    framework = _find_script_framework(data, scripts)
    test = [_format_run(tool, name) for name in pick_available(_SCRIPT_TESTS, script_names)[:1]]
    build = [_format_run(tool, name) for name in pick_available(_SCRIPT_BUILDS, script_names)[:1]]
    if not test:
        test = _workspace_commands(project, data, tool, "test")
        if not test and framework in _DIRECT:
            test = [f"{_EXECUTE[tool]} {_DIRECT[framework]}"]
    return BuildRecipe(
        test_tool=framework,
        build=tuple(build or _workspace_commands(project, data, tool, "build") or [f"{tool} install"]),
        test=tuple(test),
        lint=tuple(_format_run(tool, name) for name in pick_available(_SCRIPT_LINTS, script_names)[:2]),
        suffixes=_SCRIPT,
    )


def _find_package_manager(project: BuildFiles, data: Table) -> str:
    """Return the package manager: the one that the manifest declares, otherwise that of the lock file."""
    declared = get_string(data, "packageManager").partition("@")[0]
    if declared in _EXECUTE:
        return declared
    return next((tool for lock, tool in _SCRIPT_LOCKS.items() if project.has_file(lock)), "npm")


def _format_run(tool: str, script: str) -> str:
    if tool == "yarn" or (script == "test" and tool in ("npm", "pnpm")):
        return f"{tool} {script}"
    return f"{tool} run {script}"


def _find_script_framework(data: Table, scripts: Table) -> str:
    """Return the test framework: the one that the script runs, otherwise one that is installed."""
    script = get_string(scripts, "test")
    if framework := next((name for name in _SCRIPT_FRAMEWORKS if re.search(rf"\b{name}\b", script)), ""):
        return framework
    for head, name in (("node --test", "node --test"), ("bun test", "bun test"), ("deno test", "deno test")):
        if head in script:
            return name
    installed = nested_table(data, "devDependencies") | nested_table(data, "dependencies")
    return next((name for name in _SCRIPT_FRAMEWORKS if name in installed or f"@{name}/test" in installed), "")


def _workspace_commands(project: BuildFiles, data: Table, tool: str, script: str) -> list[str]:
    """Return the command for all packages of a workspace whose root has no script of that name."""
    execute = _EXECUTE[tool]
    if project.has_file("turbo.json"):
        return [f"{execute} turbo run {script}"]
    if project.has_file("nx.json"):
        return [f"{execute} nx run-many -t {script}"]
    if tool == "pnpm" and project.has_file("pnpm-workspace.yaml"):
        return [f"pnpm -r run {script}"]
    if data.get("workspaces"):
        commands = {"npm": f"npm run {script} --workspaces --if-present", "bun": f"bun run --filter * {script}"}
        return [commands.get(tool, f"yarn workspaces foreach -A run {script}")]
    return []


def _read_cargo(project: BuildFiles) -> BuildRecipe:
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


def _read_go(project: BuildFiles) -> BuildRecipe:
    linter = project.has_file(".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")
    return BuildRecipe(
        test_tool="go test",
        build=("go build ./...",),
        test=("go test ./...",),
        lint=("golangci-lint run",) if linter else ("go vet ./...",),
        suffixes=frozenset({".go"}),
    )


def _read_maven(project: BuildFiles) -> BuildRecipe:
    run = "./mvnw" if project.has_file("mvnw") else "mvn"
    text = project.read_text("pom.xml")
    return BuildRecipe(
        test_tool=_find_jvm_framework(text),
        build=(f"{run} -q compile",),
        test=(f"{run} -q test",),
        lint=(f"{run} spotless:check",) if "spotless-maven-plugin" in text else (),
        suffixes=_JVM,
    )


def _read_gradle(project: BuildFiles) -> BuildRecipe:
    run = "./gradlew" if project.has_file("gradlew") else "gradle"
    text = project.read_text(project.first_existing(*_GRADLE_MANIFESTS))
    lint = [f"{run} {task}" for name, task in _GRADLE_LINTS if name in text]
    return BuildRecipe(
        test_tool=_find_jvm_framework(text),
        build=(f"{run} assemble",),
        test=(f"{run} test",),
        lint=tuple(lint),
        suffixes=_JVM,
    )


def _find_jvm_framework(text: str) -> str:
    if "junit-jupiter" in text or "useJUnitPlatform" in text:
        return "JUnit 5"
    return "JUnit" if "junit" in text else "TestNG" if "testng" in text else ""


def _read_cmake(project: BuildFiles) -> BuildRecipe:
    text = project.read_text("CMakeLists.txt")
    has_tests = re.search(r"\b(enable_testing|add_test|include\s*\(\s*CTest)\b", text, re.IGNORECASE) is not None
    return BuildRecipe(
        test_tool="ctest" if has_tests else "",
        build=("cmake -S . -B build", "cmake --build build"),
        test=("ctest --test-dir build",) if has_tests else (),
        suffixes=_C,
    )


def _read_meson(project: BuildFiles) -> BuildRecipe:
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


def _read_ruby(project: BuildFiles) -> BuildRecipe:
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


def _read_php(project: BuildFiles) -> BuildRecipe:
    data = parse_json_table(project.read_text("composer.json"))
    scripts, dev_packages = nested_table(data, "scripts"), nested_table(data, "require-dev")
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


def _read_elixir(project: BuildFiles) -> BuildRecipe:
    lint = ("mix format --check-formatted",)
    return BuildRecipe("ExUnit", ("mix compile",), ("mix test",), lint, frozenset({".ex", ".exs"}))


def _read_swift(project: BuildFiles) -> BuildRecipe:
    return BuildRecipe("XCTest", ("swift build",), ("swift test",), (), frozenset({".swift"}))


_READERS: tuple[tuple[tuple[str, ...], Callable[[BuildFiles], BuildRecipe | None]], ...] = (
    (_PYTHON_MANIFESTS, _read_python),
    (("package.json",), _read_package_json),
    (_DENO_MANIFESTS, _read_deno),
    (("Cargo.toml",), _read_cargo),
    (("go.mod", "go.work"), _read_go),
    (("pom.xml",), _read_maven),
    (_GRADLE_MANIFESTS, _read_gradle),
    (("CMakeLists.txt",), _read_cmake),
    (("meson.build",), _read_meson),
    ((), _read_dotnet),
    (("Gemfile", "Rakefile"), _read_ruby),
    (("composer.json",), _read_php),
    (("mix.exs",), _read_elixir),
    (("Package.swift",), _read_swift),
)
"""Manifests, and the reader of a project that has one of them; without a list, the reader looks for itself."""


def read_language_recipes(project: BuildFiles) -> list[BuildRecipe]:
    """Return the recipes of all languages that the project has a manifest for."""
    readers = [reader for manifests, reader in _READERS if not manifests or project.has_file(*manifests)]
    return [recipe for reader in readers if (recipe := reader(project))]
