"""Targets of a name are combined, up to a limit, those of the project first."""

from holloway.codemap.resolve.resolution import (
    TARGETS_MAX,
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
