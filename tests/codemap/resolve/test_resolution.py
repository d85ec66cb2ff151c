"""Targets of a name are combined, those of the project first; each question about a name is answered once."""

import pytest

from holloway.codemap.resolve.resolution import (
    RESOLUTION_DEPTH_MAX,
    TARGETS_MAX,
    ResolutionCache,
    Target,
    Targets,
    deduplicate_targets,
    first_in_project,
    follow_targets,
)

A, B = Target("definition", "a.py", 1), Target("definition", "b.py", 2)
FAR = Target("package", "json")


def test_targets_are_named_once_and_too_many_count_as_unknown() -> None:
    assert deduplicate_targets([A, B, A]) == (A, B)
    many = [Target("definition", "a.py", number) for number in range(TARGETS_MAX + 1)]
    assert deduplicate_targets(many[:-1]) == tuple(many[:-1])
    assert deduplicate_targets(many) == ()


def test_a_step_is_applied_to_every_target() -> None:
    def step(target: Target, name: str) -> Targets:
        return (target._replace(path=name), A)

    assert follow_targets((B,), step, "c.py") == (B._replace(path="c.py"), A)
    assert follow_targets((B, A), step, "c.py") == (B._replace(path="c.py"), A, A._replace(path="c.py"))
    assert follow_targets((), step, "c.py") == ()


def test_what_the_project_has_comes_before_what_is_outside() -> None:
    assert first_in_project([(), (FAR,), (FAR, A), (B,)]) == (FAR, A)
    assert first_in_project([(), (FAR,), (Target("package", "re"),)]) == (FAR,)
    assert first_in_project([]) == ()


def question(name: str) -> tuple[str, str, int, str]:
    return ("name", "a.py", -1, name)


class Book:
    """Answers that lead to others: each name has its own targets, files that it consults, and names that it asks."""

    def __init__(self, cache: ResolutionCache, pages: dict[str, tuple[Targets, str, str]]) -> None:
        self.cache = cache
        self.pages = pages
        self.asked: list[str] = []

    def look_up(self, name: str) -> Targets:
        return self.cache.resolve_once(question(name), self.answer)

    def answer(self, path: str, scope: int, name: str) -> Targets:
        targets, consulted, follows = self.pages[name]
        self.asked.append(name)
        self.cache.consulted.add(consulted)
        return (*targets, *(target for other in follows for target in self.look_up(other)))


def test_a_question_is_answered_once_and_its_files_are_remembered() -> None:
    cache = ResolutionCache()
    book = Book(cache, {"x": ((A,), "x.py", "y"), "y": ((B, A), "y.py", "")})
    cache.start_file("one.py")
    assert book.look_up("x") == (A, B)
    assert cache.consulted == {"one.py", "x.py", "y.py"}
    cache.start_file("two.py")
    assert book.look_up("y") == (B, A)
    assert cache.consulted == {"two.py", "y.py"}
    assert book.look_up("x") == (A, B)
    assert cache.consulted == {"two.py", "x.py", "y.py"}
    assert book.asked == ["x", "y"]


def test_names_that_lead_to_each_other_have_the_same_targets_in_any_order() -> None:
    pages = {"x": ((A,), "x.py", "y"), "y": ((B,), "y.py", "x"), "z": ((), "z.py", "xy")}
    for names in ("xyz", "zyx", "yxz"):
        cache = ResolutionCache()
        book = Book(cache, pages)
        answers = {}
        for name in names:
            cache.start_file("one.py")
            answers[name] = set(book.look_up(name))
            assert cache.is_complete
            assert {"x.py", "y.py"} <= cache.consulted
        assert answers == {"x": {A, B}, "y": {A, B}, "z": {A, B}}


def test_an_answer_that_a_cycle_cut_short_is_reused_only_inside_of_the_cycle() -> None:
    cache = ResolutionCache()
    book = Book(cache, {"x": ((A,), "x.py", "yy"), "y": ((B,), "y.py", "x")})
    cache.start_file("one.py")
    book.look_up("x")
    assert book.asked == ["x", "y"]
    assert set(book.look_up("y")) == {A, B}
    assert book.asked == ["x", "y", "y"]


def test_a_chain_is_followed_to_a_depth_and_what_was_cut_on_the_way_is_not_remembered() -> None:
    names = [chr(ord("A") + number) for number in range(RESOLUTION_DEPTH_MAX + 1)]
    pages: dict[str, tuple[Targets, str, str]] = {
        name: ((), name, follows) for name, follows in zip(names, [*names[1:], ""], strict=True)
    }
    pages[names[-1]] = ((B,), "end", "")
    cache = ResolutionCache()
    book = Book(cache, pages)
    cache.start_file("one.py")
    assert book.look_up(names[0]) == ()
    assert book.look_up(names[1]) == (B,)
    assert book.look_up(names[0]) == ()


def test_an_outermost_question_is_answered_without_being_remembered() -> None:
    cache = ResolutionCache()
    book = Book(cache, {"x": ((A,), "x.py", "y"), "y": ((), "y.py", "x")})
    cache.start_file("one.py")
    for _ in range(2):
        assert cache.resolve_uncached(question("x"), book.answer) == (A,)
    assert book.asked.count("x") == 2
    assert cache.is_complete
    book.look_up("x")
    asked = len(book.asked)
    assert cache.resolve_uncached(question("x"), book.answer) == (A,)
    assert len(book.asked) == asked


def test_a_question_without_a_stack_position_is_remembered_if_its_answer_is_complete() -> None:
    cache = ResolutionCache()
    book = Book(cache, {"x": ((A,), "x.py", ""), "y": ((B,), "y.py", "z"), "z": ((), "z.py", "")})
    cache.start_file("one.py")
    for _ in range(2):
        assert cache.resolve_cached(question("x"), book.answer) == (A,)
        assert cache.consulted == {"one.py", "x.py"}
    assert book.asked == ["x"]

    def answer_in_a_cycle(path: str, scope: int, name: str) -> Targets:
        book.asked.append(name)
        return cache.resolve_cached(question("again"), lambda *_: cache.resolve_once(question("z"), answer_in_a_cycle))

    cache.resolve_once(question("z"), answer_in_a_cycle)
    assert question("again") not in cache._cached
    assert question("z") in cache._cached


def test_another_file_starts_afresh_after_a_failure_and_a_full_cache_is_emptied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cache = ResolutionCache()
    book = Book(cache, {"x": ((A,), "x.py", "?")})
    cache.start_file("one.py")
    with pytest.raises(KeyError):
        book.look_up("x")
    book.pages["?"] = ((B,), "late.py", "")
    cache.start_file("two.py")
    assert book.look_up("x") == (A, B)
    monkeypatch.setattr("holloway.codemap.resolve.resolution.ANSWERS_CACHED_MAX", 1)
    cache.start_file("three.py")
    book.asked.clear()
    book.look_up("x")
    assert book.asked == ["x", "?"]
