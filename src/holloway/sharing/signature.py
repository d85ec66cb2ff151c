"""Signatures of replicas: ed25519 keys, one for each replica, made and kept on its machine."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from holloway.extras import PackageMissing
from holloway.sharing.operation import REPLICA_CHARS

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

DOMAIN = b"holloway segment\0"
"""Comes before every signed text, so that no signature is good for another purpose."""


class ReplicaKey:
    """The secret key of this replica."""

    def __init__(self, seed: bytes) -> None:
        self._key = _load_private_key(seed)
        self.public_key = self._key.public_key().public_bytes_raw()
        self.replica = name_replica(self.public_key)

    def sign(self, text: bytes) -> str:
        """Return the signature of a text."""
        return self._key.sign(DOMAIN + text).hex()


def name_replica(public_key: bytes) -> str:
    """Return the name of the replica with this key. A name cannot be taken by anybody with another key."""
    return hashlib.sha256(public_key).hexdigest()[:REPLICA_CHARS]


def is_signed(text: bytes, signature: str, public_key: bytes) -> bool:
    """Return whether the owner of a public key signed a text."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(bytes.fromhex(signature), DOMAIN + text)
    except (InvalidSignature, ValueError):
        return False
    return True


def _load_private_key(seed: bytes) -> Ed25519PrivateKey:
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError as error:
        raise PackageMissing("cryptography", "share") from error
    return Ed25519PrivateKey.from_private_bytes(seed)
