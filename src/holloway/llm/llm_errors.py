"""What can go wrong with a language model. Nothing depends on one, so callers go on without."""

from __future__ import annotations

from holloway.errors import HollowayError


class WriterFailed(HollowayError):
    """The provider did not answer, answered too late, or answered nonsense."""


class NotAsked(WriterFailed):
    """Nothing was sent: the provider's package is not installed, or its address cannot be read."""


class CapReached(WriterFailed):
    """This month's tokens are spent."""
