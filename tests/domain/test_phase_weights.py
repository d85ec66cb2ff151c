from holloway.domain.memory import MemoryType
from holloway.domain.phase_weights import PHASE_WEIGHTS
from holloway.domain.work import Phase


def test_every_phase_weighs_known_types() -> None:
    assert set(PHASE_WEIGHTS) == set(Phase)
    assert {kind for weights in PHASE_WEIGHTS.values() for kind in weights} <= set(MemoryType)
