"""A small run of the sharing benchmark agrees, and its targets name what it measured."""

from benchmarks import b11_sharing


def test_a_small_team_agrees_and_a_newcomer_gets_everything() -> None:
    figures = b11_sharing.measure(memories=60, replicas=2, rounds=1)
    assert len(figures.states) == 1
    assert figures.newcomer_memories == figures.newcomer_ids == 60
    assert figures.rejected == 0
    assert len(figures.timings[b11_sharing.ROUND].wall_s) == 2
    assert figures.hub_bytes > 0


def test_a_missed_target_is_not_met() -> None:
    figures = b11_sharing.Figures(10, 2, newcomer_memories=9, newcomer_ids=8, states={"a", "b"}, rejected=1)
    for timing in figures.timings.values():
        timing.wall_s, timing.cpu_s = [30.0], [1.0]
    met = {row["what"]: row["met"] for row in b11_sharing._list_targets(figures)}
    assert met == {
        "newcomer joins and accepts, wall": False,
        "newcomer joins and accepts, CPU": True,
        "round of 40 edits, p95, wall": False,
        "round of 40 edits, p95, CPU": True,
        "hub without vectors": True,
        "states that differ": False,
        "rejected pushes": False,
        "colliding ids": False,
        "memories that a newcomer lacks": False,
    }
