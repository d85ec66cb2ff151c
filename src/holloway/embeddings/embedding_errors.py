"""Why a text has no vector: callers go on with text search and say so."""

from __future__ import annotations

from holloway.errors import HollowayError


class EmbeddingFailed(HollowayError):
    """No vector came back."""


class EmbedderMissing(EmbeddingFailed):
    """This installation cannot embed at all."""


class Unavailable(EmbeddingFailed):
    """The provider does not answer, or not as it is set up: another text would not help."""


class Unembeddable(EmbeddingFailed):
    """The provider does not take these texts; it may well take others."""
