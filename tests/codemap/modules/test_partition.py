"""A codebase is divided by its packages, and else by the folders below the one with most code."""

from hypothesis import given, settings
from hypothesis import strategies as st

from holloway.codemap.modules.partition import find_base, find_package, partition_files, size_of


def folders(parts: list[tuple[str, int]], lines: int = 100) -> dict[str, float]:
    """So many files of a size in each folder."""
    return {f"{folder}/f{at}.py".lstrip("/"): size_of(lines) for folder, number in parts for at in range(number)}


def count_files(sizes: dict[str, float], *packages: str) -> dict[str, int]:
    """The folders of the parts, and how many files each has."""
    base = find_base(sizes, frozenset(packages))
    return {part.folder: len(part.files) for part in partition_files(sizes, frozenset(packages), base)}


def test_the_folders_below_the_base_are_the_parts() -> None:
    sizes = folders(
        [("src/shop", 3), ("src/shop/auth", 12), ("src/shop/billing/tax", 10), ("tools", 2), ("src/old", 2)]
    )
    assert count_files(sizes) == {
        "src/shop/auth": 12,
        "src/shop/billing": 10,
        "src/shop": 3,
        "src/old": 2,
        "tools": 2,
    }


def test_a_flat_project_is_one_part() -> None:
    assert count_files(folders([("src/shop", 20)])) == {"src/shop": 20}
    assert count_files(folders([("", 20)])) == {"": 20}


def test_packages_of_a_monorepo_are_parts_however_small() -> None:
    sizes = folders(
        [("packages/core/src/deep", 40), ("packages/ui/src", 1), ("packages/core/plugin", 5), ("scripts", 3)]
    )
    packages = ("packages/core", "packages/ui", "packages/core/plugin")
    assert count_files(sizes, *packages) == {
        "packages/core": 40,
        "packages/core/plugin": 5,
        "scripts": 3,
        "packages/ui": 1,
    }


def test_one_package_that_holds_everything_is_divided_by_its_folders() -> None:
    sizes = folders([("app/web", 10), ("app/db", 10)])
    assert count_files(sizes, "app") == {"app/db": 10, "app/web": 10}


def test_a_few_files_at_the_root_are_in_no_part() -> None:
    assert count_files(folders([("src/shop", 40), ("", 1)])) == {"src/shop": 40}
    assert count_files(folders([("src/shop", 40), ("", 20)])) == {"src/shop": 40, "": 20}


def test_nothing_gives_no_parts() -> None:
    assert count_files({}) == {}


def test_short_files_weigh_little_and_long_ones_not_without_end() -> None:
    assert size_of(1) == size_of(30) < size_of(100) < size_of(400) == size_of(1_000_000)


def test_the_base_is_the_deepest_folder_with_most_of_the_code() -> None:
    sizes = {"src/shop/auth/a.py": 3.0, "src/shop/web/b.py": 3.0, "tools/c.py": 1.0}
    assert find_base(sizes, frozenset()) == "src/shop"
    assert find_base({"a/b.py": 1.0, "c/d.py": 1.0}, frozenset()) == ""


def test_a_folder_without_folders_is_not_the_base_but_its_parent_is() -> None:
    sizes = {"src/shop/auth/a.py": 3.0, "src/shop/web/b.py": 1.0}
    assert find_base(sizes, frozenset()) == "src/shop"
    assert find_base({"shop/a.py": 1.0}, frozenset()) == ""


def test_the_base_stays_while_modules_follow_from_it_until_another_is_clearly_it() -> None:
    modules = {"src/shop", "src/shop/auth", "src/shop/web"}

    def grow(number: int) -> str:
        grown = folders([("src/shop", 2), ("src/shop/auth", 10), ("src/shop/web/one", number), ("src/shop/web/two", 2)])
        return find_base(grown, frozenset(), modules)

    assert (grow(10), grow(25), grow(60)) == ("src/shop", "src/shop", "src/shop/web")
    assert find_base(folders([("src/shop/auth/a", 10), ("src/shop/web/a", 20)]), frozenset()) == "src/shop/web"


def test_a_file_belongs_to_the_innermost_package() -> None:
    packages = frozenset({"a", "a/b/c"})
    assert [find_package(folder, packages) for folder in ("a/b", "a/b/c/d", "x", "")] == ["a", "a/b/c", "", ""]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.sampled_from(["a", "b", "src"]), max_size=4), min_size=1, max_size=30))
def test_every_file_is_in_one_part_but_for_a_few_at_the_root(paths: list[list[str]]) -> None:
    sizes = {"/".join([*folder, f"f{at}.py"]): 1.0 for at, folder in enumerate(paths)}
    parts = partition_files(sizes, frozenset({"a", "b/a"}), find_base(sizes, frozenset({"a", "b/a"})))
    files = [path for part in parts for path in part.files]
    assert len(files) == len(set(files))
    assert all("/" not in path for path in sizes.keys() - set(files))
    assert all(path.startswith(f"{part.folder}/".lstrip("/")) for part in parts for path in part.files)
