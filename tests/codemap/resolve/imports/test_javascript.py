"""Relative files, aliases and workspaces of JavaScript and TypeScript lead to files."""

from __future__ import annotations

from pathlib import Path

import pytest

from holloway.codemap.index import update_index
from holloway.codemap.resolve.imports.file_tree import NO_TARGET, FileTree, ImportTarget
from holloway.codemap.resolve.imports.javascript import (
    EXTENDS_MAX,
    ScriptImports,
    expand_alias,
    load_aliases,
    parse_json_object,
)
from tests.codemap.resolve.drawn import Files, edges, mapped
from tests.codemap.test_index import clean, content, write

PROJECTS: list[tuple[Files, set[str]]] = [
    (
        {
            "src/index.ts": "export * from './router'\nexport { default as App, helper as h } from './app'\n",
            "src/router.ts": "export class Router { match(path: string) { return this.find(path) }\n find(p: string) { return p } }\n",
            "src/app.ts": "import { Router } from './router'\nexport default class App { private router: Router = new Router()\n run() { this.router.match('/') } }\nexport const helper = () => new App()\n",
            "src/main.ts": "import { App, h } from './index'\nimport * as all from './index'\nconst app = new App()\napp.run()\nh().run()\nfunction go() { new all.Router() }\n",
        },
        {
            "src/main.ts imports src/index.ts",
            "src/main.ts instantiates src/app.ts:App",
            "src/main.ts calls src/app.ts:App.run",
            "src/main.ts calls src/app.ts:helper",
            "src/main.ts:go instantiates src/router.ts:Router",
            "src/app.ts:App.run calls src/router.ts:Router.match",
            "src/router.ts:Router.match calls src/router.ts:Router.find",
        },
    ),
    (
        {
            "tsconfig.json": '{ // comment\n "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"] }, } }',
            "src/lib/date.ts": "export function format() {}\n",
            "src/page.tsx": "import { format } from '@/lib/date'\nexport const Page = () => { format(); return <div/> }\n",
        },
        {"src/page.tsx imports src/lib/date.ts", "src/page.tsx:Page calls src/lib/date.ts:format"},
    ),
    (
        {
            "package.json": '{"workspaces": ["packages/*"]}',
            "packages/core/package.json": '{"name": "@acme/core", "main": "dist/index.js"}',
            "packages/core/src/index.ts": "export function boot() {}\n",
            "packages/web/package.json": '{"name": "@acme/web"}',
            "packages/web/src/app.js": "import { boot } from '@acme/core'\nimport React from 'react'\nboot()\n",
        },
        {
            "packages/web/src/app.js imports packages/core/src/index.ts",
            "packages/web/src/app.js calls packages/core/src/index.ts:boot",
            "packages/web/src/app.js imports react",
        },
    ),
    (
        {
            "lib/util.js": "function one() {}\nmodule.exports = { one }\n",
            "lib/use.js": "const { one } = require('./util')\nfunction two() { one() }\n",
        },
        {"lib/use.js imports lib/util.js"},
    ),
    (
        {
            "a.ts": "export interface Store { get(): void }\nexport abstract class Base {}\n",
            "b.ts": "import { Store, Base } from './a.js'\nexport class Memory extends Base implements Store { get() {} }\n",
        },
        {"b.ts imports a.ts", "b.ts:Memory extends a.ts:Base", "b.ts:Memory implements a.ts:Store"},
    ),
]


@pytest.mark.parametrize(("project", "expected"), PROJECTS)
def test_names_are_followed_to_what_they_name(tmp_path: Path, project: Files, expected: set[str]) -> None:
    assert expected - edges(mapped(tmp_path, project)) == set()


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


def test_folders_of_the_same_depth_are_in_the_order_of_their_names_and_before_the_root() -> None:
    config = '{"compilerOptions": {"paths": {"@/*": ["src/*"]}}}'
    manifests = {
        "tsconfig.json": config,
        "b/jsconfig.json": config,
        "a/tsconfig.json": config,
        "c/d/jsconfig.json": config,
    }
    assert [folder for folder, _ in load_aliases(tree(manifests))] == ["c/d", "a", "b", ""]


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


def test_comments_and_trailing_commas_are_passed_over_but_not_inside_a_string() -> None:
    text = '{\n  // one\n  "a": "http://b/*", /* two\n */ "c": ["\\"//",],\n}'
    assert parse_json_object(text) == {"a": "http://b/*", "c": ['"//']}


@pytest.mark.parametrize("opened", ["/* ", '\\"', '"\\'])
def test_what_is_opened_again_and_again_and_never_closed_is_looked_through_once(opened: str) -> None:
    assert parse_json_object(opened * 80_000) == {}


def find(module: str, origin: str = "web/main.ts") -> ImportTarget:
    texts = {"kit/package.json": '{"name": "@shop/kit", "main": "dist/gone.js"}'}
    paths = ["web/main.ts", "web/cart.ts", "web/till/index.tsx", "kit/src/part.ts", "kit/src/index.ts", *texts]
    return ScriptImports(FileTree(paths, lambda path: texts.get(path, ""))).find_target(origin, module)


@pytest.mark.parametrize(
    ("module", "target"),
    [
        ("./cart", ImportTarget("web/cart.ts")),
        ("./cart.js", ImportTarget("web/cart.ts")),
        ("./till", ImportTarget("web/till/index.tsx")),
        ("./gone", NO_TARGET),
        ("../../outside", NO_TARGET),
        ("@shop/kit", ImportTarget("kit/src/index.ts")),
        ("@shop/kit/part", ImportTarget("kit/src/part.ts")),
        ("@shop/kit/gone", ImportTarget(package="@shop/kit")),
        ("@other/kit/x", ImportTarget(package="@other/kit")),
        ("react/jsx", ImportTarget(package="react")),
    ],
)
def test_a_module_is_a_file_a_part_of_the_workspace_or_a_package(module: str, target: ImportTarget) -> None:
    assert find(module) == target


@pytest.mark.parametrize(
    ("module", "paths"),
    [
        ("@/a/b", ["src/a/b", "lib/a/b/*"]),
        ("@/", ["src/", "lib//*"]),
        ("lib", ["lib/index"]),
        ("lib/x", []),
        ("x.gen", ["gen/x"]),
        (".gen", ["gen/"]),
        ("gen", []),
    ],
)
def test_the_star_of_an_alias_stands_once_for_what_it_matched(module: str, paths: list[str]) -> None:
    patterns = [("@/*", ["src/*", "lib/*/*"]), ("lib", ["lib/index"]), ("*.gen", ["gen/*"])]
    assert expand_alias(patterns, module) == paths
