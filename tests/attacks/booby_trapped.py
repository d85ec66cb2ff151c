"""A repository whose configuration and attributes name a program wherever git would run one."""

import os
import pty
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import Repository, make_repository

FILES = {
    ".gitattributes": "*.py filter=clean diff=driver\n*.md filter=process\n*.txt diff=converted\n*.ini diff=included\n",
    "src/shop/auth/tokens.py": "def refresh(token):\n    return token\n",
    "tests/auth/test_tokens.py": "def test_refresh():\n    assert True\n",
    "README.md": "# shop\n",
    "CLAUDE.md": "- Always run the tests with pytest -q.\n",
    "info.cfg": "a = 1\n",
    "included.ini": "a = 1\n",
    "notes.txt": "how a token is refreshed\n",
    "pyproject.toml": "[project]\nname = 'shop'\nversion = '1'\n[tool.pytest.ini_options]\n",
}
HOOKS = ("pre-commit", "post-commit", "post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc")


@dataclass(frozen=True)
class BoobyTrapped:
    """The repository, and the folder in which every program that runs leaves a file of its name."""

    repository: Repository
    marks: Path

    @property
    def root(self) -> Path:
        """The work tree."""
        return self.repository.root

    def ran(self) -> list[str]:
        """The names of the programs that ran."""
        return sorted(mark.name for mark in self.marks.iterdir())

    def clear(self) -> None:
        """Forget what ran so far."""
        for mark in self.marks.iterdir():
            mark.unlink()

    def plain_git(self, *arguments: str, at_terminal: bool = False) -> None:
        """Run git as a person would who does not know what the repository brings."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment |= {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0", "TERM": "xterm", "LESS": "FRX"}
        output = pty.openpty() if at_terminal else None
        subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env=environment,
            input=b"protocol=https\nhost=example.invalid\n\n",
            # A pipe ends when the last program that git started has ended.
            stdout=output[1] if output else subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=20,
        )
        for descriptor in output or ():
            os.close(descriptor)


def set_up(folder: Path) -> BoobyTrapped:
    """Make the repository; its traps are armed last, so that making it springs none."""
    marks = folder / "marks"
    marks.mkdir(parents=True)
    repository = make_repository(folder / "shop", FILES)
    missing = repository.git("rev-parse", "HEAD:src/shop/auth/tokens.py")
    repository.commit("src/shop/auth/tokens.py", "def refresh(token):\n    return token.next\n", "Refresh once")
    _sign_head(repository)
    trapped = BoobyTrapped(repository, marks)
    with (repository.root / ".git" / "config").open("a", encoding="utf-8") as config:
        config.writelines(_format_setting(key, value) for key, value in _settings(folder, marks).items())
    for name in HOOKS:
        hook = folder / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\n{_mark(marks, 'hook')}\n")
        hook.chmod(0o755)
    attributes = repository.root / ".git" / "info" / "attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_text("*.cfg diff=info\n")
    # A partial clone fetches an object that is missing when it is needed.
    (repository.root / ".git" / "objects" / missing[:2] / missing[2:]).unlink()
    # Contents are compared only where a file's size or time differs from what the index has.
    for name in FILES:
        path = repository.root / name
        path.write_text(path.read_text() + "\n")
    return trapped


def _format_setting(key: str, value: str) -> str:
    """Return what `git config --add` writes, which would be forty runs of git."""
    section, _, rest = key.partition(".")
    subsection, _, name = rest.rpartition(".")
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    return (
        f'[{section} "{subsection}"]\n\t{name} = "{quoted}"\n'
        if subsection
        else f'[{section}]\n\t{name} = "{quoted}"\n'
    )


def _mark(marks: Path, name: str) -> str:
    return f"touch {shlex.quote(str(marks / name))}"


def _settings(folder: Path, marks: Path) -> dict[str, str]:
    def program(name: str, then: str = "true") -> str:
        """A program by its path, for settings that are not run by a shell."""
        path = folder / "programs" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{_mark(marks, name)}\n{then}\n")
        path.chmod(0o755)
        return str(path)

    return {
        "filter.clean.clean": program("filter-clean", "cat"),
        "filter.clean.smudge": program("filter-smudge", "cat"),
        "filter.clean.required": "true",
        "filter.process.process": program("filter-process", "exit 1"),
        "diff.driver.command": program("diff-driver"),
        "diff.external": program("diff-external"),
        "diff.converted.textconv": program("textconv", 'cat "$1"'),
        "core.fsmonitor": program("fsmonitor", "exit 1"),
        "core.hooksPath": str(folder / "hooks"),
        "core.pager": program("pager", "cat"),
        "core.sshCommand": program("ssh", "exit 1"),
        "core.askPass": program("askpass"),
        "core.editor": program("editor"),
        "credential.helper": program("credential-helper"),
        "gpg.program": program("gpg", "exit 1"),
        "log.showSignature": "true",
        "alias.state": f"!{_mark(marks, 'alias')}",
        "alias.ls-files": f"!{_mark(marks, 'alias')}",
        "remote.origin.url": "ssh://git@127.0.0.1:1/shop.git",
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": program("upload-pack"),
        "extensions.partialClone": "origin",
        "uploadpack.packObjectsHook": program("pack-objects-hook"),
        "submodule.recurse": "true",
        "diff.info.command": program("info-attributes"),
        "include.path": _include(folder, program("included-config")),
        "core.gitProxy": program("git-proxy", "exit 1"),
        "core.alternateRefsCommand": program("alternate-refs"),
        "protocol.ext.allow": "always",
        "remote.external.url": f"ext::{program('remote-helper', 'exit 1')}",
        f"url.ext::{program('instead-of', 'exit 1')} .insteadOf": "https://shop.invalid/",
        "remote.local.url": str(folder / "shop"),
        "remote.local.uploadpack": program("upload-pack-local", "exit 1"),
        "trailer.sign.command": program("trailer"),
        "difftool.ours.cmd": program("difftool"),
        "mergetool.ours.cmd": program("mergetool"),
        "merge.driver.driver": program("merge-driver"),
        "gpg.ssh.program": program("gpg-ssh", "exit 1"),
        "sequence.editor": program("sequence-editor"),
        "submodule.lib.update": f"!{_mark(marks, 'submodule-update')}",
        "tar.ours.command": program("archive", "cat"),
        "interactive.diffFilter": program("diff-filter", "cat"),
        "pager.log": program("pager-log", "cat"),
    }


def _include(folder: Path, command: str) -> str:
    """Write a configuration that the repository's one includes."""
    path = folder / "included.config"
    path.write_text(f'[diff "included"]\n\tcommand = {command}\n')
    return str(path)


def _sign_head(repository: Repository) -> None:
    """Give the last commit a signature, which git then wants to verify."""
    header, _, message = repository.git("cat-file", "commit", "HEAD").partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----"
    path = repository.root / ".git" / "signed"
    path.write_text(f"{header}\n{signature}\n\n{message}\n")
    repository.git("update-ref", "HEAD", repository.git("hash-object", "-t", "commit", "-w", str(path)))
    path.unlink()
