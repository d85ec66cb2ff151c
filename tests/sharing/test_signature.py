"""Signatures: a name belongs to a key, and only its owner signs for it."""

from holloway.sharing.signature import DOMAIN, ReplicaKey, is_signed, name_replica

KEY, OTHER = ReplicaKey(b"\1" * 32), ReplicaKey(b"\2" * 32)


def test_a_replica_is_named_after_its_key() -> None:
    assert KEY.replica == name_replica(KEY.public_key) == ReplicaKey(b"\1" * 32).replica
    assert KEY.replica != OTHER.replica


def test_only_the_text_that_was_signed_by_that_key_verifies() -> None:
    signature = KEY.sign(b"text")
    assert is_signed(b"text", signature, KEY.public_key)
    assert not is_signed(b"texT", signature, KEY.public_key)
    assert not is_signed(b"text", signature, OTHER.public_key)


def test_a_signature_for_another_purpose_does_not_verify() -> None:
    assert not is_signed(DOMAIN + b"text", KEY.sign(b"text"), KEY.public_key)


def test_malformed_keys_and_signatures_do_not_verify() -> None:
    assert not is_signed(b"text", "not hex", KEY.public_key)
    assert not is_signed(b"text", KEY.sign(b"text"), b"short")
