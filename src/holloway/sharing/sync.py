"""One exchange with a remote: edit > operation > segment > ref > fetched segment > verified operations > fold > store.

Every step can be interrupted and is done again by the next exchange: operations are added once, rows are compared with
the shared state, and our ref is written from the log.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING

from holloway.config import REPLICA_OPERATIONS_MAX, SEGMENTS_MAX
from holloway.domain.ports import format_stamp
from holloway.errors import HollowayError
from holloway.sharing.compaction import compact_log
from holloway.sharing.git_transport import BRANCH_NAMESPACE, NAMESPACE, Tip
from holloway.sharing.incoming import Applied, apply_waiting
from holloway.sharing.recorder import Recorder, from_row, to_row
from holloway.sharing.segment import read_segment, write_segments
from holloway.sharing.segment_files import dump_read_segments, parse_read_segments
from holloway.store import operation_log
from holloway.store.operation_log import ACCEPTED, OWN, REFUSED, STRANGER, Replica

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holloway.sharing.git_transport import GitTransport
    from holloway.sharing.segment import ReplicaProfile, Segment
    from holloway.sharing.segment_files import Blob
    from holloway.sharing.signature import ReplicaKey
    from holloway.store.store import Store

PUSHED_KEY = "sharing_pushed"
"""Key of the commit of our ref that the remote has."""
SET_ASIDE_KEY = "sharing_set_aside"
"""Key of the refs of the remote that exceeded the limits, with the reason and the time."""
SET_ASIDE_HOURS = 24


@dataclass(slots=True)
class SyncReport:
    """Result of one exchange."""

    sent: int = 0
    """Memories of which changes were sent."""
    received: int = 0
    """Operations of others that came."""
    strangers: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    applied: Applied = field(default_factory=Applied)


class Synchronizer:
    """Exchanges the operations of one store with a remote."""

    def __init__(
        self, store: Store, transport: GitTransport, key: ReplicaKey, profile: ReplicaProfile, space: str
    ) -> None:
        self._store = store
        self._database = store.database
        self._transport = transport
        self._key = key
        self._profile = profile
        self._space = space
        self._report = SyncReport()
        self._tips: list[Tip] = []
        self._must_prune = False

    def synchronize(self) -> SyncReport:
        """Exchange operations once. Raises TransferFailed if the remote cannot be reached; nothing is lost then."""
        self._transport.prepare()
        Recorder(self._store).record_waiting()
        self._fetch()
        self._read_refs()
        self._report.applied = apply_waiting(self._store)
        self._send()
        if self._must_prune:
            self._transport.prune()
        return self._report

    def _fetch(self) -> None:
        """Fetch what may be read; refs that exceeded the limits are left alone for a day."""
        now = self._store.clock.now()
        text = self._store.get_meta(SET_ASIDE_KEY)
        set_aside: dict[str, list[str]] = json.loads(text) if text else {}
        since = format_stamp(now - timedelta(hours=SET_ASIDE_HOURS))
        set_aside = {ref: entry for ref, entry in set_aside.items() if since < entry[1] <= format_stamp(now)}
        problems = self._transport.fetch({*set_aside, *self._list_refused_refs()})
        set_aside |= {ref: [problem, format_stamp(now)] for ref, problem in problems.items()}
        self._store.set_meta(SET_ASIDE_KEY, json.dumps(set_aside))
        self._report.refused += [f"{ref}: {problem}" for ref, (problem, _) in sorted(set_aside.items())]

    def _list_refused_refs(self) -> list[str]:
        replicas = operation_log.list_replicas(self._database)
        refused = [replica.replica for replica in replicas if replica.standing == REFUSED]
        return [f"{namespace}{replica}" for replica in refused for namespace in (NAMESPACE, BRANCH_NAMESPACE)]

    def _read_refs(self) -> None:
        """Add the operations of the refs that changed to the log."""
        replicas = {replica.replica: replica for replica in operation_log.list_replicas(self._database)}
        self._tips = self._transport.list_tips()
        changed = [tip for tip in self._tips if self._is_unread(tip, replicas.get(tip.replica))]
        segments = self._transport.list_segments(changed)
        new = {name: self._list_new(blobs, replicas.get(name)) for name, blobs in segments.items()}
        contents = self._transport.read_blobs(blob for blobs in new.values() for blob in blobs)
        for tip in changed:
            own_contents = islice(contents, len(new[tip.replica]))
            self._read_ref(tip, replicas.get(tip.replica), segments[tip.replica], own_contents)
        self._report.strangers = [
            replica.author for replica in operation_log.list_replicas(self._database) if replica.standing == STRANGER
        ]

    def _is_unread(self, tip: Tip, replica: Replica | None) -> bool:
        return replica is None or (replica.standing != REFUSED and replica.tip != ",".join(tip.commits))

    def _list_new(self, blobs: list[Blob], replica: Replica | None) -> list[Blob]:
        """Return the segments of a replica that were not read before."""
        read_before = parse_read_segments(replica.segments) if replica else set()
        self._must_prune |= not read_before <= {blob.digest for blob in blobs}
        return [blob for blob in blobs if blob.digest not in read_before]

    def _read_ref(
        self, tip: Tip, replica: Replica | None, blobs: list[Blob], contents: Iterable[tuple[Blob, bytes]]
    ) -> None:
        """Read the new segments of one ref; one that does not verify is reported and changes nothing."""
        for blob, data in contents:
            try:
                segment = read_segment(data, tip.replica, self._space)
            except HollowayError as error:
                self._report.refused.append(f"{blob.name} of {tip.replica[:12]}: {error.message}")
                continue
            replica = replica or self._meet_replica(segment)
            self._store_operations(segment, replica)
        if replica is not None:
            read = replica._replace(tip=",".join(tip.commits), segments=dump_read_segments(blobs))
            operation_log.save_replica(self._database, read)

    def _meet_replica(self, segment: Segment) -> Replica:
        """Return a replica that is seen for the first time."""
        profile = segment.profile
        standing = OWN if profile.replica == self._key.replica else STRANGER
        now = format_stamp(self._store.clock.now())
        return Replica(profile.replica, profile.author, profile.device, standing, first_seen_at=now)

    def _store_operations(self, segment: Segment, replica: Replica) -> None:
        """Add the operations of a segment to the log."""
        operations = segment.operations
        if segment.refused:
            self._report.refused.append(f"{segment.refused} malformed operations of {replica.replica[:12]}")
        with self._database.write_transaction():
            operation_log.save_replica(self._database, replica)
            room = REPLICA_OPERATIONS_MAX - operation_log.count_operations(self._database, replica.replica)
            new = operation_log.add_operations(
                self._database, map(to_row, operations[: max(0, room)]), is_incoming=True
            )
            if replica.standing in (OWN, ACCEPTED):
                highest = max((operation.counter for operation in operations), default=0)
                operation_log.follow_counter(self._database, highest)
        self._report.received += new if replica.standing != OWN else 0

    def _send(self) -> None:
        """Add what is not in our ref yet to it, and push it unless the remote has it already."""
        remote_tip = next((tip.commits[0] for tip in self._tips if tip.replica == self._key.replica), "")
        own_tip = self._transport.find_own_tip()
        segments = self._list_own_segments(own_tip)
        if self._must_rewrite(remote_tip, own_tip, len(segments)):
            operation_log.set_rewrite(self._database, is_due=True)
            compacted = compact_log(map(from_row, operation_log.list_written_by(self._database, self._key.replica)))
            operation_log.replace_log(self._database, self._key.replica, [to_row(operation) for operation in compacted])
            segments = []
        self._write_unsent(segments)
        own_tip = self._transport.find_own_tip()
        if own_tip and own_tip != remote_tip:
            self._transport.push(remote_tip)
            self._note_pushed(own_tip)
        if operation_log.is_rewrite_due(self._database):
            self._must_prune = True
            operation_log.set_rewrite(self._database, is_due=False)

    def _must_rewrite(self, remote_tip: str, own_tip: str, segments: int) -> bool:
        """Return whether our ref is rewritten: something was erased, it got long, or a copy of us wrote it."""
        pushed_tip = self._store.get_meta(PUSHED_KEY)
        is_diverged = remote_tip not in ("", pushed_tip, own_tip)
        is_lost = bool(pushed_tip) and not own_tip
        return operation_log.is_rewrite_due(self._database) or is_diverged or is_lost or segments >= SEGMENTS_MAX

    def _write_unsent(self, segments: list[Blob]) -> None:
        """Write the operations that no segment has; without earlier segments, they replace the content of the ref."""
        unsent = operation_log.list_unsent(self._database)
        if unsent:
            sealed = write_segments(map(from_row, unsent), self._key, self._profile, self._space)
            next_number = int(segments[-1].name) + 1 if segments else 0
            self._transport.write_segments(sealed, first_number=next_number, replaces=not segments)
            operation_log.mark_sent(self._database, [row.id for row in unsent])
        self._report.sent = len({row.memory for row in unsent if not row.memory.endswith("/")})

    def _note_pushed(self, own_tip: str) -> None:
        """Note what the remote has of us, so that it is not read back."""
        self._store.set_meta(PUSHED_KEY, own_tip)
        own = next(other for other in operation_log.list_replicas(self._database) if other.standing == OWN)
        segments = dump_read_segments(self._list_own_segments(own_tip))
        operation_log.save_replica(self._database, own._replace(tip=own_tip, segments=segments))

    def _list_own_segments(self, own_tip: str) -> list[Blob]:
        own = Tip(self._key.replica, (own_tip,))
        return self._transport.list_segments([own])[own.replica] if own_tip else []
