"""Committed rules: text that git tracks is the project's; uncommitted text may be from anybody."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from holloway import git
from holloway.config import RULE_FILE_BYTES_MAX
from holloway.promotion.rules_files import front_matter
from holloway.promotion.rules_files.managed_block import strip_block
from holloway.promotion.rules_files.split_blocks import split_rule_blocks

if TYPE_CHECKING:
    from pathlib import Path

    from holloway.promotion.rules_files.block import RulesText


class CommittedFiles:
    """The files of the last commit, and the ones changed since."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)

    def has_file(self, path: str) -> bool:
        """Whether the last commit has the file."""
        return path in self._committed_paths

    def list_committed_hashes(self, text: RulesText) -> frozenset[str] | None:
        """Return the hashes of a file's committed rules; None if the whole file is committed."""
        if not self.has_file(text.path):
            return frozenset()
        if self._changed_paths is not None and text.path not in self._changed_paths:
            return None
        committed = git.read_file_at(self._root, "HEAD", text.path)[:RULE_FILE_BYTES_MAX]
        plain = strip_block(committed.removeprefix("\ufeff").replace("\r\n", "\n"))
        return frozenset(
            block.text_hash
            for block in split_rule_blocks(replace(text, text=front_matter.split_front_matter(plain)[1]))
        )

    @cached_property
    def _committed_paths(self) -> frozenset[str]:
        return frozenset(git.run_git(self._root, "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0"))

    @cached_property
    def _changed_paths(self) -> frozenset[str] | None:
        """Files that differ from the last commit; None if git cannot tell."""
        changed = git.changed_files(self._root, "HEAD")
        return None if changed is None else frozenset(changed)
