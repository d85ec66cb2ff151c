"""Segments: signed, bounded, for one project and one replica. Each of these is a way to forge one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.config import SEGMENT_BYTES_MAX
from holloway.errors import InvalidInput
from holloway.sharing.operation import Operation, make_id, name_memory
from holloway.sharing.segment import ReplicaProfile, read_segment, write_segments
from holloway.sharing.signature import ReplicaKey
from tests.sharing.schedules import STAMPS

KEY, MALLORY = ReplicaKey(b"\1" * 32), ReplicaKey(b"\2" * 32)
SPACE = "space"


def profile(key: ReplicaKey, author: str = "Ada") -> ReplicaProfile:
    return ReplicaProfile(key.replica, key.public_key.hex(), author, "laptop")


def write(key: ReplicaKey, number: int, text: str = "text") -> Operation:
    memory = name_memory(key.replica, f"{number:032x}")
    return Operation(make_id(key.replica, f"{number:012x}"), memory, number, key.replica, STAMPS[1], {"summary": text})


def seal(key: ReplicaKey, *operations: Operation, author: str = "Ada", space: str = SPACE) -> bytes:
    return write_segments(operations, key, profile(key, author), space)[0]


def test_a_segment_gives_back_its_operations_and_who_signed_it() -> None:
    segment = read_segment(seal(KEY, write(KEY, 1), write(KEY, 2)), KEY.replica, SPACE)
    assert segment.operations == (write(KEY, 1), write(KEY, 2))
    assert segment.profile == profile(KEY)


def test_the_same_operations_give_the_same_bytes() -> None:
    assert seal(KEY, write(KEY, 1)) == seal(KEY, write(KEY, 1))


def test_a_log_is_split_into_segments_below_the_limit() -> None:
    operations = [write(KEY, number, "x" * 2_000) for number in range(1, 1_200)]
    segments = write_segments(operations, KEY, profile(KEY), SPACE)
    assert len(segments) == 3
    assert all(len(segment) <= SEGMENT_BYTES_MAX for segment in segments)
    assert sum(len(read_segment(segment, KEY.replica, SPACE).operations) for segment in segments) == 1_199


def test_a_segment_under_the_name_of_another_replica_is_refused() -> None:
    with pytest.raises(InvalidInput, match="another key"):
        read_segment(seal(MALLORY, write(MALLORY, 1)), KEY.replica, SPACE)


def test_a_segment_of_another_project_is_refused() -> None:
    with pytest.raises(InvalidInput, match="another project"):
        read_segment(seal(KEY, write(KEY, 1), space="elsewhere"), KEY.replica, SPACE)


def test_a_changed_author_breaks_the_signature() -> None:
    data = seal(KEY, write(KEY, 1)).replace(b'"author":"Ada"', b'"author":"Eve"')
    with pytest.raises(InvalidInput, match="signature"):
        read_segment(data, KEY.replica, SPACE)


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_a_flipped_bit_anywhere_is_refused(position: int, bits: int) -> None:
    data = bytearray(seal(KEY, write(KEY, 1)))
    data[position % len(data)] ^= bits
    try:
        segment = read_segment(bytes(data), KEY.replica, SPACE)
    except InvalidInput:
        return
    # Only white space around the seal, or the case of its digits, is not covered by the signature.
    assert segment.operations == (write(KEY, 1),)
    assert segment.profile == profile(KEY)


def test_a_segment_above_the_limit_is_refused_unread() -> None:
    with pytest.raises(InvalidInput, match="bytes"):
        read_segment(b" " * (SEGMENT_BYTES_MAX + 1), KEY.replica, SPACE)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"{}\n{}\n", b"\xff\xfe\n\xff\n", b"[" * 50_000 + b"\n{}\n"])
def test_what_is_no_segment_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput):
        read_segment(data, KEY.replica, SPACE)


def test_an_operation_that_cannot_be_used_is_counted_and_the_others_are_read() -> None:
    foreign = write(MALLORY, 3)
    segment = read_segment(seal(KEY, write(KEY, 1), foreign), KEY.replica, SPACE)
    assert segment.operations == (write(KEY, 1),)
    assert segment.refused == 1


def test_a_name_is_one_printable_line() -> None:
    data = seal(KEY, write(KEY, 1), author="Ada\n\x1b[31m" + "x" * 500)
    assert json.loads(data.splitlines()[0])["author"] != read_segment(data, KEY.replica, SPACE).profile.author
    assert read_segment(data, KEY.replica, SPACE).profile.author.isprintable()
    assert len(read_segment(data, KEY.replica, SPACE).profile.author) <= 80
