from tests.codemap.parse.shown import bindings, definitions, imports, read, references

SHOP = """
package com.example.shop;
import java.util.List;
import java.util.*;
import static com.example.Money.round;
import static com.example.Money.*;

@Component(name = "x")
public abstract class Shop<T extends Thing> extends base.Store<Item> implements Seller, Sized<Unit> {
    private final Till till = new Till(1), spare;
    private List<Row> rows;
    Shop(Till till) { super(till); this.till = till; }
    @Override public Receipt sell(final Item item, Coin... coins) throws SoldOut {
        var made = new Row(1) { void print() { out.write(); } };
        var next = item.next().next();
        Row row = till.take(item).row();
        for (Row one : rows) one.print();
        try (Reader reader = open()) {} catch (IOException | SoldOut e) { e.log(); }
        if (item instanceof Special special) special.wrap();
        rows.forEach(Row::print);
        return new Receipt<>(this.total());
    }
    abstract void close();
    enum Color implements Named { RED { void mix() {} }, BLUE; Color() {} String code() { return ""; } }
    interface Seller extends Named { Receipt sell(); default void twice() {} }
    record Pair(Left left, int right) { Pair { check(left); } }
    @interface Marker { int value() default 1; }
}
"""


def test_definitions() -> None:
    facts = read("java", SHOP)
    assert facts.package == "com.example.shop"
    assert definitions(facts) == [
        "class Shop",
        "method Shop.Shop",
        "method Shop.sell -> Receipt",
        "class Shop.sell.Row{}",
        "method Shop.sell.Row{}.print",
        "method Shop.close",
        "enum Shop.Color",
        "method Shop.Color.mix",
        "method Shop.Color.Color",
        "method Shop.Color.code -> String",
        "interface Shop.Seller",
        "method Shop.Seller.sell -> Receipt",
        "method Shop.Seller.twice",
        "class Shop.Pair",
        "method Shop.Pair.Pair",
        "interface Shop.Marker",
        "method Shop.Marker.value",
    ]


def test_an_import_names_the_class_and_the_member() -> None:
    assert imports(read("java", SHOP)) == [
        "java.util.List: List",
        "java.util: *",
        "com.example.Money: round",
        "com.example.Money: *",
    ]


def test_references() -> None:
    facts = read("java", SHOP)
    assert references(facts, "base", "implements") == [
        "base base.Store @ Shop",
        "implements Seller @ Shop",
        "implements Sized @ Shop",
        "base Row @ Shop.sell.Row{}",
        "implements Named @ Shop.Color",
        "base Named @ Shop.Seller",
    ]
    assert references(facts, "call", "new") == [
        "new Till @ Shop",
        "call super @ Shop.Shop",
        "call out.write @ Shop.sell.Row{}.print",
        "new Row @ Shop.sell.Row{}",
        "call item.next @ Shop.sell",
        "call item.next().next @ Shop.sell",
        "call till.take @ Shop.sell",
        "call till.take().row @ Shop.sell",
        "call one.print @ Shop.sell",
        "call e.log @ Shop.sell",
        "call open @ Shop.sell",
        "call special.wrap @ Shop.sell",
        "call Row.print @ Shop.sell",
        "call rows.forEach @ Shop.sell",
        "call this.total @ Shop.sell",
        "new Receipt @ Shop.sell",
        "call check @ Shop.Pair.Pair",
    ]
    mentioned = {name.split()[1] for name in references(facts, "typed")}
    assert {"Component", "Thing", "Item", "Unit", "List", "Row", "Coin", "SoldOut", "IOException", "Left"} <= mentioned
    assert "T" not in mentioned


def test_names_stand_for_their_declared_types() -> None:
    assert bindings(read("java", SHOP)) == [
        "T = Thing @ Shop",
        "rows: List @ Shop",
        "spare: Till @ Shop",
        "till: Till @ Shop",
        "till: Till @ Shop.Shop",
        "e: IOException @ Shop.sell",
        "item: Item @ Shop.sell",
        "made: Row @ Shop.sell",
        "next = item.next().next() @ Shop.sell",
        "one: Row @ Shop.sell",
        "reader: Reader @ Shop.sell",
        "row: Row @ Shop.sell",
        "special: Special @ Shop.sell",
        "BLUE: Color @ Shop.Color",
        "RED: Color @ Shop.Color",
        "left: Left @ Shop.Pair",
    ]


def test_what_is_private_is_not_offered() -> None:
    facts = read("java", "class A { private void a() {} public void b(String privateName) {} void c() {} }")
    assert [one.name for one in facts.definitions if one.exported] == ["A", "b", "c"]
