"""The dialects that have a reference implementation: the one place that gives a dialect its name.

The package of a dialect offers the same four names, `Encoder`, `Decoder`, `encode` and `decode`, beside its dataclass
of options. What another package knows of dialects is a table of `Rows`, with a row for each `Dialect`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, Protocol, TypeVar

from reference_impl.model import Claim, Encoded, Event, Record, Table
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.settings import Settings

__all__ = [
    "AVRO",
    "CANAL",
    "CANAL_JSON",
    "CODECS",
    "CONNECTOR",
    "DEBEZIUM",
    "DIALECTS",
    "OPEN_PROTOCOL",
    "UPSTREAM",
    "Decoder",
    "Dialect",
    "Encoder",
    "Rows",
    "register",
]


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
class Dialect:
    """A dialect, and where its reference implementation is."""

    # In the harness protocol, in options and in files.
    name: str
    # For people.
    title: str
    # The package of its codec, which is imported when it is first used.
    module: str
    # The dialect that it builds on: a table without a row for this one has that of its base.
    base: Dialect | None = None
    # TiCDC writes it.
    of_ticdc: bool = True
    # The dialect that TiCDC writes it after.
    imitates: Dialect | None = None
    # What it writes is read with the schemas of a registry.
    uses_registry: bool = False

    @property
    def lineage(self) -> Iterator[Dialect]:
        """The dialect, what it builds on, and so on."""
        at: Dialect | None = self
        while at is not None:
            yield at
            at = at.base

    @property
    def imitator(self) -> Dialect | None:
        """The protocol of TiCDC that imitates the dialect, or what it builds on."""
        return next((one for parent in self.lineage for one in CODECS.values() if one.imitates == parent), None)

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


CANAL = Dialect("canal", "Alibaba Canal", "reference_impl.upstream.canal", of_ticdc=False)
CONNECTOR = Dialect("debezium-connector", "Debezium connector", "reference_impl.upstream.debezium", of_ticdc=False)
CANAL_JSON = Dialect("canal-json", "Canal-JSON", "reference_impl.canal_json", imitates=CANAL)
OPEN_PROTOCOL = Dialect("open-protocol", "Open Protocol", "reference_impl.open_protocol")
DEBEZIUM = Dialect("debezium", "Debezium JSON", "reference_impl.debezium_json", imitates=CONNECTOR)
AVRO = Dialect("avro", "Avro", "reference_impl.avro", uses_registry=True)

CODECS: dict[str, Dialect] = {}
"""TiCDC's protocols by name."""
UPSTREAM: dict[str, Dialect] = {}
"""The dialects that TiCDC's protocols imitate, by name."""
DIALECTS: dict[str, Dialect] = {}
"""Everything that has a reference implementation by name: TiCDC's protocols, and what they imitate."""


def register(dialect: Dialect) -> None:
    """Make a dialect known by its name to every command."""
    for known in (DIALECTS, CODECS if dialect.of_ticdc else UPSTREAM):
        known[dialect.name] = dialect


for _dialect in (CANAL_JSON, OPEN_PROTOCOL, DEBEZIUM, AVRO, CANAL, CONNECTOR):
    register(_dialect)

Row = TypeVar("Row")


class Rows(Mapping[str, Row], Generic[Row]):
    """What a package knows of dialects: a row each, found by the name of the dialect.

    A dialect without a row of its own has that of the nearest dialect that it builds on.
    """

    def __init__(self, rows: Mapping[Dialect, Row]) -> None:
        self._rows = {dialect.name: row for dialect, row in rows.items()}

    def __getitem__(self, name: str) -> Row:
        if name in self._rows:
            return self._rows[name]
        for dialect in DIALECTS[name].lineage:
            if dialect.name in self._rows:
                return self._rows[dialect.name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for name, dialect in DIALECTS.items() if any(one.name in self._rows for one in dialect.lineage))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def own(self, name: str) -> Row | None:
        """The row of a dialect alone, of none that it builds on."""
        return self._rows.get(name)

    def add(self, dialect: Dialect, row: Row) -> None:
        """Give a dialect a row of its own."""
        self._rows[dialect.name] = row
