"""Build, test and lint commands of JavaScript and TypeScript projects, from package.json and deno.json."""

from __future__ import annotations

import re

from holloway.codemap.build_commands.build_file import BuildFiles, BuildRecipe, pick_available
from holloway.codemap.manifests import Table, get_string, nested_table, parse_json_table

SCRIPT_SUFFIXES = frozenset({".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte"})
_LOCKS = (
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("package-lock.json", "npm"),
)
_TESTS = ("test", "tests", "test:unit", "unit", "test:all", "test:ci")
_BUILDS = ("build", "compile", "build:all")
_LINTS = ("lint", "typecheck", "type-check", "check-types", "check", "format:check")
_FRAMEWORKS = ("vitest", "jest", "mocha", "ava", "jasmine", "tap", "uvu", "playwright", "cypress", "karma", "qunit")
_NO_TEST = "no test specified"
_DIRECT = {"vitest": "vitest run", "jest": "jest", "mocha": "mocha", "ava": "ava"}
_EXECUTE = {"npm": "npx", "pnpm": "pnpm exec", "yarn": "yarn", "bun": "bunx"}


def read_recipes(project: BuildFiles) -> list[BuildRecipe]:
    """Return the recipe of a package or a Deno project, if there is one."""
    if project.has_file("package.json"):
        return [_read_package(project, parse_json_table(project.read_text("package.json")))]
    file = project.first_existing("deno.json", "deno.jsonc")
    if not file:
        return []
    tasks = nested_table(parse_json_table(project.read_text(file)), "tasks")
    return [
        BuildRecipe(
            test_tool="deno test",
            build=tuple(f"deno task {name}" for name in pick_available(_BUILDS, tasks)[:1]),
            test=tuple(f"deno task {name}" for name in pick_available(_TESTS, tasks)[:1]) or ("deno test",),
            lint=tuple(f"deno task {name}" for name in pick_available(_LINTS, tasks)[:2]) or ("deno lint",),
            suffixes=SCRIPT_SUFFIXES,
        )
    ]


def _read_package(project: BuildFiles, data: Table) -> BuildRecipe:
    tool = _find_package_manager(project, data)
    scripts = nested_table(data, "scripts")
    script_names = {name for name, script in scripts.items() if isinstance(script, str) and _NO_TEST not in script}
    framework = _find_framework(data, scripts)
    test = [_format_run(tool, name) for name in pick_available(_TESTS, script_names)[:1]]
    build = [_format_run(tool, name) for name in pick_available(_BUILDS, script_names)[:1]]
    if not test:
        test = _workspace_commands(project, data, tool, "test")
        if not test and framework in _DIRECT:
            test = [f"{_EXECUTE[tool]} {_DIRECT[framework]}"]
    return BuildRecipe(
        test_tool=framework,
        build=tuple(build or _workspace_commands(project, data, tool, "build") or [f"{tool} install"]),
        test=tuple(test),
        lint=tuple(_format_run(tool, name) for name in pick_available(_LINTS, script_names)[:2]),
        suffixes=SCRIPT_SUFFIXES,
    )


def _find_package_manager(project: BuildFiles, data: Table) -> str:
    """Return the package manager: the one that the manifest declares, otherwise that of the lock file."""
    declared = get_string(data, "packageManager").partition("@")[0]
    if declared in _EXECUTE:
        return declared
    return next((tool for lock, tool in _LOCKS if project.has_file(lock)), "npm")


def _format_run(tool: str, script: str) -> str:
    if tool == "yarn" or (script == "test" and tool in ("npm", "pnpm")):
        return f"{tool} {script}"
    return f"{tool} run {script}"


def _find_framework(data: Table, scripts: Table) -> str:
    """Return the test framework: the one that the script runs, otherwise one that is installed."""
    script = get_string(scripts, "test")
    if framework := next((name for name in _FRAMEWORKS if re.search(rf"\b{name}\b", script)), ""):
        return framework
    for head, name in (("node --test", "node --test"), ("bun test", "bun test"), ("deno test", "deno test")):
        if head in script:
            return name
    installed = nested_table(data, "devDependencies") | nested_table(data, "dependencies")
    return next((name for name in _FRAMEWORKS if name in installed or f"@{name}/test" in installed), "")


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
