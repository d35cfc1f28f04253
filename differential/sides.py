"""A side of the comparison: its dialect, its configuration, and the traits of the dialect.

The table `DIALECT_TRAITS` is the only place in the comparison that names dialects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from differential.window import Window
from reference_impl.compression import DECOMPRESSED_LIMIT
from reference_impl.keys import handle_key, key_columns
from reference_impl.model import Table
from reference_impl.options import parse
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.protocols import (
    AVRO,
    CANAL,
    CANAL_JSON,
    CONNECTOR,
    DEBEZIUM,
    DIALECTS,
    OPEN_PROTOCOL,
    Decoder,
    Dialect,
    Encoder,
    Rows,
)
from reference_impl.settings import Settings
from reference_impl.upstream.debezium.position import connector_name

__all__ = ["DIALECT_TRAITS", "TABLE_CHANGES", "DialectTraits", "Side", "codec_of", "with_common_keys"]


@dataclass(frozen=True, slots=True)
class DialectTraits:
    """The traits of a dialect's messages that matter to a comparison."""

    # Paths of members with the producer's place and time, which are not compared.
    positional: frozenset[tuple[str, ...]] = frozenset()
    # Positional members that follow from TiDB's commit time stamp: they are compared if a message has one.
    from_commit_ts: frozenset[tuple[str, ...]] = frozenset()
    # One of TiCDC's dialects: its messages have TiDB's commit time stamps.
    is_of_ticdc: bool = False
    # In the `source` of a decoded change, the path to the change's time in the binary log.
    time_path: tuple[str, ...] = ()
    # In the same `source`, the paths to the name of the transaction; the first that is not empty counts.
    transaction_paths: tuple[tuple[str, ...], ...] = ()
    # The member with the time of a message whose event has no commit time stamp.
    time_member: str = ""
    # The dialect writes the beginning of 1970 for the zero TIMESTAMP, and the default of a column for NULL.
    writes_stand_ins: bool = False
    # Dialects of one family describe column types, and kinds of statements, in the same members.
    family: str = ""
    # The member with the kind of a statement.
    kind_member: str = ""
    # The members of a DDL message that name the schema and the table of its statement.
    name_members: tuple[str, ...] = ()
    # Statements have a topic of their own, whose name has no dot.
    has_statement_topic: bool = False
    # A DDL message is sent to every partition of its topic.
    broadcasts: bool = False
    # The message of a delete has the key of the row, perhaps without its other columns.
    deletes_by_key: bool = False
    # Options with values; each of these settings leaves only the key in a delete.
    key_delete_options: tuple[tuple[str, str], ...] = ()
    # The option without which the message of an update lacks the row before it.
    before_image_option: str = ""
    # The option without which inserts and updates look alike.
    operation_option: str = ""
    # The option without which a message has no commit time.
    commit_time_option: str = ""
    # The option, and its value, without which rows lack columns.
    whole_row_option: tuple[str, str] = ("", "")
    # The prefix of topics that hold only heartbeats.
    heartbeat_prefix: str = ""
    # The key that the producer assumes after a primary key was dropped: the one `declared` with a column, `none`, or ""
    # if it knows the new key.
    dropped_key: str = ""
    # The producer does not escape the names of columns inside JSON values.
    has_raw_names: bool = False
    # Records have no Kafka key.
    has_no_record_key: bool = False
    # Messages have their place in the binary log, and a delete may be followed by a tombstone.
    has_log_positions: bool = False
    # The option for schemas in messages, its value without them, and its value with them.
    schema_option: tuple[str, str, str] | None = None
    # A member of all messages, and the option without which no message has it.
    optional_member: tuple[str, str] | None = None
    # The option that determines `source.name`, the name by the settings, and the form of the option's value.
    source_name: tuple[str, Callable[[Settings], str], str] | None = None


TABLE_CHANGES = "tableChanges"
"""The member of a DDL message with the tables after the statement."""
_DELETES_BY_KEY = ("delete-only-output-handle-key-columns", "true")

_TIMES = ("ts_ms", "ts_us", "ts_ns")
_CONNECTOR_TIMES = {("payload", name) for name in (*_TIMES, "transaction")} | {
    ("payload", "source", name) for name in (*_TIMES, "gtid", "file", "pos", "row", "thread", "server_id", "snapshot")
}
_TICDC_TIMES = {("payload", "ts_ms")} | {("payload", "source", name) for name in ("ts_ms", "commit_ts", "start_ts")}

DIALECT_TRAITS: Rows[DialectTraits] = Rows(
    {
        CANAL_JSON: DialectTraits(
            frozenset({("id",), ("es",), ("ts",), ("_tidb", "commitTs"), ("_tidb", "rowkey")}),
            from_commit_ts=frozenset({("es",)}),
            is_of_ticdc=True,
            time_member="es",
            family=CANAL.name,
            name_members=("database", "table"),
            key_delete_options=(_DELETES_BY_KEY,),
            kind_member="type",
            optional_member=("_tidb", "enable-tidb-extension"),
        ),
        CANAL: DialectTraits(
            frozenset({("id",), ("es",), ("ts",), ("gtid",)}),
            time_path=("es",),
            transaction_paths=(("gtid",),),
            family=CANAL.name,
            name_members=("database", "table"),
            kind_member="type",
            whole_row_option=("binlog_row_image", "FULL"),
            dropped_key="declared",
            has_raw_names=True,
            has_no_record_key=True,
        ),
        DEBEZIUM: DialectTraits(
            frozenset(_TICDC_TIMES),
            from_commit_ts=frozenset({("payload", "source", "ts_ms")}),
            is_of_ticdc=True,
            writes_stand_ins=True,
            family=CONNECTOR.name,
            name_members=("source.db", "source.table", f"{TABLE_CHANGES}.id"),
            kind_member=TABLE_CHANGES,
            broadcasts=True,
            before_image_option="debezium-output-old-value",
            schema_option=("debezium-disable-schema", "true", "false"),
            source_name=("cluster_id", lambda settings: settings.cluster_id, "{}"),
        ),
        CONNECTOR: DialectTraits(
            frozenset(_CONNECTOR_TIMES | {path[1:] for path in _CONNECTOR_TIMES}),
            time_path=("source", "ts_ms"),
            transaction_paths=(("source", "gtid"), ("transaction",)),
            writes_stand_ins=True,
            family=CONNECTOR.name,
            name_members=("source.db", "source.table", f"{TABLE_CHANGES}.id"),
            kind_member=TABLE_CHANGES,
            heartbeat_prefix="__debezium-heartbeat",
            has_log_positions=True,
            dropped_key="none",
            schema_option=("schemas.enable", "false", "true"),
            has_statement_topic=True,
            source_name=("topic", connector_name, "{}.{{schema}}.{{table}}"),
        ),
        OPEN_PROTOCOL: DialectTraits(
            is_of_ticdc=True,
            family=OPEN_PROTOCOL.name,
            name_members=("scm", "tbl"),
            kind_member="t",
            broadcasts=True,
            key_delete_options=(_DELETES_BY_KEY, ("open-output-old-value", "false")),
            before_image_option="open-output-old-value",
            operation_option="open-output-old-value",
        ),
        AVRO: DialectTraits(
            is_of_ticdc=True,
            family=AVRO.name,
            name_members=("schema", "table"),
            kind_member="type",
            broadcasts=True,
            deletes_by_key=True,
            before_image_option="avro-include-before-value",
            operation_option="enable-tidb-extension",
            commit_time_option="enable-tidb-extension",
        ),
    }
)


def codec_of(dialect: str) -> Dialect:
    """The reference codec of a dialect, TiCDC's or upstream's.

    Raises KeyError for an unknown name.
    """
    return DIALECTS[dialect]


@dataclass(frozen=True, slots=True)
class Side:
    """One stream of a comparison, with the configuration of its producer."""

    name: str  # `left`, `right` or `third`
    dialect: str
    options: Mapping[str, str] = field(default_factory=dict)  # those that are given; `every_option` adds the defaults
    profile: Profile = NEWARCH
    settings: Settings = field(default_factory=Settings)
    tables: tuple[Table, ...] = ()  # all versions of the compared tables
    window: Window | None = None  # only changes in this window take part
    # By table, the columns that form the key of its changes; the handle key of each version if the table is absent.
    keys: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    at_least_once: bool = False  # the producer may send a message again

    @property
    def traits(self) -> DialectTraits:
        """The traits of the dialect."""
        return DIALECT_TRAITS[self.dialect]

    def every_option(self) -> dict[str, str]:
        """Every option of the dialect, as a string: the given value or the default."""
        defaults = {f.metadata["name"]: f.default for f in fields(codec_of(self.dialect).options)}
        texts = {name: str(v).lower() if isinstance(v, bool) else str(v) for name, v in defaults.items()}
        return texts | dict(self.options)

    @property
    def compression(self) -> str:
        """How messages are compressed one by one: `none`, `lz4` or `snappy`."""
        return self.every_option().get("large-message-handle-compression", "none")

    @property
    def largest(self) -> int:
        """The size limit of a decompressed message, in bytes."""
        return max(DECOMPRESSED_LIMIT, int(self.every_option().get("max-message-bytes", "0")))

    @property
    def has_before_images(self) -> bool:
        """Whether updates have the row before them."""
        option = self.traits.before_image_option
        return not option or self.every_option()[option] == "true"

    @property
    def tables_with_new_rows_only(self) -> frozenset[tuple[str, str]]:
        """The tables whose updates may change the key, although their messages have only the new row."""
        if self.has_before_images:
            return frozenset()
        raw = self.every_option().get("output-raw-change-event") == "true"
        whole = {table.id for table in self.tables if not raw and key_columns(table)}
        return frozenset(table.id for table in self.tables if table.id not in whole)

    @property
    def has_operations(self) -> bool:
        """Whether messages distinguish inserts from updates."""
        option = self.traits.operation_option
        return not option or self.every_option()[option] == "true"

    @property
    def deletes_by_key(self) -> bool:
        """Whether a delete may have only the key of its row."""
        options, traits = self.every_option(), self.traits
        return traits.deletes_by_key or any(options[option] == value for option, value in traits.key_delete_options)

    def decoder(self) -> Decoder:
        """The reference decoder.

        Raises `Rejected` or `Unsupported` for options that the dialect does not take.
        """
        codec = codec_of(self.dialect)
        return codec.decoder(parse(codec.options, self.options), settings=self.settings)

    def encoder(self) -> Encoder:
        """The reference encoder of the same configuration, which writes every update as one message."""
        codec = codec_of(self.dialect)
        raw = {"output-raw-change-event": "true"} if self.traits.is_of_ticdc else {}
        return codec.encoder(parse(codec.options, {**self.options, **raw}), self.profile, settings=self.settings)


def with_common_keys(sides: Sequence[Side]) -> list[Side]:
    """The sides, with a common key for tables whose versions have different handle keys.

    A message does not always show the version of its table, so its changes need a key that all versions have. If
    deletes have only the handle key, the sides stay as they are.
    """
    if any(side.deletes_by_key for side in sides):
        return list(sides)
    versions: dict[tuple[str, str], dict[Table, None]] = {}
    for side in sides:
        for table in side.tables:
            versions.setdefault(table.id, {})[table] = None
    keys = {id_: key for id_, tables in versions.items() if (key := _common_key(tables))}
    return [replace(side, keys=keys) for side in sides]


def _common_key(tables: Iterable[Table]) -> tuple[str, ...]:
    """The shortest key that all versions share; empty if they share the handle key, or no key."""
    tables = list(tables)
    if len({handle_key(table) for table in tables}) == 1:
        return ()
    common = frozenset.intersection(*(frozenset(_keys_of(table)) for table in tables))
    return min((tuple(sorted(key)) for key in common), key=lambda key: (len(key), key), default=())


def _keys_of(table: Table) -> Iterable[frozenset[str]]:
    """The columns of the primary key, and of each unique key without nullable columns."""
    if table.primary_key:
        yield frozenset(table.primary_key)
    for key in table.unique_keys:
        columns = [table.column(name) for name in key.columns]
        if all(column is not None and not column.nullable for column in columns):
            yield frozenset(key.columns)
