"""The protocols that have a reference implementation, by the names of the harness protocol.

A protocol package offers the same four names, `Encoder`, `Decoder`, `encode` and `decode`, beside its dataclass of
options; a new protocol is a package and a line in `CODECS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from reference_impl import avro, canal_json, debezium_json, open_protocol
from reference_impl.model import Claim, Encoded, Event, Record, Table
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.settings import Settings
from reference_impl.upstream import canal, debezium

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
    """A protocol's reference implementation: its options dataclass and how its two roles are made.

    `uses_registry`: what it writes can only be read with the schemas of a registry.
    """

    protocol: str
    options: type[Any]
    encoder: EncoderFactory
    decoder: DecoderFactory
    uses_registry: bool = False


CODECS: Mapping[str, Codec] = {
    codec.protocol: codec
    for codec in (
        Codec("canal-json", canal_json.Options, canal_json.Encoder, canal_json.Decoder),
        Codec("open-protocol", open_protocol.Options, open_protocol.Encoder, open_protocol.Decoder),
        Codec("debezium", debezium_json.Options, debezium_json.Encoder, debezium_json.Decoder),
        Codec("avro", avro.Options, avro.Encoder, avro.Decoder, uses_registry=True),
    )
}

UPSTREAM: Mapping[str, Codec] = {
    codec.protocol: codec
    for codec in (
        Codec("canal", canal.Options, canal.Encoder, canal.Decoder),
        Codec("debezium-connector", debezium.Options, debezium.Encoder, debezium.Decoder),
    )
}
"""The dialects that two of the protocols imitate, by the names of the harness protocol."""

DIALECTS: Mapping[str, Codec] = {**CODECS, **UPSTREAM}
"""Everything that has a reference implementation: TiCDC's protocols, and what they imitate."""
