"""The traits of each version of the connector, as rows of a table.  [DBZ-700 … DBZ-709]"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

__all__ = ["VERSIONS", "Version"]


@dataclass(frozen=True, slots=True)
class Version:
    """One version.

    text: `source.version`.
    marks: `allowed` of the snapshot mark.
    fine_times: `ts_us` and `ts_ns` stand beside `ts_ms`, and `source.ts_ms` has milliseconds.  [DBZ-700]
    transaction_first: `transaction` stands before `op`.
    envelope: the version of the envelope's schema.  [DBZ-701]
    source: the version of the source's schema, None for none.  [DBZ-703]
    context_headers: every record has connector, task and run in its headers.
    negative_times: a negative TIME is read right.  [DBZ-222, DBZ-242]
    zero_timestamps: a zero TIMESTAMP is an epoch text, not NULL.  [DBZ-706]
    wide_integers: `INTEGER UNSIGNED` has 64 bits, as `INT UNSIGNED` has.  [DBZ-707]
    edits_in_place: CHANGE and MODIFY keep NOT NULL, the length and AUTO_INCREMENT unless they state another.
    year_zero: what year 0 becomes in a snapshot, of a DATE and of a DATETIME; None is NULL.
    literal_defaults: hexadecimal and bit literals, and digits of a BIT, are defaults, if garbled ones.  [DBZ-240]
    vectors: VECTOR columns are understood.  [DBZ-704]
    silent_statements: statements that leave tables as they are have no record.
    newer_parser: in records of statements ON UPDATE is seen behind DEFAULT CURRENT_TIMESTAMP too, BIT has the length 1,
        and CONVERT TO CHARACTER SET counts; in defaults between double quotes single ones are doubled.
        [DBZ-355, DBZ-358]
    """

    text: str
    marks: str
    fine_times: bool
    transaction_first: bool
    envelope: int
    source: int | None
    context_headers: bool
    negative_times: bool
    zero_timestamps: bool
    wide_integers: bool
    edits_in_place: bool
    year_zero: tuple[str, str] | None
    literal_defaults: bool
    vectors: bool
    silent_statements: bool
    newer_parser: bool


_LONG_MARKS = "true,first,first_in_data_collection,last_in_data_collection,last,false,incremental"

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
    edits_in_place=True,
    year_zero=None,
    literal_defaults=False,
    vectors=False,
    silent_statements=False,
    newer_parser=False,
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
    edits_in_place=False,
    year_zero=("2000", "2001"),
    literal_defaults=True,
    vectors=True,
    silent_statements=True,
    newer_parser=True,
)

# By the names of the option; the first is the default.
VERSIONS: Mapping[str, Version] = {
    "2.4.0": _OLD,
    "3.0.7": replace(
        _NEW,
        text="3.0.7.Final",
        source=None,
        context_headers=False,
        zero_timestamps=True,
        wide_integers=False,
        silent_statements=False,
    ),
    "3.6.1": _NEW,
    "3.6.3": replace(_NEW, text="3.6.3.Final"),
}
