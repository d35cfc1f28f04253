"""Rules of the record, the envelope and the extension, a line for each requirement and place.  [CJ-010 … CJ-207]"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.oracle.canal_json.places import (
    are_watermarks,
    changed_only,
    expected_in,
    has_key_change,
    has_watermark,
    in_document_order,
    is_split_otherwise,
    lacks_copies,
    reduced_as,
    rounded,
    time_contradicted,
)
from conformance.oracle.canal_json.reading import UNKNOWN
from conformance.oracle.conditions import (
    all_of,
    any_of,
    apart_from,
    encoded_as,
    kind,
    no,
    op,
    option,
    shows,
    written_for,
)
from conformance.oracle.rules import Condition, Place, Rule, absent, always, ranked
from conformance.oracle.tree import MISSING, Kind
from reference_impl.model import DdlEvent

__all__ = ["MEMBERS", "envelope_rules"]

MEMBERS = (
    *("id", "database", "table", "pkNames", "isDdl", "type", "es", "ts", "sql"),
    *("sqlType", "mysqlType", "data", "old"),
)
_ALL = frozenset(Kind) - {Kind.ORDER, Kind.TEXT}
_KIND = frozenset({Kind.JSON_KIND})
_VALUE = frozenset({Kind.VALUE})
_LEAF = _KIND | _VALUE
_GONE = frozenset({Kind.MISSING})
_PRESENCE = frozenset({Kind.MISSING, Kind.EXTRA})
_NOT_GONE = _ALL - _GONE - {Kind.DOUBLED}

_row, _ddl, _watermark = kind("row"), kind("ddl"), kind("watermark")
_extension = option("enable_tidb_extension")
_extension_named: Condition = lambda place: "enable-tidb-extension" in place.case.options  # noqa: E731
_compressed = no(option("large_message_handle_compression", "none"))
_delete_only = option("delete_only_output_handle_key_columns")
_touched = any_of(_delete_only, changed_only)


def _encoding(place: Place) -> bool:
    return place.role == "encode"


def _decoding(place: Place) -> bool:
    return place.role == "decode"


def _has_parts(place: Place) -> bool:
    return isinstance(place.expected, (dict, list))


def _has_partitions(place: Place) -> bool:
    return place.case.settings.partitions > 1


def _answer_rules() -> Iterator[Rule]:
    count, refused = frozenset({Kind.COUNT}), frozenset({Kind.REFUSED})
    read, sent = (
        (
            ("CJ-889", all_of(_decoding, encoded_as("unknown members"))),
            ("CJ-106", all_of(_decoding, _compressed)),
            ("CJ-133", all_of(_decoding, option("large_message_handle_option", "claim-check"))),
        ),
        (("CJ-205", all_of(_encoding, written_for("CJ-205"))), ("CJ-050", all_of(_encoding, has_watermark))),
    )
    required = apart_from(*read, *sent)  # those are no more than a SHOULD
    yield from ranked(
        "answer",
        refused,
        *read,
        ("CJ-882", all_of(_decoding, time_contradicted, required)),
        ("CJ-880", all_of(_decoding, in_document_order, required)),
        ("CJ-801", all_of(_decoding, required)),
        *sent,
        ("CJ-207", all_of(_encoding, required)),
    )
    named = (
        ("CJ-051", all_of(_encoding, _extension, has_watermark, _has_partitions, shows(lacks_copies))),
        ("CJ-050", all_of(_encoding, has_watermark, shows(are_watermarks))),
        ("CJ-109", all_of(_encoding, option("output_raw_change_event"), has_key_change, shows(is_split_otherwise))),
        ("CJ-140", all_of(_encoding, no(option("output_raw_change_event")), has_key_change, shows(is_split_otherwise))),
        ("CJ-890", all_of(_decoding, written_for("CJ-890"))),
    )
    yield from ranked("answer", count, *named, ("CJ-888", apart_from(*named)))
    yield Rule("CJ-666a", "answer", always, frozenset({Kind.ORDER}))


def _frame_rules() -> Iterator[Rule]:
    empty: Condition = lambda place: place.got == ""  # noqa: E731
    yield from ranked("frame.key", _ALL, ("CJ-202", shows(empty)), ("CJ-201", shows(no(empty))))
    yield Rule("CJ-203", "frame.headers", kinds=_ALL)
    yield Rule("CJ-203", "frame.headers[]", kinds=_ALL)
    yield Rule("CJ-106", "frame.compression", _compressed, _ALL)
    yield Rule("CJ-136", "frame", _compressed, _ALL)
    yield Rule("CJ-207", "frame", no(_compressed), _ALL)
    yield Rule("CJ-207", "value", kinds=_LEAF)
    yield Rule(
        "CJ-051a", "record.partition", all_of(_ddl, lambda place: place.expected != UNKNOWN), frozenset({Kind.VALUE})
    )
    yield Rule("CJ-133", "claim", kinds=_ALL)
    yield Rule("CJ-133", "claim.*", kinds=_ALL)
    yield Rule("CJ-134", "claim.location", kinds=_ALL)
    yield Rule("CJ-136", "claim.compression", _compressed, _ALL)


def _order_rules() -> Iterator[Rule]:
    ordered = frozenset({Kind.ORDER})
    doubled = frozenset({Kind.DOUBLED})
    yield Rule("CJ-011", "value", kinds=ordered)
    yield Rule("CJ-041", "value._tidb", kinds=ordered)
    for at in ("value", "value.sqlType", "value.mysqlType", "value.data[]", "value.old[]", "value._tidb"):
        yield Rule("CJ-010b", at, _has_parts, doubled)
    for at in ("value.sqlType", "value.data[]", "value.old[]"):
        yield Rule("CJ-033", at, _has_parts, ordered)


def _member_rules() -> Iterator[Rule]:
    for name in MEMBERS:
        yield Rule("CJ-010", f"value.{name}", kinds=_GONE)
    yield absent("CJ-010a", "value.gtid")
    yield Rule("CJ-010a", "value.*", kinds=frozenset({Kind.EXTRA}))
    yield Rule("CJ-013", "value.id", kinds=_VALUE)
    yield Rule("CJ-014", "value.id", kinds=_KIND)
    for name in ("database", "table"):
        at = f"value.{name}"
        yield Rule("CJ-015", at, _row, _VALUE)
        yield Rule("CJ-623", at, _ddl, _VALUE)
        yield Rule("CJ-052", at, _watermark, _VALUE)
        yield Rule("CJ-010c", at, kinds=_KIND)
    yield Rule("CJ-010d", "value.isDdl", kinds=_VALUE)
    yield Rule("CJ-010c", "value.isDdl", kinds=_KIND)
    yield Rule("CJ-661", "value.ts", kinds=_VALUE)
    yield Rule("CJ-626", "value.es", _ddl, _VALUE)
    yield Rule("CJ-660", "value.es", no(_ddl), _VALUE)
    for name in ("es", "ts"):
        yield Rule("CJ-014", f"value.{name}", kinds=_KIND)
    yield Rule("CJ-620", "value.sql", _ddl, _VALUE)
    yield Rule("CJ-010e", "value.sql", no(_ddl), _VALUE)
    yield Rule("CJ-010c", "value.sql", kinds=_KIND)
    yield Rule("CJ-010c", "value.type", kinds=_KIND)
    yield Rule("CJ-016", "value.type", _row, _VALUE)
    yield Rule("CJ-052", "value.type", _watermark, _VALUE)
    yield from ranked("value.type", _VALUE, *((r, all_of(_ddl, action(*codes))) for r, codes in _DDL_TYPES))
    yield Rule("CJ-609", "value.type", all_of(_ddl, no(action(*_NAMED))), _VALUE)


def action(*codes: int) -> Condition:
    """The DDL event is of one of these TiDB actions."""
    wanted = frozenset(codes)
    return lambda place: isinstance(place.event, DdlEvent) and place.event.action_code in wanted


# TiDB's action codes by the requirement that names their `type`.  [CJ-601 … CJ-610, CJ-627]
_DDL_TYPES: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("CJ-601", (3,)),
    ("CJ-602", (4,)),
    ("CJ-603", (11,)),
    ("CJ-604", (14, 47)),
    ("CJ-605", (7, 9, 32)),
    ("CJ-606", (8, 10, 33)),
    ("CJ-607", (5, 6, 12, 13, 15, 17, 18, 19, 20, 22, 23, 37, 38, 41, 64, 71, 72)),
    ("CJ-608", (1, 21, 24, 25, 26)),
    ("CJ-608a", (2,)),
    ("CJ-610", (60,)),
    ("CJ-627", (61,)),
)
_NAMED = tuple(code for _, codes in _DDL_TYPES for code in codes)


def _key_rules() -> Iterator[Rule]:
    at = "value.pkNames"
    keyed: Condition = all_of(_row, lambda place: place.table is not None and bool(place.table.primary_key))
    keyless: Condition = all_of(_row, lambda place: place.table is not None and not place.table.primary_key)
    yield Rule("CJ-020", at, keyed, _NOT_GONE)
    yield Rule("CJ-021", at, keyless, _NOT_GONE)
    yield Rule("CJ-022", at, no(_row), _NOT_GONE)
    yield from ranked(
        "value.pkNames[]",
        _ALL,
        ("CJ-021", keyless),
        ("CJ-020a", all_of(keyed, shows(_is_permuted))),
        ("CJ-020", all_of(keyed, shows(no(_is_permuted)))),
    )


def _is_permuted(place: Place) -> bool:
    """The key's columns are all there and no other, in another order."""
    given = place.given["value"]["pkNames"]
    return all(isinstance(n, str) for n in given) and sorted(given) == sorted(expected_in(place, "value", "pkNames"))


def _row_member_rules() -> Iterator[Rule]:
    no_columns: Condition = all_of(_row, lambda place: expected_in(place, "value", "sqlType") is None)
    for name in ("sqlType", "mysqlType", "data"):
        yield from ranked(
            f"value.{name}",
            _NOT_GONE,
            ("CJ-052", _watermark),
            ("CJ-628", all_of(_ddl, _touched)),
            ("CJ-010f", all_of(_ddl, shows(no(_touched)))),
            ("CJ-036a" if name == "mysqlType" else "CJ-036", no_columns),
            ("CJ-032" if name == "data" else "CJ-030a", all_of(_row, shows(no(no_columns)))),
        )
    yield from ranked("value.data[]", _ALL, ("CJ-036", no_columns), ("CJ-032", shows(no(no_columns))))
    nothing: Condition = lambda place: expected_in(place, "value", "old") == [{}]  # noqa: E731
    for at in ("value.old", "value.old[]"):
        kinds = _NOT_GONE if at == "value.old" else _ALL
        # These two hold for different releases, so neither may hide the other.
        for requirement in ("CJ-502", "CJ-502b"):
            yield Rule(requirement, at, all_of(op("delete"), no(_delete_only)), kinds)
        yield from ranked(
            at,
            kinds,
            ("CJ-052", _watermark),
            ("CJ-628", all_of(_ddl, _touched)),
            ("CJ-010f", all_of(_ddl, shows(no(_touched)))),
            ("CJ-502a", op("insert")),
            ("CJ-508", all_of(op("delete"), _delete_only)),
            ("CJ-132", reduced_as("CJ-132")),
            ("CJ-505", all_of(op("update"), changed_only, nothing)),
            ("CJ-504", all_of(op("update"), changed_only, shows(no(nothing)))),
            ("CJ-501", all_of(op("update"), shows(no(any_of(changed_only, reduced_as("CJ-132")))))),
        )


def _is_no_exact_integer(place: Place) -> bool:
    """Something is there, but no integer, or one that lost its last digits."""
    got = place.got
    return got is not MISSING and (not isinstance(got, int) or isinstance(got, bool) or rounded(place))


def _extension_rules() -> Iterator[Rule]:
    yield Rule("CJ-040", "value._tidb", all_of(_extension_named, _extension), _ALL)
    yield absent("CJ-040", "value._tidb", all_of(_extension_named, no(_extension)))
    yield absent("CJ-101", "value._tidb", no(_extension_named))
    at = "value._tidb.commitTs"
    commit = all_of(no(_watermark), lambda place: place.expected is not MISSING)
    yield from ranked(at, _ALL, ("CJ-014", all_of(commit, shows(_is_no_exact_integer))), ("CJ-042", commit))
    yield absent("CJ-042", at, no(any_of(_watermark, commit)))
    yield absent("CJ-046", at, _watermark)
    yield Rule("CJ-046", "value._tidb.watermarkTs", _watermark, _VALUE | _PRESENCE)
    yield Rule("CJ-014", "value._tidb.watermarkTs", _watermark, _KIND)
    yield absent("CJ-047", "value._tidb.watermarkTs", no(_watermark))
    yield absent("CJ-047", "value._tidb.tableId", no(_watermark))
    yield Rule("CJ-047", "value._tidb.*", no(_watermark), _ALL)
    yield Rule("CJ-046", "value._tidb.*", _watermark, _ALL)
    at = "value._tidb.onlyHandleKey"
    yield absent("CJ-043", at)
    yield Rule("CJ-043", at, kinds=_LEAF)
    yield Rule("CJ-131", at, kinds=_GONE)
    at = "value._tidb.claimCheckLocation"
    yield absent("CJ-044", at)
    yield Rule("CJ-044", at, kinds=_KIND)
    yield Rule("CJ-134", at, kinds=_VALUE | _GONE)


def envelope_rules() -> Iterator[Rule]:
    """Every rule of answers, records, envelopes and the extension."""
    yield from _answer_rules()
    yield from _frame_rules()
    yield from _order_rules()
    yield from _member_rules()
    yield from _key_rules()
    yield from _row_member_rules()
    yield from _extension_rules()
