"""Locks that a process holds on a file while it runs: whether one is held. Light: hooks load this."""

from __future__ import annotations

import os


def is_locked(path: str) -> bool:
    """Return whether a process holds the lock on a file now; False if there is no such file."""
    try:
        import fcntl
    except ImportError:
        return _is_locked_elsewhere(path)
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _is_locked_elsewhere(path: str) -> bool:
    """Return the same on systems without `flock`."""
    if not os.path.exists(path):
        return False
    from filelock import FileLock, Timeout  # takes longer to import than everything else in a hook

    try:
        with FileLock(path, timeout=0, mode=0o600):
            return False
    except Timeout:
        return True
