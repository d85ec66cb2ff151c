"""A segment: operations of one replica in one signed file, as they are sent. Anything else in it is refused."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holloway.config import AUTHOR_CHARS_MAX, SEGMENT_BYTES_MAX
from holloway.errors import InvalidInput
from holloway.sharing.operation import parse_operation, serialize_operation, serialize_value
from holloway.sharing.signature import is_signed, name_replica

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holloway.sharing.operation import Operation
    from holloway.sharing.signature import ReplicaKey

SEGMENT_FORMAT = "holloway-segment"
SEGMENT_VERSION = 1
_ENVELOPE_BYTES = 2_048
"""Room for the first and the last line of a segment."""


@dataclass(frozen=True, slots=True)
class ReplicaProfile:
    """The name and device that a replica claims. Only its key is proved."""

    replica: str
    public_key: str
    author: str
    device: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A verified segment."""

    profile: ReplicaProfile
    operations: tuple[Operation, ...]
    refused: int = 0
    """Operations in it that cannot be used."""


def write_segments(
    operations: Iterable[Operation], key: ReplicaKey, profile: ReplicaProfile, space: str
) -> list[bytes]:
    """Return signed segments with these operations; the same operations give the same bytes."""
    lines = (serialize_operation(operation).encode("utf-8", "surrogatepass") for operation in operations)
    return [_seal(batch, key, profile, space) for batch in _split_lines(lines)]


def _split_lines(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    size = _ENVELOPE_BYTES
    for line in lines:
        if batch and size + len(line) + 1 > SEGMENT_BYTES_MAX:
            yield batch
            batch, size = [], _ENVELOPE_BYTES
        batch.append(line)
        size += len(line) + 1
    if batch:
        yield batch


def _seal(lines: list[bytes], key: ReplicaKey, profile: ReplicaProfile, space: str) -> bytes:
    head = {
        "format": SEGMENT_FORMAT,
        "version": SEGMENT_VERSION,
        "space": space,
        "key": profile.public_key,
        "author": profile.author,
        "device": profile.device,
    }
    body = b"\n".join([serialize_value(head).encode(), *lines]) + b"\n"
    return body + serialize_value({"signature": key.sign(body)}).encode() + b"\n"


def read_segment(data: bytes, replica: str, space: str) -> Segment:
    """Verify and parse a segment that was found under a replica's name.

    Raises InvalidInput if it is too large, not signed by that replica, or written for another project.
    """
    if len(data) > SEGMENT_BYTES_MAX:
        raise InvalidInput(f"A segment has {len(data):,} bytes.", f"At most {SEGMENT_BYTES_MAX:,}.")
    body_end = data.rstrip(b"\n").rfind(b"\n") + 1
    body, seal = data[:body_end], _parse_object(data[body_end:])
    first_line, _, remainder = body.partition(b"\n")
    head = _parse_object(first_line)
    if head.get("format") != SEGMENT_FORMAT or head.get("version") != SEGMENT_VERSION:
        raise InvalidInput("A segment has an unknown format.", "Upgrade holloway if the other person has a newer one.")
    public_key = _parse_hex(head.get("key"))
    if name_replica(public_key) != replica:
        raise InvalidInput(f"A segment under the name {replica[:12]} has another key.", "It is ignored.")
    if not is_signed(body, str(seal.get("signature")), public_key):
        raise InvalidInput(f"A segment of {replica[:12]} has a wrong signature.", "It is ignored.")
    if head.get("space") != space:
        raise InvalidInput(f"A segment of {replica[:12]} belongs to another project.", "It is ignored.")
    profile = ReplicaProfile(replica, public_key.hex(), _parse_name(head, "author"), _parse_name(head, "device"))
    operations = [_parse_line(line, replica) for line in remainder.splitlines()]
    usable = tuple(operation for operation in operations if operation is not None)
    return Segment(profile, usable, len(operations) - len(usable))


def _parse_line(line: bytes, replica: str) -> Operation | None:
    try:
        return parse_operation(line.decode("utf-8"), replica)
    except (InvalidInput, UnicodeDecodeError):
        return None


def _parse_object(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidInput("A segment is not JSON.", "It is ignored.") from None
    return value if isinstance(value, dict) else {}


def _parse_hex(text: object) -> bytes:
    try:
        return bytes.fromhex(str(text))
    except ValueError:
        return b""


def _parse_name(head: dict[str, Any], name: str) -> str:
    text = head.get(name)
    words = " ".join(text.split()) if isinstance(text, str) else ""
    return "".join(filter(str.isprintable, words))[:AUTHOR_CHARS_MAX] or "unknown"
