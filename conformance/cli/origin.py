"""`--origin FILE[:LINE]`, for every command that has it."""

from __future__ import annotations

from conformance.errors import UsageError
from conformance.transport.origin import Origin, parse_origin

__all__ = ["origin_of"]


def origin_of(text: str | None) -> Origin | None:
    """The place in `text`, None without a text. Raises `UsageError` for a malformed place."""
    if text is None:
        return None
    origin, problem = parse_origin(text)
    if problem:
        raise UsageError(f"--origin {text}: {problem}; it looks like pkg/encoder.go or pkg/encoder.go:123")
    return origin
