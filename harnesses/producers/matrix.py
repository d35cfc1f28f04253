"""The recordings of each producer: server, workload and settings, a row a recording, by the name of its file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from reference_impl.protocols import CANAL

__all__ = ["MATRIX", "Planned", "planned_of"]

_WORKLOAD = "workload.sql"


@dataclass(frozen=True, slots=True)
class Planned:
    """A planned recording."""

    name: str
    server: str = "mysql"
    workload: str = _WORKLOAD
    config: Mapping[str, str] = field(default_factory=dict)
    """Settings of the producer, in the form of its metadata."""
    zone: str = "UTC"
    """The time zone of the JVM."""
    java: int = 17
    """The release of Java."""
    snapshot: bool = False
    """Whether the workload runs first, and its rows are read at the end."""
    pause: float = 0
    """Seconds around every DDL statement.

    A producer without a history of statements queries the server for columns, in time only with a pause; a producer
    that stops at a statement has then sent the records before it.
    """
    stops: bool = False
    """Whether the producer stops before the end of the workload."""

    @property
    def note(self) -> str:
        """The metadata about the session."""
        return f"snapshot_only={int(self.snapshot)} pause={self.pause:g} jvm_zone={self.zone}"


_BARE = {"converter.schemas.enable": "false"}
# Connector/J 9.1, which the newer connectors bring, fails at ZEROFILL columns that are wider than their type.
_WIDE = {"column.exclude.list": "cap.t_int.c_i_zf,cap.t_int.c_bi_zf,cap.t_dec.d_zf"}
_TRUNCATIONS = {**_BARE, "skipped.operations": "none"}


def _connector(snapshot: Mapping[str, str]) -> Iterator[Planned]:
    """The recordings of every release of the connector."""
    strings = {"decimal.handling.mode": "string", "bigint.unsigned.handling.mode": "precise"}
    times = {"time.precision.mode": "connect", "binary.handling.mode": "base64-url-safe"}
    yield Planned("mysql97_schema")
    yield Planned("mysql97_noschema", config=_TRUNCATIONS)
    yield Planned("mysql97_decstring", config={**_BARE, **strings, "binary.handling.mode": "hex"})
    yield Planned("mysql97_timeconnect", config={**_BARE, **times})
    yield Planned("mysql97_extra", workload="extra_mysql.sql", config=_BARE)
    yield Planned("mysql97_snapshot", config={**_BARE, **snapshot}, snapshot=True)


_OF_TICDC = {"topic.prefix": "default", "decimal.handling.mode": "double", "binary.handling.mode": "base64"}

MATRIX: Mapping[str, tuple[Planned, ...]] = {
    CANAL.name: (
        Planned("mysql97"),
        Planned("mysql97_extra", workload="extra_mysql.sql"),
        Planned("mysql97_rowimage", workload="extra_rowimage.sql"),
        Planned("mysql97_vector_fails", workload="extra_vector.sql", pause=0.2, stops=True),
        Planned("mysql97_gtid", config={"gtid": "true"}),
        Planned("mysql97_notsdb", config={"tsdb": "false"}, pause=0.2),
        Planned("mysql97_zone8", zone="Asia/Shanghai"),
        Planned("mysql97_jdk25", java=25),
        Planned("mariadb1011", server="mariadb"),
    ),
    "debezium24": (
        *_connector({}),
        Planned("mysql97_ticdctest", config=_OF_TICDC),
        Planned(
            "mysql97_txmeta",
            config={**_BARE, "provide.transaction.metadata": "true", "tombstones.on.delete": "false"},
        ),
        Planned("mariadb1011_noschema", server="mariadb", config=_TRUNCATIONS),
    ),
    "debezium36": (*_connector(_WIDE), Planned("mysql97_vector", workload="extra_vector.sql", config=_BARE)),
}
"""By producer, which is the folder of its recordings below `fixtures/recorded`."""


def planned_of(producer: str, names: frozenset[str] = frozenset()) -> tuple[Planned, ...]:
    """The recordings of a producer, or only those in `names`."""
    return tuple(planned for planned in MATRIX[producer] if not names or planned.name in names)
