from holloway.codemap.parse.expressions import expand_use_tree
from tests.codemap.parse.shown import bindings, definitions, imports, read, references


def test_definitions_and_the_types_that_impl_blocks_add_to() -> None:
    facts = read(
        "rust",
        """
        impl Shop { pub fn early(&self) -> Result<Self, Error> { todo!() } }
        pub struct Shop { till: Till }
        union Bits { a: u32 }
        enum Coin { Small, Large(u8) }
        pub trait Seller: Named { const N: usize; fn sell(&self) -> Option<Box<Receipt>>; fn twice(&mut self) {} }
        impl Seller for Shop { fn sell(&self) -> Option<Box<Receipt>> { None } }
        impl<'a> Seller for other::Stand<'a> { fn sell(&self) -> Option<Box<Receipt>> { None } }
        type Rows = Vec<Row>;
        const LIMIT: usize = 3;
        static mut COUNT: u32 = 0;
        macro_rules! sum { () => {} }
        pub(crate) fn open() { const INNER: u8 = 1; }
        mod inner { pub struct Shop; impl Shop { fn late() {} } }
        extern "C" { fn outside(x: i32) -> i32; }
        """,
    )
    assert definitions(facts) == [
        "method Shop.early -> Self",
        "class Shop",
        "class Bits",
        "enum Coin",
        "interface Seller",
        "variable Seller.N",
        "method Seller.sell -> Receipt",
        "method Seller.twice",
        "method Shop.sell -> Receipt",
        "method other.Stand.sell -> Receipt",
        "type Rows",
        "variable LIMIT",
        "variable COUNT",
        "function sum",
        "function open",
        "namespace inner",
        "class inner.Shop",
        "method inner.Shop.late",
        "function outside",
    ]
    assert [one.parent for one in facts.definitions[:2]] == [1, -1]
    assert references(facts, "base", "implements") == ["base Named @ Seller", "implements Seller @ Shop"]
    assert [one.name for one in facts.definitions if one.exported] == ["early", "Shop", "Seller", "open", "Shop"]


def test_self_in_an_impl_block_of_a_type_from_elsewhere_is_that_type() -> None:
    facts = read("rust", "impl Shop { fn run(&self) { self.sell() } }")
    assert bindings(facts) == ["Self = Shop @ Shop.run", "self: Shop @ Shop.run"]


def test_uses_and_submodules_are_imports() -> None:
    facts = read(
        "rust",
        """
        use std::collections::HashMap;
        pub use crate::a::{self, b::C as D, e::*};
        use super::*;
        use regex;
        extern crate serde as s;
        mod store;
        pub mod till;
        """,
    )
    assert imports(facts) == [
        "std.collections: HashMap",
        "crate: a +",
        "crate.a.b: C as D +",
        "crate.a.e: * +",
        "super: *",
        "regex",
        "serde as s",
        "self.store as store",
        "self.till as till +",
    ]


def test_a_tree_of_uses_that_does_not_end_is_cut() -> None:
    assert expand_use_tree("a::{b::{c, d}, e as f}") == [("a.b", "c", ""), ("a.b", "d", ""), ("a", "e", "f")]
    assert expand_use_tree("a::{b, ") == [("a", "b", "")]
    assert expand_use_tree("") == []
    assert len(expand_use_tree("a::{" + "b," * 100_000)) <= 500
    assert len(expand_use_tree("a::{" * 10_000)) <= 500


def test_references() -> None:
    facts = read(
        "rust",
        """
        fn run(shop: &Shop) -> io::Result<()> {
            open();
            Shop::<Coin>::new(1)?.sell();
            shop.till.lock().unwrap().count();
            crate::rows::read().await;
            let x = Row { id: 1, ..Default::default() };
            assert_eq!(total(x), shop.sum(1), "{}", rows[0].name());
            println!("{x}");
            Coin::Large(3)
        }
        """,
    )
    assert references(facts, "call", "new") == [
        "call open @ run",
        "call Shop.new @ run",
        "call Shop.new().sell @ run",
        "call shop.till.count @ run",
        "call shop.till.lock @ run",
        "call shop.till.unwrap @ run",
        "call crate.rows.read @ run",
        "call Default.default @ run",
        "new Row @ run",
        "call ?.name @ run",
        "call shop.sum @ run",
        "call total @ run",
        "call Coin.Large @ run",
    ]
    assert references(facts, "typed") == [
        "typed Shop @ run",
        "typed io.Result @ run",
        "typed Coin @ run",
        "typed Shop @ run",
    ]


def test_names_stand_for_declared_types_constructors_and_what_is_inside() -> None:
    facts = read(
        "rust",
        """
        struct Shop { till: Arc<Mutex<Till>>, rows: Vec<Row> }
        enum Coin { Small }
        static MAIN: Shop = Shop::new();
        impl Shop {
            fn run<T: Seller>(&self, item: &mut Item, other: impl Named, one: T) where T: Clone {
                let mut a = Shop::open(1).unwrap();
                let b: Box<dyn Seller> = pick();
                let c = Row { id: 1 };
                let Some(d) = self.find() else { return };
                if let Ok(e) = read() {}
                if let Err(f) = read() {}
                let g = &self.till;
            }
        }
        """,
    )
    assert bindings(facts) == [
        "MAIN: Shop",
        "rows: Vec @ Shop",
        "till: Till @ Shop",
        "Small: Coin @ Coin",
        "T = Clone @ Shop.run",
        "T = Seller @ Shop.run",
        "a = Shop.open() @ Shop.run",
        "b: Seller @ Shop.run",
        "c: Row @ Shop.run",
        "d = self.find() @ Shop.run",
        "e = read() @ Shop.run",
        "g = self.till @ Shop.run",
        "item: Item @ Shop.run",
        "one: T @ Shop.run",
        "other: Named @ Shop.run",
    ]
