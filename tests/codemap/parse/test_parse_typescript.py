import pytest

from tests.codemap.parse.shown import bindings, definitions, imports, read, references


@pytest.mark.parametrize("language", ["typescript", "tsx", "javascript"])
def test_functions_are_found_however_they_are_written(language: str) -> None:
    facts = read(
        language,
        """
        function plain() {}
        async function* stream() {}
        const arrow = async () => {}, expression = function () {}
        export const made = wrap(() => {})
        const handlers = { open() {}, close: () => {}, get state() { return 1 } }
        Till.prototype.count = function () {}
        Till.open = () => {}
        let [first, second] = pair
        const { third, fourth: renamed } = rest
        var last
        """,
    )
    assert definitions(facts) == [
        "function plain",
        "function stream",
        "function arrow",
        "function expression",
        "variable made",
        "variable handlers",
        "function handlers.open",
        "function handlers.close",
        "function handlers.state",
        "method Till.count",
        "method Till.open",
        "variable third",
        "variable renamed",
        "variable last",
    ]


@pytest.mark.parametrize("language", ["typescript", "javascript"])
def test_classes_have_methods_accessors_private_members_and_arrow_fields(language: str) -> None:
    facts = read(
        language,
        """
        export class Shop extends shops.Base {
          #till = new Till()
          static open = () => {}
          constructor() { super(); this.close = () => {} }
          get total() { return this.#till.sum() }
          set total(value) {}
          #count() {}
          async *rows() {}
          'quoted'() {}
        }
        const Named = class {}
        """,
    )
    assert definitions(facts) == [
        "class Shop",
        "method Shop.open",
        "method Shop.constructor",
        "method Shop.close",
        "method Shop.total -> =this.#till.sum()",
        "method Shop.total",
        "method Shop.#count",
        "method Shop.rows",
        "method Shop.quoted",
        "class Named",
    ]
    assert references(facts) == [
        "base shops.Base @ Shop",
        "new Till @ Shop",
        "call super @ Shop.constructor",
        "call this.#till.sum @ Shop.total",
    ]
    assert bindings(facts) == ["#till = Till() @ Shop"]
    assert facts.exports == ("Shop",)
    assert [one.name for one in facts.definitions if one.exported] == [
        "Shop",
        "open",
        "constructor",
        "close",
        "total",
        "total",
        "rows",
        "quoted",
    ]


def test_types_of_typescript_are_definitions_with_members() -> None:
    facts = read(
        "typescript",
        """
        export interface Store<T> extends Base, io.Reader<T> { get(key: string): Promise<Item>; readonly size: Size }
        export type Pair = { left: Left } | null
        export const enum Color { Red }
        abstract class Till { abstract open(): void }
        namespace Money.Old { export const rate = 1; export function convert(): Coin {} }
        declare module 'other' { function f(): void }
        declare const VERSION: Version
        """,
    )
    assert definitions(facts) == [
        "interface Store",
        "method Store.get -> Item",
        "type Pair",
        "enum Color",
        "class Till",
        "method Till.open",
        "namespace Money.Old",
        "variable Money.Old.rate",
        "function Money.Old.convert -> Coin",
        "namespace other",
        "function other.f",
        "variable VERSION",
    ]
    assert references(facts, "base") == ["base Base @ Store", "base io.Reader @ Store"]
    assert bindings(facts) == ["VERSION: Version", "size: Size @ Store", "left: Left @ Pair"]
    assert facts.exports == ("Store", "Pair", "Color")


def test_overloads_are_one_function() -> None:
    facts = read(
        "typescript",
        """
        function pay(a: string): Coin
        function pay(a: number): Note
        function pay(a: any) { return a }
        declare function only(a: string): void
        declare function only(a: number): void
        class Till { open(a: string): void; open(a: any) {} }
        """,
    )
    assert definitions(facts) == ["function pay -> =a", "function only", "class Till", "method Till.open"]
    assert facts.definitions[0].line == 4


@pytest.mark.parametrize("language", ["typescript", "javascript"])
def test_es_imports(language: str) -> None:
    facts = read(
        language,
        """
        import main, { a, b as c } from './x'
        import * as all from "y"
        import 'side-effect'
        import { default as named } from '../z'
        const lazy = await import('./lazy')
        const { part } = await import('./parts')
        import('./alone')
        """,
    )
    assert imports(facts) == [
        "./x: a",
        "./x: b as c",
        "./x: default as main",
        "y as all",
        "side-effect",
        "../z: default as named",
        "./lazy as lazy",
        "./parts: part",
        "./alone",
    ]
    assert definitions(facts) == []


def test_imports_of_types_are_imports() -> None:
    facts = read(
        "typescript",
        """
        import type { A } from './a'
        import { type B, c } from './b'
        import old = require('old')
        export type * from './types'
        """,
    )
    assert imports(facts) == ["./a: A", "./b: B", "./b: c", "old as old", "./types: * +"]


@pytest.mark.parametrize("language", ["typescript", "javascript"])
def test_what_a_module_offers(language: str) -> None:
    facts = read(
        language,
        """
        export { a, b as c } from './x'
        export { default } from './y'
        export * from './z'
        export * as all from './w'
        const local = 1, other = 2
        export { local, other as renamed }
        export default create()
        """,
    )
    assert imports(facts) == ["./x: a +", "./x: b as c +", "./y: default +", "./z: * +", "./w as all +"]
    assert facts.exports == ("a", "c", "default", "all", "local", "renamed")
    assert bindings(facts) == ["default = create()", "renamed = other"]
    assert [one.name for one in facts.definitions if one.exported] == ["local"]


@pytest.mark.parametrize("language", ["typescript", "javascript"])
@pytest.mark.parametrize(
    ("source", "defined", "bound"),
    [
        ("export default function () { return make() }", ["function default -> =make()"], []),
        ("export default () => {}", ["function default"], []),
        ("export default class {}", ["class default"], []),
        ("export default function main() {}", ["function main"], ["default = main"]),
        ("class A {}\nexport default A", ["class A"], ["default = A"]),
        ("export default { fetch: app.fetch, run() {} }", ["function run"], []),
    ],
)
def test_what_is_offered_without_a_name(language: str, source: str, defined: list[str], bound: list[str]) -> None:
    facts = read(language, source)
    assert facts.exports == ("default",)
    assert definitions(facts) == defined
    assert bindings(facts) == bound


def test_commonjs_modules() -> None:
    facts = read(
        "javascript",
        """
        const fs = require('fs')
        const { a, b: c } = require('./x')
        const join = require('path').join
        require('./setup')
        app.use(require('./routes'))
        exports.open = function () { return fs.open() }
        exports.Till = Till
        module.exports.close = close
        """,
    )
    assert imports(facts) == ["fs as fs", "./x: a", "./x: b as c", "path: join as join", "./setup", "./routes"]
    assert definitions(facts) == ["function open -> =fs.open()"]
    assert facts.exports == ("open", "Till", "close")
    assert references(facts) == ["call app.use", "call fs.open @ open"]


@pytest.mark.parametrize(
    ("source", "exports", "bound"),
    [
        ("module.exports = Till", ("default",), ["default = Till"]),
        ("module.exports = class { open() {} }", ("default",), []),
        ("module.exports = { a, b: c, d() {}, e: () => {} }", ("default", "a", "b", "d", "e"), ["b = c"]),
    ],
)
def test_what_a_commonjs_module_is(source: str, exports: tuple[str, ...], bound: list[str]) -> None:
    facts = read("javascript", source)
    assert facts.exports is not None
    assert set(facts.exports) == set(exports)
    assert bindings(facts) == bound


def test_a_commonjs_module_can_be_another_one() -> None:
    assert imports(read("javascript", "module.exports = require('./lib/main')")) == ["./lib/main: * +"]


@pytest.mark.parametrize("call", ["require( 'a' )", "require\n('a')", "require /* x */ ('a')"])
@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_a_require_is_seen_however_it_is_spaced(language: str, call: str) -> None:
    assert imports(read(language, f"const b = {call}")) == ["a as b"]


@pytest.mark.parametrize("left", ["exports.a", "exports\n  .a", "exports /* x */ .a", "module.exports.a"])
def test_what_exports_offers_is_seen_however_it_is_spaced(left: str) -> None:
    assert read("javascript", f"{left} = b").exports == ("a",)


@pytest.mark.parametrize("left", ["Till.prototype.open", "Till.prototype\n  .open", "Till.prototype.open /* x */"])
def test_a_method_of_a_prototype_is_seen_however_it_is_spaced(left: str) -> None:
    facts = read("javascript", f"function Till() {{}}\n{left} = function () {{}}")
    assert definitions(facts) == ["function Till", "method Till.open"]


def test_words_that_only_sound_like_old_modules_are_no_modules() -> None:
    facts = read("typescript", "// requires what it exports = its prototype.\nconst a = require(b)\n")
    assert imports(facts) == []
    assert facts.exports is None


def test_calls_are_chains_of_names() -> None:
    facts = read(
        "typescript",
        """
        function run(rows: Row[]) {
          open(1)
          this.store.get('a').then((x) => x.size)
          a?.b!.c<string>()
          rows[0].print()
          new shops.Till<Coin>(1).count()
          tag`text`
          outer(inner())
          list.map((one) => one.name());
          (await later()).then()
        }
        """,
    )
    assert references(facts, "call", "new") == [
        "call open @ run",
        "call this.store.get @ run",
        "call this.store.get().then @ run",
        "call a.b.c @ run",
        "call ?.print @ run",
        "call shops.Till().count @ run",
        "new shops.Till @ run",
        "call tag @ run",
        "call inner @ run",
        "call outer @ run",
        "call list.map @ run",
        "call one.name @ run",
        "call ?.then @ run",
        "call later @ run",
    ]


def test_long_arguments_do_not_hide_what_is_called() -> None:
    rows = ", ".join(f"key{i}: 'value {i}'" for i in range(80))
    facts = read("typescript", f"const app = new Hono({{ {rows} }})\nconst x = app.get({{ {rows} }}).post().route\n")
    assert bindings(facts) == ["app = Hono()", "x = app.get().post().route"]
    assert references(facts) == ["new Hono", "call app.get", "call app.get().post"]


def test_annotations_mention_types_wherever_they_stand() -> None:
    facts = read(
        "typescript",
        """
        class Box<T extends Thing, U> extends Base<Item> implements Closable, io.Sized<Unit> {
          rows: Map<Key, Row[]>
          open(a: A | B, b: ns.C, c: (d: D) => E): T { return <F>x as unknown as G }
        }
        """,
    )
    assert references(facts, "base", "implements") == [
        "base Base @ Box",
        "implements Closable @ Box",
        "implements io.Sized @ Box",
    ]
    assert references(facts, "typed") == [
        *(f"typed {name} @ Box" for name in ("Item", "Thing", "Unit", "Key", "Map", "Row")),
        *(f"typed {name} @ Box.open" for name in ("A", "B", "D", "E", "F", "G", "ns.C")),
    ]


def test_names_stand_for_what_is_assigned_or_declared() -> None:
    facts = read(
        "typescript",
        """
        const shop = await openShop()
        const { till, rows: list } = shop
        let cast = x as Item
        import Old = ns.Legacy
        class Page {
          private cache: Cache | null = null
          view = new View()
          constructor(private readonly store: Store, public name: string, size: Size) { this.size = size }
          show({ user, role: kind }: Props, item: Item[], near?: Near) { const me = this }
        }
        function each<T extends Row>(one: T) {}
        """,
    )
    assert bindings(facts) == [
        "Old = ns.Legacy",
        "cast: Item",
        "list = shop.rows",
        "shop = openShop()",
        "till = shop.till",
        "cache: Cache @ Page",
        "size = size @ Page",
        "store: Store @ Page",
        "view = View() @ Page",
        "size: Size @ Page.constructor",
        "store: Store @ Page.constructor",
        "kind = Props.role @ Page.show",
        "me = this @ Page.show",
        "near: Near @ Page.show",
        "user = Props.user @ Page.show",
        "T = Row @ each",
        "one: T @ each",
    ]
    assert [facts.definitions[one.within].name for one in facts.bindings if one.name == "size"] == ["constructor"] * 2


def test_a_function_gives_what_its_annotation_or_its_own_returns_say() -> None:
    facts = read(
        "typescript",
        """
        const annotated = async (): Promise<Item | undefined> => load()
        const short = () => load()
        function long() { rows.map((x) => { return other(x) }); return new Till(1) }
        const curried = () => () => { return inner() }
        function check(x: unknown): x is Item { return true }
        const callback = (): (() => Item) => later
        """,
    )
    assert definitions(facts) == [
        "function annotated -> Item",
        "function short -> =load()",
        "function long -> =Till()",
        "function curried",
        "function check",
        "function callback -> =later",
    ]


@pytest.mark.parametrize("language", ["tsx", "javascript"])
def test_elements_with_a_capital_letter_are_calls(language: str) -> None:
    facts = read(
        language,
        """
        export const Page = () => (
          <Layout title="x">
            <div><ui.Button onClick={() => save()} /></div>
            <></>
          </Layout>
        )
        """,
    )
    assert references(facts) == ["call Layout @ Page", "call save @ Page", "call ui.Button @ Page"]


def test_call_signatures_on_lines_of_their_own_do_not_break_the_file() -> None:
    facts = read(
        "typescript",
        """
        export interface Handler {
          <A extends Env>(one: A): Result<A>

          // two of them
          <
            A extends Env,
            B extends Env
          >(one: A, two: B): Result<A>
        }
        export class After { run() {} }
        """,
    )
    assert definitions(facts) == ["interface Handler", "class After", "method After.run"]


def test_a_broken_file_with_a_comment_in_every_line_of_a_comment_is_mended_in_one_go() -> None:
    facts = read("typescript", "function here() {}\nlet x = = ;\n/*" + "a\n/*" * 200_000 + "*/\n")
    assert "function here" in definitions(facts)


def test_signatures_end_where_the_body_begins() -> None:
    facts = read(
        "typescript",
        """
        export async function open<T>(
          path: string,
        ): Promise<T> {
        }
        const short = (a: A): B => a.b
        """,
    )
    assert [one.signature for one in facts.definitions] == [
        "async function open<T>( path: string, ): Promise<T>",
        "short = (a: A): B",
    ]
