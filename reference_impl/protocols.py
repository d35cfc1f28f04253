"""The dialects with a reference implementation; no other module defines their names.

The package of a dialect has the names `Encoder`, `Decoder`, `encode`, `decode` and `Options`. Other packages keep
their knowledge of dialects in tables of the class `Rows`, with a row for each `Dialect`.
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
    """The constructor of an `Encoder`."""

    def __call__(
        self,
        options: Any = ...,
        profile: Profile = NEWARCH,
        *,
        settings: Settings = ...,
        defects: frozenset[str] = frozenset(),
    ) -> Encoder: ...


class DecoderFactory(Protocol):
    """The constructor of a `Decoder`. Decoders accept every profile."""

    def __call__(self, options: Any = ..., *, settings: Settings = ...) -> Decoder: ...


@dataclass(frozen=True, slots=True)
class Dialect:
    """A dialect, and the package of its reference implementation."""

    # The name in the harness protocol, in options and in files.
    name: str
    # The name for people.
    title: str
    # The package of its codec, which is imported when it is first used.
    module: str
    # The dialect that it builds on: where a table has no row for this dialect, it uses the row of the base.
    base: Dialect | None = None
    # Whether TiCDC writes it.
    of_ticdc: bool = True
    # The dialect that it imitates.
    imitates: Dialect | None = None
    # Whether its messages need the schemas of a registry.
    uses_registry: bool = False

    @property
    def lineage(self) -> Iterator[Dialect]:
        """The dialect, its base, the base of that, and so on."""
        dialect: Dialect | None = self
        while dialect is not None:
            yield dialect
            dialect = dialect.base

    @property
    def imitator(self) -> Dialect | None:
        """The protocol of TiCDC that imitates the dialect or its base."""
        for dialect in self.lineage:
            for protocol in CODECS.values():
                if protocol.imitates == dialect:
                    return protocol
        return None

    @property
    def options(self) -> type[Any]:
        """The dataclass of its options."""
        options_class: type[Any] = import_module(f"{self.module}.options").Options
        return options_class

    @property
    def encoder(self) -> EncoderFactory:
        """The class of its encoder."""
        factory: EncoderFactory = import_module(f"{self.module}.encoder").Encoder
        return factory

    @property
    def decoder(self) -> DecoderFactory:
        """The class of its decoder."""
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
"""All dialects by name: TiCDC's protocols, and the dialects that they imitate."""


def register(dialect: Dialect) -> None:
    """Make a dialect known by its name to every command."""
    for known in (DIALECTS, CODECS if dialect.of_ticdc else UPSTREAM):
        known[dialect.name] = dialect


for _dialect in (CANAL_JSON, OPEN_PROTOCOL, DEBEZIUM, AVRO, CANAL, CONNECTOR):
    register(_dialect)

Row = TypeVar("Row")


class Rows(Mapping[str, Row], Generic[Row]):
    """A table with a row for each dialect, by name.

    A dialect without a row of its own uses the row of the nearest dialect that it builds on.
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
        for name, dialect in DIALECTS.items():
            if any(ancestor.name in self._rows for ancestor in dialect.lineage):
                yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def own(self, name: str) -> Row | None:
        """The dialect's own row, without falling back to its base."""
        return self._rows.get(name)

    def add(self, dialect: Dialect, row: Row) -> None:
        """Give a dialect a row of its own."""
        self._rows[dialect.name] = row
