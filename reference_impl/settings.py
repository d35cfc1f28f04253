"""What a `configure` request sets beside the protocol and its options."""

from __future__ import annotations

from dataclasses import dataclass, field

from reference_impl.registry import Registry

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """The surroundings of an encoder or decoder, at the defaults of the harness protocol.

    `now_ms` is the wall clock to write where a format carries one; None leaves it to the implementation. `registry` is
    where schemas are kept; without one a codec that needs it keeps them in memory.
    """

    timezone: str = "UTC"
    cluster_id: str = "default"
    topic: str = "{schema}_{table}"
    partitions: int = 1
    registry_url: str | None = None
    now_ms: int | None = None
    registry: Registry | None = field(default=None, compare=False, repr=False)
