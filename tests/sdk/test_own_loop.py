from examples.own_loop import main
from holloway.service.holloway import Holloway
from tests.conftest import Repository


def test_the_example_of_a_loop_of_ones_own_runs_and_is_learned_from(memory: Holloway, repository: Repository) -> None:
    memory.remember("The readme is for users, not for developers", files=["README.md"], type="decision")
    told = main(str(repository.root))
    assert told[0].startswith("holloway: shared memory of this repository")
    assert any(each.startswith("holloway on README.md: The readme is for users") for each in told)
    assert memory.store.database.fetch_value("SELECT outcome FROM sessions") == "success"
