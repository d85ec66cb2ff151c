from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from holloway.codemap.modules.community_detection import (
    blend_links,
    compute_modularity,
    detect_communities,
    link_by_name,
)
from holloway.codemap.modules.partition import SMALL_MIN, SizeBounds, partition_files, size_of


def folders(parts: list[tuple[str, int]], lines: int = 100) -> dict[str, float]:
    """So many files of a size in each folder."""
    return {f"{folder}/f{at}.py".lstrip("/"): size_of(lines) for folder, number in parts for at in range(number)}


def found(
    sizes: dict[str, float], links: dict[tuple[str, str], float] | None = None, packages: tuple[str, ...] = ()
) -> dict[str, int]:
    """The folders of the parts, and how many files each has; parts of one folder are told apart by a number."""
    counted: dict[str, int] = {}
    for part in partition_files(sizes, frozenset(packages), links or {}):
        name = part.folder
        while name in counted:
            name += "'"
        counted[name] = len(part.files)
    return counted


def test_a_small_project_is_one_part() -> None:
    assert found(folders([("src/shop", 4), ("src/shop/auth", 3)])) == {"src/shop": 7}


def test_the_folders_below_the_package_are_the_parts() -> None:
    sizes = folders([("src/shop", 3), ("src/shop/auth", 12), ("src/shop/billing", 10), ("src/shop/web", 8)])
    assert found(sizes) == {"src/shop/auth": 12, "src/shop/billing": 10, "src/shop/web": 8, "src/shop": 3}


def test_many_tiny_folders_stay_together_under_their_parent() -> None:
    tiny = [(f"src/middleware/m{at}", 1) for at in range(20)]
    assert found(folders([*tiny, ("src/router", 20), ("src/jsx", 20)])) == {
        "src/middleware": 20,
        "src/router": 20,
        "src/jsx": 20,
    }


def test_a_folder_that_holds_too_much_is_split_into_its_folders() -> None:
    sizes = folders([("app/db/models", 40), ("app/db/backends", 40), ("app/forms", 15), ("app/views", 15)])
    assert found(sizes) == {"app/db/backends": 40, "app/db/models": 40, "app/forms": 15, "app/views": 15}


def test_short_files_weigh_little_and_long_ones_not_without_end() -> None:
    tables = {f"app/locale/l{at}/formats.py": size_of(8) for at in range(60)}
    assert found(tables | folders([("app/core", 20), ("app/web", 20)]))["app/locale"] == 60
    assert size_of(1_000_000) == size_of(400)


def test_packages_of_a_monorepo_are_parts_however_small() -> None:
    sizes = folders([("crates/core/src", 12), ("crates/grep/src", 1), ("crates/matcher/src", 2)])
    packages = ("crates/core", "crates/grep", "crates/matcher")
    assert found(sizes, packages=packages) == {"crates/core/src": 12, "crates/grep/src": 1, "crates/matcher/src": 2}


def clique(names: list[str]) -> dict[tuple[str, str], float]:
    """Each of these tied to each other."""
    return {(min(pair), max(pair)): 1.0 for pair in combinations(names, 2)}


def test_a_large_flat_folder_is_split_along_its_graph() -> None:
    groups = [[f"lib/{word}{at}.py" for at in range(8)] for word in ("alpha", "beta", "gamma")]
    links: dict[tuple[str, str], float] = {}
    for group in groups:
        links |= clique(group)
    links["lib/alpha0.py", "lib/beta0.py"] = 1.0
    sizes = {name: size_of(300) for group in groups for name in group}
    parts = partition_files(sizes, frozenset(), links)
    assert sorted(sorted(part.files) for part in parts) == sorted(sorted(group) for group in groups)
    assert all(part.split for part in parts)


def test_a_flat_folder_without_communities_stays_whole() -> None:
    names = [f"lib/f{at}.py" for at in range(30)]
    assert found({name: size_of(300) for name in names}, clique(names)) == {"lib": 30}


def test_the_last_file_above_the_parts_joins_the_one_that_it_imports() -> None:
    sizes = folders([("cmd/tool/cli", 12), ("cmd/tool/store", 12)]) | {"cmd/tool/main.go": 0.3}
    parts = partition_files(sizes, frozenset(), {("cmd/tool/cli/f0.py", "cmd/tool/main.go"): 1.0})
    assert next(part.folder for part in parts if "cmd/tool/main.go" in part.files) == "cmd/tool/cli"


def test_nothing_gives_no_parts() -> None:
    assert partition_files({}, frozenset(), {}) == []


def test_the_number_of_parts_grows_much_slower_than_the_code() -> None:
    sizes = [50.0, 200.0, 1_200.0, 12_000.0]
    numbers = [2.5 * size / SizeBounds.for_total(size).large for size in sizes]
    assert [round(number) for number in numbers] == [7, 10, 19, 40]


paths = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=5).map("/".join)


@settings(deadline=None)
@given(
    st.dictionaries(paths, st.integers(0, 5_000).map(size_of), max_size=60),
    st.lists(st.tuples(paths, paths, st.floats(0.1, 5.0)), max_size=80),
    st.sets(paths, max_size=4),
)
def test_every_file_is_in_one_part_but_for_small_things_at_the_root(
    sizes: dict[str, float], ties: list[tuple[str, str, float]], packages: set[str]
) -> None:
    links = {(one, other): weight for one, other, weight in ties if one < other and one in sizes and other in sizes}
    parts = partition_files(sizes, frozenset(packages), links)
    listed = [path for part in parts for path in part.files]
    assert len(listed) == len(set(listed))
    for path in sizes.keys() - set(listed):
        top = path.split("/")[0]
        assert "/" not in path or sum(sizes[each] for each in sizes if each.startswith(f"{top}/")) < SMALL_MIN
    assert set(listed) <= sizes.keys()
    assert all(part.files for part in parts)


def test_what_everybody_imports_ties_nobody_to_it() -> None:
    files = [f"{at}.py" for at in range(20)]
    imports = {(name, "base.py"): 1.0 for name in files} | {("0.py", "1.py"): 1.0}
    links = blend_links([*files, "base.py"], imports, {})
    assert links["0.py", "1.py"] > 4 * links["0.py", "base.py"]


def test_common_changes_weigh_as_much_as_imports_in_all() -> None:
    links = blend_links(["a", "b", "c"], {("a", "b"): 1.0}, {("b", "c"): 250.0, ("x", "y"): 1.0})
    assert links["a", "b"] == links["b", "c"]


def test_names_that_share_a_rare_word_are_tied() -> None:
    names = ["manual_commit_push.go", "manual_commit_logs.go", "session.go", "state.go", "types.go", "errors.go"]
    assert set(link_by_name(names)) == {("manual_commit_logs.go", "manual_commit_push.go")}


def test_communities_are_the_same_every_time() -> None:
    nodes = [str(at) for at in range(60)]
    links = {(nodes[at], nodes[(at * 7 + step) % 60]): 1.0 + step for at in range(60) for step in (1, 2, 5)}
    first = detect_communities(nodes, links)
    assert all(detect_communities(nodes, links) == first for _ in range(3))
    assert compute_modularity(first, links) > 0.2
    assert compute_modularity([nodes], links) == 0.0
