"""The traits of each version of the connector, as rows of a table.  [DBZ-700 … DBZ-709]"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto

__all__ = ["VERSIONS", "Kept", "Version"]


class Kept(Enum):
    """A part of a column's earlier definition that may stay when a statement defines the column anew."""

    NAME = auto()  # the letter case of the name
    NOT_NULL = auto()
    SIZE = auto()
    AUTO_INCREMENT = auto()
    ON_UPDATE = auto()


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the connector: where its records differ from those of other versions."""

    text: str  # `source.version`
    marks: str  # `allowed` in the schema of the snapshot mark
    fine_times: bool  # `ts_us` and `ts_ns` follow `ts_ms`, and `source.ts_ms` has milliseconds  [DBZ-700]
    transaction_first: bool  # `transaction` precedes `op`
    envelope: int  # the version of the envelope's schema  [DBZ-701]
    source: int | None  # the version of the source's schema; None for no version  [DBZ-703]
    context_headers: bool  # records, except those of transactions, have connector, task and run in their headers
    negative_times: bool  # the connector reads a negative TIME correctly  [DBZ-222, DBZ-242]
    zero_timestamps: bool  # a zero TIMESTAMP is written as the epoch; otherwise as NULL  [DBZ-706]
    wide_integers: bool  # `INTEGER UNSIGNED` has 64 bits, as `INT UNSIGNED` has  [DBZ-707]
    modify_keeps: frozenset[Kept]  # what MODIFY leaves of the earlier definition, unless it declares something else
    change_keeps: frozenset[Kept]  # the same for CHANGE
    date_year_zero: str | None  # the year that a snapshot reads for the year 0 of a DATE; None: it reads NULL
    datetime_year_zero: str | None  # the same for the year 0 of a DATETIME
    literal_defaults: bool  # hexadecimal literals and `0b…` count as defaults, even if garbled  [DBZ-240]
    silent_statements: bool  # statements that change no table have no record
    # The newer parser of statements doubles single quotes in a default between double quotes. It also understands ON
    # UPDATE after DEFAULT CURRENT_TIMESTAMP, LOCALTIME, the charset of a literal, CONVERT TO CHARACTER SET, and COLLATE
    # wherever it stands; but no UNIQUE in a column of an ALTER TABLE.  [DBZ-355, DBZ-358]
    newer_parser: bool
    executed_release: int  # the newest release of MySQL whose comments `/*!80000 … */` count; -1: none  [DBZ-350]
    unknown_words: frozenset[str]  # types and attributes of columns at which the parser fails  [DBZ-350, DBZ-704]
    reserved: frozenset[str]  # words that servers take for names without quotes, and the parser does not  [DBZ-350]
    sized_bits: bool  # the parser knows that BIT has the length 1  [DBZ-355]
    vector_length: int | None  # that of a VECTOR without one, if the parser knows it  [DBZ-355]
    # The parser knows RENAME TABLES and DROP TABLES; otherwise such a statement has a record without tables.
    plural_tables: bool
    secondary_engines: bool  # the parser knows SECONDARY_ENGINE among the options of a table  [DBZ-350]
    mariadb_grammar: bool  # the parser knows most of MariaDB's WAIT, IF EXISTS, OR REPLACE and IGNORE  [DBZ-350]


_LONG_MARKS = "true,first,first_in_data_collection,last_in_data_collection,last,false,incremental"

_UNKNOWN = frozenset({"COMPRESSED", "COLUMN_FORMAT COMPRESSED", "AS ROW", "WITH SYSTEM", "WITHOUT SYSTEM"})
_UNKNOWN_TO_OLDER_PARSER = _UNKNOWN | {
    *("ENGINE_ATTRIBUTE", "SECONDARY_ENGINE_ATTRIBUTE", "NOT SECONDARY"),
    *("DEFAULT DATE", "DEFAULT TIME", "DEFAULT TIMESTAMP", "ASCII", "BYTE", "UNICODE"),
    *("VARCHARACTER", "NATIONAL VARCHARACTER", "LONG VARCHARACTER", "LONG CHAR VARYING", "LONG CHARACTER VARYING"),
    "SRID",  # elsewhere than right after the type
}

# MySQL reserves these too, MariaDB does not.
_RESERVED = frozenset({"GENERATED", "GET", "STORED"})
_RESERVED_BY_OLDER_PARSER = _RESERVED | {
    *("ALWAYS", "CAST", "EXTRACT", "FOLLOWING", "GEOMCOLLECTION", "HISTOGRAM", "NVARCHAR", "PAGE_COMPRESSED"),
    *("PAGE_COMPRESSION_LEVEL", "PRECEDING", "RETAIN"),
}
_RESERVED_BY_NEWER_PARSER = _RESERVED | {
    *("AUTO", "ENGINE_ATTRIBUTE", "OFFLINE", "ONLINE", "URL", "VECTOR"),
    # MySQL reserves these too, MariaDB does not.
    *("CUBE", "EMPTY", "FUNCTION", "GROUPING", "GROUPS", "LATERAL", "MANUAL", "OF", "PARALLEL", "QUALIFY", "ROW"),
    *("SYSTEM", "TABLESAMPLE", "VIRTUAL"),
}

_OLD = Version(
    text="2.4.0.Final",
    marks="true,last,false,incremental",
    fine_times=False,
    transaction_first=False,
    envelope=1,
    source=None,
    context_headers=False,
    negative_times=False,
    zero_timestamps=True,
    wide_integers=False,
    modify_keeps=frozenset({Kept.NAME, Kept.NOT_NULL, Kept.SIZE, Kept.AUTO_INCREMENT}),
    change_keeps=frozenset({Kept.NOT_NULL, Kept.SIZE, Kept.AUTO_INCREMENT}),
    date_year_zero=None,
    datetime_year_zero=None,
    literal_defaults=False,
    silent_statements=False,
    newer_parser=False,
    executed_release=-1,
    unknown_words=_UNKNOWN_TO_OLDER_PARSER | {"VECTOR"},
    reserved=_RESERVED_BY_OLDER_PARSER | {"RETURNING", "YES"},
    sized_bits=False,
    vector_length=None,
    plural_tables=False,
    secondary_engines=False,
    mariadb_grammar=True,
)
_NEW = Version(
    text="3.6.1.Final",
    marks=_LONG_MARKS,
    fine_times=True,
    transaction_first=True,
    envelope=2,
    source=1,
    context_headers=True,
    negative_times=True,
    zero_timestamps=False,
    wide_integers=True,
    modify_keeps=frozenset(),
    change_keeps=frozenset({Kept.AUTO_INCREMENT, Kept.ON_UPDATE}),
    date_year_zero="2000",
    datetime_year_zero="2001",
    literal_defaults=True,
    silent_statements=True,
    newer_parser=True,
    executed_release=80200,
    unknown_words=_UNKNOWN | {"PERSISTENT"},
    reserved=_RESERVED_BY_NEWER_PARSER,
    sized_bits=True,
    vector_length=None,
    plural_tables=True,
    secondary_engines=True,
    mariadb_grammar=False,
)

# By the values of the option `version`; the first is the default.
VERSIONS: Mapping[str, Version] = {
    "2.4.0": _OLD,
    "3.0.7": replace(
        _NEW,
        text="3.0.7.Final",
        source=None,
        context_headers=False,
        zero_timestamps=True,
        wide_integers=False,
        literal_defaults=False,
        silent_statements=False,
        newer_parser=False,
        executed_release=-1,
        unknown_words=_UNKNOWN_TO_OLDER_PARSER,
        reserved=_RESERVED_BY_OLDER_PARSER | {"AUTO", "SECONDARY_ENGINE", "SYSTEM_TIME", "VECTOR"},
        vector_length=2048,
        plural_tables=False,
        mariadb_grammar=True,
        change_keeps=frozenset({Kept.NOT_NULL, Kept.AUTO_INCREMENT}),
    ),
    "3.6.1": _NEW,
    "3.6.3": replace(_NEW, text="3.6.3.Final"),
}
