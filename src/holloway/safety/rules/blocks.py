"""Keys that take up many lines. The whole block is the secret, so nothing inside of it is looked at again."""

from __future__ import annotations

from holloway.safety.rules.rule import Rule

# A block ends at the next five dashes, which keeps the search linear on text full of unfinished blocks.
_INSIDE = r"(?:[^-]|-{1,4}[^-])"
_LINES = r"(?:(?:\s|\\+[nr]|[\"'+>#|*]){0,40}[A-Za-z0-9+/=]{24,})+"


def _block(kind: str) -> str:
    closed = rf"{_INSIDE}*?[A-Za-z0-9+/]{{24}}{_INSIDE}*?-----END {kind}-----"
    return rf"(-----BEGIN {kind}-----(?:{closed}|{_LINES}))"


BLOCKS = (
    Rule(
        "private-key",
        ("private key-----",),
        _block(r"(?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY"),
        3.5,
        (
            "-----BEGIN RSA PRIVATE KEY-----\n{b64:64}\n{b64:64}\n{b64:30}==\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN OPENSSH PRIVATE KEY-----\n{b64:70}\n-----END OPENSSH PRIVATE KEY-----",
            '"private_key": "-----BEGIN PRIVATE KEY-----\\n{b64:64}\\n{b64:64}\\n-----END PRIVATE KEY-----\\n"',
            "-----BEGIN EC PRIVATE KEY-----\n{b64:64}\n{b64:64}",
        ),
        (
            "-----BEGIN OPENSSH PRIVATE KEY----------END OPENSSH PRIVATE KEY-----",
            "a file that starts with -----BEGIN RSA PRIVATE KEY-----",
            "-----BEGIN PUBLIC KEY-----\n{b64:64}\n-----END PUBLIC KEY-----",
        ),
    ),
    Rule(
        "pgp-private-key",
        ("pgp private key block",),
        _block("PGP PRIVATE KEY BLOCK"),
        3.5,
        (
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n{b64:64}\n{b64:64}\n=abcd\n"
            "-----END PGP PRIVATE KEY BLOCK-----",
        ),
        ("-----BEGIN PGP PUBLIC KEY BLOCK-----\n{b64:64}\n-----END PGP PUBLIC KEY BLOCK-----",),
    ),
    Rule(
        "putty-private-key",
        ("putty-user-key-file",),
        r"PuTTY-User-Key-File-\d:[^\n]*\n(?:[^\n]*\n)*?Private-Lines: \d+\s+"
        r"((?:[A-Za-z0-9+/=]{32,64}\s{1,2})*[A-Za-z0-9+/=]{8,64})",
        3.5,
        ("PuTTY-User-Key-File-2: ssh-rsa\nPublic-Lines: 1\n{b64:64}\nPrivate-Lines: 2\n{b64:64}\n{b64:40}",),
        ("PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none",),
    ),
)
