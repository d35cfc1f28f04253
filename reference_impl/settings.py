"""The settings of a `configure` request, beside the protocol and its options."""

from __future__ import annotations

from dataclasses import dataclass, field

from reference_impl.registry import Registry

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """The surroundings of an encoder or decoder, at the defaults of the harness protocol.

    `now_ms` is the wall clock to write in formats that have one, in milliseconds since 1970; None leaves it to the
    implementation. `registry` keeps schemas; a codec that needs one keeps them in memory by default.
    """

    timezone: str = "UTC"
    cluster_id: str = "default"
    topic: str = "{schema}_{table}"
    partitions: int = 1
    registry_url: str | None = None
    now_ms: int | None = None
    registry: Registry | None = field(default=None, compare=False, repr=False)
