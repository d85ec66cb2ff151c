"""Build, test and lint commands of Python projects: pyproject.toml, setup.cfg, setup.py, Pipfile, tox, nox."""

from __future__ import annotations

import re
from typing import cast

from holloway.codemap.build_commands.build_file import BuildFiles, BuildRecipe, is_safe, prefix_folder
from holloway.codemap.manifests import Table, nested_table, parse_toml_table

PYTHON_SUFFIXES = frozenset({".py", ".pyi"})
_MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "requirements.txt", "tox.ini", "noxfile.py")
_PYTEST_NAMED = re.compile(r"""(^|["'\s,:\[])pytest\b""", re.MULTILINE)
_TOX_SECTION = re.compile(r"^\[([^\]\n]+)\]\s*$", re.MULTILINE)
_NOX_SESSION = re.compile(r"@(?:nox\.)?session[^\n]*\n(?:@[^\n]*\n){0,5}def (\w{1,40})\(")
_DEV_EXTRAS = ("dev", "test", "tests", "testing", "all")


def read_recipes(project: BuildFiles) -> list[BuildRecipe]:
    """Return the recipe of the project's Python part, if there is one."""
    if not project.has_file(*_MANIFESTS):
        return []
    data = parse_toml_table(project.read_text("pyproject.toml"))
    tool, prefix = _find_manager(project, data)
    test_tool, test = _list_test_commands(project, data, prefix)
    return [
        BuildRecipe(
            test_tool=test_tool,
            build=tuple(_list_build_commands(project, data, tool)),
            test=tuple(test),
            lint=tuple(_list_lint_commands(project, data, prefix)),
            suffixes=PYTHON_SUFFIXES,
        )
    ]


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
