"""What a `configure` request sets beside the protocol and its options."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """The surroundings of an encoder or decoder, at the defaults of the harness protocol.

    `now_ms` is the wall clock to write where a format carries one; None leaves it to the implementation.
    """

    timezone: str = "UTC"
    cluster_id: str = "default"
    topic: str = "{schema}_{table}"
    partitions: int = 1
    registry_url: str | None = None
    now_ms: int | None = None
