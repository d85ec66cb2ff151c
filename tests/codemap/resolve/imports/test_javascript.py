"""Relative files, aliases and workspaces of JavaScript and TypeScript lead to files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codemap.resolve.drawn import Files, edges, mapped

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
