"""What can go wrong with a language model. Nothing depends on one, so callers go on without."""

from __future__ import annotations

from holloway.errors import HollowayError


class WriterFailed(HollowayError):
    """The provider did not answer, answered too late, or answered nonsense."""


class WriterMissing(WriterFailed):
    """The provider's own package is not installed."""


class CapReached(WriterFailed):
    """This month's tokens are spent."""
