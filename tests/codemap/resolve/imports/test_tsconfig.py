"""The aliases of a tsconfig lead to files, its own or those of the one that it extends."""

from __future__ import annotations

from pathlib import Path

import pytest

from holloway.codemap.index import update_index
from holloway.codemap.resolve.imports.file_tree import FileTree
from holloway.codemap.resolve.imports.tsconfig import EXTENDS_MAX, load_aliases
from tests.codemap.resolve.drawn import Files, edges, mapped
from tests.codemap.test_index import clean, content, write


def tree(manifests: Files) -> FileTree:
    return FileTree(manifests, manifests.__getitem__)


def test_the_deepest_folder_comes_first_and_an_extended_file_counts_from_where_it_lies() -> None:
    found = load_aliases(
        tree(
            {
                "tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["src/*"]}}}',
                "web/deep/tsconfig.json": '{"extends": "../../tsconfig", /* no paths */}',
            }
        )
    )
    assert found == [("web/deep", [("@/*", ["../../src/*"])]), ("", [("@/*", ["src/*"])])]


@pytest.mark.parametrize(
    "content", ["", "[]", '{"compilerOptions": []}', '{"compilerOptions": {"paths": {"a": "b"}}}', '{"extends": 3}']
)
def test_what_is_not_written_as_it_should_be_has_no_aliases(content: str) -> None:
    assert load_aliases(tree({"tsconfig.json": content})) == []


def test_files_that_extend_each_other_come_to_an_end() -> None:
    longer = {f"a{at}.json": f'{{"extends": "./a{at + 1}.json"}}' for at in range(EXTENDS_MAX + 1)}
    last = {f"a{EXTENDS_MAX + 1}.json": '{"compilerOptions": {"baseUrl": "."}}'}
    assert load_aliases(tree({"tsconfig.json": '{"extends": "./tsconfig.json"}'})) == []
    assert load_aliases(tree({"tsconfig.json": '{"extends": "./a0.json"}'} | longer | last)) == []


def test_an_inherited_alias_leads_to_the_file(tmp_path: Path) -> None:
    project = {
        "tsconfig.base.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"~/*": ["lib/*"]}}}',
        "tsconfig.json": '{"extends": "./tsconfig.base.json"}',
        "lib/date.ts": "export function format() {}\n",
        "src/page.ts": "import { format } from '~/date'\nformat()\n",
    }
    assert "src/page.ts calls lib/date.ts:format" in edges(mapped(tmp_path, project))


def test_what_a_tsconfig_extends_is_followed_when_it_changes_goes_or_comes(tmp_path: Path) -> None:
    def paths(folder: str) -> str:
        return f'{{"compilerOptions": {{"paths": {{"~/*": ["{folder}/*"]}}}}}}'

    project = {
        "config/shared.json": paths("../lib"),
        "tsconfig.json": '{"extends": "./config/shared"}',
        "lib/date.ts": "export function format() {}\n",
        "other/date.ts": "export function format() {}\n",
        "src/page.ts": "import { format } from '~/date'\nformat()\n",
    }
    database = mapped(tmp_path, project)
    root = tmp_path / "project"
    for text, expected in ((paths("../other"), "other/date.ts"), (None, ""), (paths("../lib"), "lib/date.ts")):
        write(root, "config/shared.json", text)
        update_index(database, root, workers=1, only=["config/shared.json"])
        reached = {edge.partition(" imports ")[2] for edge in edges(database, "imports")}
        assert reached - {"~"} == {expected} - {""}
        assert content(database) == clean(root, tmp_path / "clean.db")
