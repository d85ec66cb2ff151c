"""Embedding errors: callers fall back to text search and report it."""

from __future__ import annotations

from holloway.errors import HollowayError


class EmbeddingFailed(HollowayError):
    """A text could not be embedded."""


class EmbedderMissing(EmbeddingFailed):
    """This installation cannot embed at all."""


class EmbedderUnavailable(EmbeddingFailed):
    """The provider does not answer, or is misconfigured: another text would not help."""


class TextNotEmbeddable(EmbeddingFailed):
    """The provider refuses these texts; it may accept others."""
