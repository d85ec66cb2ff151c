import pytest

from holloway.errors import HollowayError
from holloway.scratchpad import checkpoint


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b'{"version": 99}',
        b'{"version": 1}',
        b"\xff\xfe",
        b'{"version":1,"start":3}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_checkpoint_is_an_error_that_says_what_goes_on(data: bytes) -> None:
    with pytest.raises(HollowayError) as error:
        checkpoint.load(data)
    assert "journal" in error.value.hint
