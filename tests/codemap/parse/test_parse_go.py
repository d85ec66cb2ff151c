from tests.codemap.parse.shown import bindings, definitions, imports, read, references


def test_definitions_and_what_they_belong_to() -> None:
    facts = read(
        "go",
        """
        package shop

        const A, B = 1, 2
        var (
            till = NewTill()
            open = func() {}
        )

        func (s *Shop) Sell(item Item) (*Receipt, error) { return nil, nil }

        type Shop struct { name string }
        type Seller interface {
            Sell(item Item) (*Receipt, error)
            Close() error
        }
        type ID string
        type Alias = Shop
        type Box[T any] struct { value T }
        func (b Box[T]) Get() T { return b.value }
        func (Other) Elsewhere() {}
        func New(name string) *Shop { return &Shop{name} }
        func many() []Shop { return nil }
        """,
    )
    assert facts.package == "shop"
    assert definitions(facts) == [
        "variable A",
        "variable B",
        "variable till",
        "function open",
        "method Shop.Sell -> Receipt",
        "class Shop",
        "interface Seller",
        "method Seller.Sell -> Receipt",
        "method Seller.Close",
        "type ID",
        "type Alias",
        "class Box",
        "method Box.Get -> T",
        "method Other.Elsewhere",
        "function New -> Shop",
        "function many",
    ]
    assert facts.definitions[4].parent == 5
    assert [one.name for one in facts.definitions if not one.exported] == ["till", "open", "many"]


def test_imports() -> None:
    facts = read(
        "go",
        """
        package main
        import "fmt"
        import (
            . "example.com/dot"
            _ "example.com/driver"
            sh "example.com/shop"
        )
        """,
    )
    assert imports(facts) == [
        "fmt",
        "example.com/dot: *",
        "example.com/driver as _",
        "example.com/shop as sh",
    ]


def test_references() -> None:
    facts = read(
        "go",
        """
        package main
        type Shop struct {
            Base
            *pkg.Till
            rows []Row
        }
        type Seller interface { Closer; pkg.Opener; ~int | Odd }
        func (s *Shop) run(list map[string]Item) {
            s.till.Open(1)
            a := &Shop{Base: Base{}}
            b := pkg.Till{}
            go func() { fmt.Println(list[0].Name()) }()
            Convert[Coin](a)
            defer b.Close()
        }
        """,
    )
    assert references(facts, "base") == [
        "base Base @ Shop",
        "base pkg.Till @ Shop",
        "base Closer @ Seller",
        "base pkg.Opener @ Seller",
    ]
    assert references(facts, "call", "new") == [
        "call s.till.Open @ Shop.run",
        "new Base @ Shop.run",
        "new Shop @ Shop.run",
        "new pkg.Till @ Shop.run",
        "call ?.Name @ Shop.run",
        "call fmt.Println @ Shop.run",
        "call Convert @ Shop.run",
        "call b.Close @ Shop.run",
    ]
    assert references(facts, "typed")[:2] == ["typed Row @ Shop", "typed Odd @ Seller"]


def test_names_stand_for_types_literals_and_first_results() -> None:
    facts = read(
        "go",
        """
        package main
        var shop *Shop
        var made = NewShop()
        type Shop struct { till *pkg.Till; a, b Row; list []Row; next func() Row }
        func (s *Shop) run(x, y Item, z ...Item) (done Done) {
            t, err := pkg.New(1)
            u := &Shop{}
            v, ok := x.(*Coin)
            w := new(Note)
            var q Row = z
            var r = u.till
            t = other()
            for _, one := range list { one.Run() }
            return
        }
        func Each[T Seller](one T) {}
        """,
    )
    assert bindings(facts) == [
        "made = NewShop()",
        "shop: Shop",
        "a: Row @ Shop",
        "b: Row @ Shop",
        "till: pkg.Till @ Shop",
        "done: Done @ Shop.run",
        "q: Row @ Shop.run",
        "r = u.till @ Shop.run",
        "s: Shop @ Shop.run",
        "t = other() @ Shop.run",
        "t = pkg.New() @ Shop.run",
        "u: Shop @ Shop.run",
        "v: Coin @ Shop.run",
        "w: Note @ Shop.run",
        "x: Item @ Shop.run",
        "y: Item @ Shop.run",
        "T = Seller @ Each",
        "one: T @ Each",
    ]
