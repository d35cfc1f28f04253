"""The styles of Debezium JSON: a row for each profile, and named defects as changes of a row.

The profile `doc` follows the document where it decides a point. The document shows watermarks, which need the
extension, with a source schema that does not declare `commit_ts` and `cluster_id`, so `doc` omits the two. It says that
`comment` is the comment of the column, so `doc` writes it for columns that the statement defines, too. The document is
silent on virtual generated columns, on keys over them and on defaults in place of NULL; there it writes as `newarch`.
The order of members differs between the document's examples and is not taken as a rule.

A NULL is replaced by the column's default in every style, since that is what the imitated connector does.  [DBZ-160]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile

__all__ = ["DEFECTS", "STYLES", "Style", "style_of"]


@dataclass(frozen=True, slots=True)
class Style:
    """The style of a producer; the fields of the last block are defects, which are off in every profile."""

    ddl: bool  # DDL statements have messages  [DBZ-001a]
    watermarks: bool  # with the extension, watermarks have messages  [DBZ-012]
    tidb_type: bool  # with the extension, column schemas have `tidb_type`  [DBZ-150]
    declares_commit: bool  # with the extension, the source schema has `commit_ts` and `cluster_id`  [DBZ-052c]
    start_ts: bool  # the option for `start_ts` is known  [DBZ-821]
    virtual_last: bool  # virtual generated columns stand in the schema after all others  [DBZ-824]
    virtual_handle_key: bool  # a unique key with a virtual generated column may be the handle key  [DBZ-823]
    float_default_bits: int  # width of a FLOAT default in place of NULL  [DBZ-834]
    defined_comment: bool  # a column defined by the statement has its `comment`  [DBZ-331, DBZ-333]

    virtual_twice: bool = False  # the schema declares virtual generated columns twice
    doubled_binary_default: bool = False  # a binary default in place of NULL is two members: base64, and plain text
    year_default_as_text: bool = False  # a YEAR default in place of NULL is a string
    time_default_as_zero: bool = False  # a TIME default in place of NULL is 0
    large_default_as_zero: bool = False  # a default above 2**63 - 1 in place of NULL is 0
    shifted_timestamp_default: bool = False  # a TIMESTAMP default in place of NULL is shifted by the time zone
    early_timestamp_as_zero: bool = False  # a TIMESTAMP with an early wall clock counts as zero, whatever its instant
    raw_invalid_utf8: bool = False  # bytes that are not UTF-8 are written unchanged


_NEWARCH = Style(
    ddl=True,
    watermarks=True,
    tidb_type=True,
    declares_commit=True,
    start_ts=True,
    virtual_last=False,
    virtual_handle_key=True,
    float_default_bits=32,
    defined_comment=False,
)

STYLES: Mapping[str, Style] = {
    NEWARCH.name: _NEWARCH,
    CLASSIC.name: Style(
        ddl=False,
        watermarks=False,
        tidb_type=False,
        declares_commit=False,
        start_ts=False,
        virtual_last=True,
        virtual_handle_key=False,
        float_default_bits=64,
        defined_comment=False,
    ),
    DOC.name: replace(_NEWARCH, declares_commit=False, defined_comment=True),
}

DEFECTS: Mapping[str, Mapping[str, Any]] = {
    "debezium/doubled-binary-default": {"doubled_binary_default": True},
    "debezium/doubled-virtual-column": {"virtual_twice": True},
    "debezium/early-timestamp-as-zero": {"early_timestamp_as_zero": True},
    "debezium/large-default-as-zero": {"large_default_as_zero": True},
    "debezium/raw-invalid-utf8": {"raw_invalid_utf8": True},
    "debezium/shifted-timestamp-default": {"shifted_timestamp_default": True},
    "debezium/time-default-as-zero": {"time_default_as_zero": True},
    "debezium/year-default-as-text": {"year_default_as_text": True},
}


def style_of(profile: Profile, defects: Iterable[str] = ()) -> Style:
    """The style of a profile with the `defects` of this protocol.

    Defects of other protocols are ignored.
    """
    changes: dict[str, Any] = {}
    for defect in sorted(defects):
        changes |= DEFECTS.get(defect, {})
    return replace(STYLES[profile.name], **changes)
