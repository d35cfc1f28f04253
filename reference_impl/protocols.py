"""The protocols that have a reference implementation, by the names of the harness protocol.

A protocol package offers the same four names, `Encoder`, `Decoder`, `encode` and `decode`, beside its dataclass of
options; a new protocol is a package and a line in `CODECS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from reference_impl.model import Claim, Encoded, Event, Record, Table
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.settings import Settings

__all__ = ["CODECS", "DIALECTS", "UPSTREAM", "Codec", "Decoder", "Encoder"]


class Encoder(Protocol):
    """Turns events into Kafka records. One call of `encode` is one flush."""

    def encode(self, events: Iterable[Event], tables: Iterable[Table] = ()) -> Encoded:
        """The records of `events`; `tables` is the state before the first event. Raises `Rejected`."""
        ...


class Decoder(Protocol):
    """Turns Kafka records back into events."""

    def decode(
        self, records: Iterable[Record], tables: Iterable[Table] = (), claims: Iterable[Claim] = ()
    ) -> list[Event]:
        """The events that `records` carry. Raises `Rejected`."""
        ...


class EncoderFactory(Protocol):
    """How every `Encoder` is made."""

    def __call__(
        self,
        options: Any = ...,
        profile: Profile = NEWARCH,
        *,
        settings: Settings = ...,
        defects: frozenset[str] = frozenset(),
    ) -> Encoder: ...


class DecoderFactory(Protocol):
    """How every `Decoder` is made. Decoders accept every profile."""

    def __call__(self, options: Any = ..., *, settings: Settings = ...) -> Decoder: ...


@dataclass(frozen=True, slots=True)
class Codec:
    """A protocol's reference implementation, in the package `module`, which is imported when it is first used.

    `uses_registry`: what it writes can only be read with the schemas of a registry.
    """

    protocol: str
    module: str
    uses_registry: bool = False

    @property
    def options(self) -> type[Any]:
        """The dataclass of its options."""
        kind: type[Any] = import_module(f"{self.module}.options").Options
        return kind

    @property
    def encoder(self) -> EncoderFactory:
        """How its encoder is made."""
        factory: EncoderFactory = import_module(f"{self.module}.encoder").Encoder
        return factory

    @property
    def decoder(self) -> DecoderFactory:
        """How its decoder is made."""
        factory: DecoderFactory = import_module(f"{self.module}.decoder").Decoder
        return factory


CODECS: Mapping[str, Codec] = {
    codec.protocol: codec
    for codec in (
        Codec("canal-json", "reference_impl.canal_json"),
        Codec("open-protocol", "reference_impl.open_protocol"),
        Codec("debezium", "reference_impl.debezium_json"),
        Codec("avro", "reference_impl.avro", uses_registry=True),
    )
}

UPSTREAM: Mapping[str, Codec] = {
    codec.protocol: codec
    for codec in (
        Codec("canal", "reference_impl.upstream.canal"),
        Codec("debezium-connector", "reference_impl.upstream.debezium"),
    )
}
"""The dialects that two of the protocols imitate, by the names of the harness protocol."""

DIALECTS: Mapping[str, Codec] = {**CODECS, **UPSTREAM}
"""Everything that has a reference implementation: TiCDC's protocols, and what they imitate."""
