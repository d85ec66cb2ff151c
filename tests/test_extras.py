"""What brings an optional package: said as the installation was made that lacks it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from holloway import extras

CLONE = {"url": "file:///home/ada/holloway", "dir_info": {}}
REPOSITORY = {"url": "https://git.example/holloway", "vcs_info": {"vcs": "git", "commit_id": "7f3a2c"}}


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, *, left: str = "", origin: object = None) -> None:
    """An installation of holloway in a folder, with what its installer writes down of it."""
    about = folder / "holloway-9.9.dist-info"
    about.mkdir()
    needs = ['pytest>=8; extra == "mcp"', 'no-such-package; extra == "openai"', "click>=8"]
    lines = ["Metadata-Version: 2.1", "Name: holloway", "Version: 9.9", *(f"Requires-Dist: {each}" for each in needs)]
    (about / "METADATA").write_text("\n".join(lines) + "\n")
    if origin is not None:
        (about / "direct_url.json").write_text(json.dumps(origin))
    if left:
        (folder / left).touch()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(sys, "prefix", str(folder))


@pytest.mark.promise("extras-named")
@pytest.mark.parametrize(
    ("left", "origin", "command"),
    [
        ("", None, 'pip install "holloway[langchain]"'),
        ("", CLONE, 'pip install "holloway[langchain] @ file:///home/ada/holloway"'),
        ("", REPOSITORY, 'pip install "holloway[langchain] @ git+https://git.example/holloway"'),
        ("uv-receipt.toml", None, 'uv tool install --force "holloway[langchain,mcp]"'),
        ("pipx_metadata.json", CLONE, 'pipx install --force "holloway[langchain,mcp] @ file:///home/ada/holloway"'),
    ],
)
def test_the_command_fits_the_installation_and_keeps_the_extras_it_has(
    left: str, origin: object, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, monkeypatch, left=left, origin=origin)
    assert extras.install_command("langchain") == command
    assert extras.PackageMissing("langchain", "langchain").hint == command


@pytest.mark.promise("extras-named")
@pytest.mark.parametrize(
    ("left", "command"),
    [
        ("", 'pip install --force-reinstall "holloway"'),
        ("uv-receipt.toml", 'uv tool install --force "holloway[mcp]"'),
    ],
)
def test_an_installation_that_is_damaged_is_made_anew(
    left: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, monkeypatch, left=left)
    assert extras.install_command() == command


def test_an_environment_without_pip_is_one_of_uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, monkeypatch)
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    assert extras.install_command("mcp") == 'uv pip install "holloway[mcp]"'


def test_who_runs_from_the_source_without_an_installation_is_told_too(tmp_path: Path) -> None:
    source = Path(extras.__file__).parent.parent
    link = tmp_path / "holloway"
    link.symlink_to(source / "holloway")
    say = "from holloway.extras import PackageMissing; print(PackageMissing('mcp', 'mcp').hint)"
    # Without site-packages there is no word of an installation anywhere.
    run = [sys.executable, "-S", "-c", say]
    done = subprocess.run(run, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.stdout.strip().endswith('pip install "holloway[mcp]"'), done.stderr
