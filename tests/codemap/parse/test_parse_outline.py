"""The languages that are read at the depth of definitions and imports."""

from tests.codemap.parse.shown import definitions, imports, read, references


def test_c() -> None:
    facts = read(
        "c",
        """
        #include <stdio.h>
        #include "shop/till.h"
        #define LIMIT 10
        #define MAX(a, b) ((a) > (b) ? (a) : (b))
        typedef struct node { struct node *next; } node_t;
        typedef struct { int x; } point;
        typedef int (*callback)(int);
        union bits { int x; };
        enum color { RED };
        struct forward;
        static int helper(int a);
        int elsewhere(void);
        static int helper(int a) { int local(int); return a; }
        node_t **make(int x) { return 0; }
        int count = 3;
        #ifdef X
        void conditional(void) {}
        #endif
        """,
    )
    assert imports(facts) == ["stdio.h", "shop/till.h"]
    assert definitions(facts) == [
        "function MAX",
        "class node",
        "type node_t",
        "class point",
        "type callback",
        "class bits",
        "enum color",
        "function elsewhere",
        "function helper",
        "function make",
        "variable count",
        "function conditional",
    ]
    assert [one.name for one in facts.definitions if not one.exported] == ["helper"]


def test_cpp() -> None:
    source = """
        #include <vector>
        namespace shop::till {
        template <typename T> class Box final : public Base, private io::Reader<T> {
         public:
          Box(int size);
          ~Box();
          virtual T& get() const = 0;
          int size() const { return 1; }
          bool operator==(const Box& other) const;
          enum class State { Open };
        };
        template <typename T> T largest(T a, T b) { return a; }
        using Rows = std::vector<int>;
        }
        shop::till::Box<int>::Box(int size) : size_(size) {}
        void Other::run() const {}
        bool operator<(const Row& a, const Row& b) { return true; }
        """
    expected = [
        "namespace shop.till",
        "class shop.till.Box",
        "method shop.till.Box.~Box",
        "method shop.till.Box.get",
        "method shop.till.Box.size",
        "method shop.till.Box.operator==",
        "enum shop.till.Box.State",
        "function shop.till.largest",
        "type shop.till.Rows",
        "method shop.till.Box.Box",
        "method Other.run",
        "function operator<",
    ]
    facts = read("cpp", source)
    assert definitions(facts) == expected
    assert references(facts) == ["base Base @ shop.till.Box", "base io.Reader @ shop.till.Box"]
    # A header with C++ in it is read as C++.
    assert definitions(read("c", source)) == expected


def test_a_cpp_test_has_the_name_it_is_run_by() -> None:
    facts = read("cpp", "TEST(TillTest, Opens) { open(); }\nTEST_F(TillTest, Closes) {}\nMACRO(a, b) {}\n")
    assert definitions(facts) == ["function TillTest.Opens", "function TillTest.Closes", "function MACRO"]


def test_csharp() -> None:
    facts = read(
        "csharp",
        """
        using System;
        using static System.Math;
        using Rows = System.Collections.Generic.List;
        namespace Shop.Tills;
        public abstract class Till<T> : Base<T>, ITill {
            private int count;
            public Till(int a) : base(a) { }
            public string Name { get; set; }
            public async Task<int> Run(int a) { void Local() {} return 1; }
        }
        public interface ITill { void Open(); }
        struct Coin { }
        record Pair(int A);
        enum Color { Red }
        delegate void Handler(int x);
        """,
    )
    assert facts.package == "Shop.Tills"
    assert imports(facts) == ["System: *", "System.Math: *", "System.Collections.Generic.List as Rows"]
    assert definitions(facts) == [
        "class Till",
        "method Till.Till",
        "method Till.Name",
        "method Till.Run -> Task",
        "function Till.Run.Local",
        "interface ITill",
        "method ITill.Open",
        "class Coin",
        "class Pair",
        "enum Color",
        "type Handler",
    ]
    assert references(facts) == ["base Base @ Till", "base ITill @ Till"]


def test_ruby() -> None:
    facts = read(
        "ruby",
        """
        require 'set'
        require_relative "shop/till"
        module Shop::Tills
          LIMIT = 3
          class Till < Base::Box
            include Countable
            def initialize(x) = @x = x
            def self.open(*args) end
            def empty?; end
            class << self
              def all; end
            end
            Row = Struct.new(:id) do
              def print; end
            end
            define_method(:later) { }
          end
        end
        def top; end
        """,
    )
    assert imports(facts) == ["set", "shop/till"]
    assert definitions(facts) == [
        "class Shop.Tills",
        "variable Shop.Tills.LIMIT",
        "class Shop.Tills.Till",
        "method Shop.Tills.Till.initialize",
        "method Shop.Tills.Till.open",
        "method Shop.Tills.Till.empty?",
        "method Shop.Tills.Till.all",
        "class Shop.Tills.Till.Row",
        "method Shop.Tills.Till.Row.print",
        "method Shop.Tills.Till.later",
        "function top",
    ]
    assert references(facts) == ["base Base.Box @ Shop.Tills.Till", "implements Countable @ Shop.Tills.Till"]


def test_php() -> None:
    facts = read(
        "php",
        r"""
        <html><?php
        namespace Shop\Tills;
        use Money\Coin;
        use Money\{Note, Purse as Bag};
        use function Money\convert;
        require_once __DIR__ . '/lib/helpers.php';
        include 'rows.php';
        const LIMIT = 1;
        abstract class Till extends \Base\Box implements Openable {
            use Counts;
            public function __construct(private Coin $coin) { }
            public static function open(int $x): ?Till { return new static; }
        }
        interface Openable { public function open(); }
        trait Counts { private function count() {} }
        enum Color: string { case Red = 'r'; }
        function make() { return new class extends Till { function late() {} }; }
        """,
    )
    assert facts.package == "Shop.Tills"
    assert imports(facts) == [
        "Money.Coin: Coin",
        "Money.Note: Note",
        "Money.Purse: Purse as Bag",
        "Money.convert: convert",
        "lib/helpers.php",
        "rows.php",
    ]
    assert definitions(facts) == [
        "variable LIMIT",
        "class Till",
        "method Till.__construct",
        "method Till.open -> Till",
        "interface Openable",
        "method Openable.open",
        "class Counts",
        "method Counts.count",
        "enum Color",
        "function make",
        "class make.Till{}",
        "method make.Till{}.late",
    ]
    assert references(facts) == [
        "base Base.Box @ Till",
        "implements Openable @ Till",
        "base Counts @ Till",
        "base Till @ make.Till{}",
    ]
    assert [one.name for one in facts.definitions if not one.exported] == ["count"]


def test_kotlin() -> None:
    facts = read(
        "kotlin",
        """
        package com.example.shop
        import com.example.Money
        import com.example.Coin as Piece
        import com.example.rows.*
        typealias Rows = List<Row>
        const val LIMIT = 1
        fun open(a: Int): Till = Till()
        fun String.shout() = this
        abstract class Till<T>(val a: Int) : Box<T>(a), Openable {
            override fun open() {}
            companion object {
                fun make() = Till()
            }
            inner class Drawer
        }
        enum class Color { RED, BLUE }
        sealed interface Openable {
            fun open(): Int
        }
        object Main : Till() {
            fun run() {}
        }
        val listener = object : Handler {
            override fun done() {}
        }
        """,
    )
    assert facts.package == "com.example.shop"
    assert imports(facts) == [
        "com.example.Money: Money",
        "com.example.Coin: Coin as Piece",
        "com.example.rows: *",
    ]
    assert definitions(facts) == [
        "type Rows",
        "variable LIMIT",
        "function open",
        "function shout",
        "class Till",
        "method Till.open",
        "method Till.make",
        "class Till.Drawer",
        "enum Color",
        "interface Openable",
        "method Openable.open",
        "class Main",
        "method Main.run",
        "variable listener",
        "class listener.Handler{}",
        "method listener.Handler{}.done",
    ]
    assert references(facts) == [
        "base Box @ Till",
        "base Openable @ Till",
        "base Till @ Main",
        "base Handler @ listener.Handler{}",
    ]
