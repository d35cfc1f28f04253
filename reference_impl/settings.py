"""The members of a `configure` request other than the protocol and its options."""

from __future__ import annotations

from dataclasses import dataclass, field

from reference_impl.errors import Rejected
from reference_impl.registry import Registry

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of an encoder or decoder, with the defaults of the harness protocol.

    Raises `Rejected` (class `range`) for a topic without a partition.
    """

    # An IANA name or an offset such as `+05:30`, in which TIMESTAMP values are shown.
    timezone: str = "UTC"
    cluster_id: str = "default"
    # The expression for the topic of a table.
    topic: str = "{schema}_{table}"
    # The number of partitions of every topic.
    partitions: int = 1
    registry_url: str | None = None
    # The wall clock for formats that have one, in milliseconds since 1970; None: each implementation chooses.
    now_ms: int | None = None
    # Keeps schemas; with None a codec that needs a registry keeps schemas in memory.
    registry: Registry | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.partitions < 1:
            raise Rejected("range", f"partitions is {self.partitions}: a topic has one or more")
