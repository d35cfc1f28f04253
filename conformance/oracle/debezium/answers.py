"""Rules of an encoder's answer as a whole, and of records before they are taken apart.  [DBZ-001a, DBZ-010, DBZ-038]"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.oracle.conditions import all_of, apart_from, no, option, role, shows
from conformance.oracle.counts import MESSAGES, are_splits, differences, extra_kinds, lost_kinds, read_of, unread
from conformance.oracle.debezium.expected_events import SILENT, deliveries
from conformance.oracle.debezium.reading import COMPRESSION, NO_VALUE
from conformance.oracle.rules import Condition, Place, Row, Rule, ranked
from conformance.oracle.tree import Kind
from reference_impl.keys import key_columns
from reference_impl.model import DdlEvent, RowChange, Watermark

__all__ = ["answer_rules"]

_ALL = frozenset(Kind) - {Kind.ORDER, Kind.TEXT, Kind.CLASS}
_COUNTED = frozenset({Kind.COUNT, Kind.REFUSED, Kind.ACCEPTED})
_ORDER = frozenset({Kind.ORDER})

_DEFAULT_LIMIT = "10485760"

# -- what a case has -----------------------------------------------------------------------------------------------


def _rows(place: Place) -> int:
    return sum(isinstance(event, RowChange) for event in place.case.events)


def _watermarks(place: Place) -> int:
    return sum(isinstance(event, Watermark) for event in place.case.events)


def _key_changes(place: Place) -> int:
    """How many updates change a column of the key that their table has by then."""
    tables = {table.id: table for table in place.case.tables}
    found = 0
    for event in place.case.events:
        if isinstance(event, DdlEvent):
            tables.update((t.id, t) for t in (event.table_after, *event.other_tables) if t is not None)
        elif isinstance(event, RowChange) and event.op == "update" and (event.schema, event.table) in tables:
            before, after = event.before or {}, event.after or {}
            key = key_columns(tables[event.schema, event.table])
            found += any(before.get(name) != after.get(name) for name in key)
    return found


def _deletes(place: Place) -> int:
    """How many messages are deletes, halves of split updates included."""
    sent = deliveries(place.case, place.options, place.profile)
    return sum(isinstance(d.event, RowChange) and d.event.op == "delete" for d in sent)


def _statements(place: Place) -> int:
    """How many different DDL messages there are."""
    sent = deliveries(place.case, place.options, place.profile)
    return sum(isinstance(d.event, DdlEvent) and not d.partition for d in sent)


def _unsent(place: Place) -> int:
    """How many statements have no message."""
    return max(0, sum(isinstance(event, DdlEvent) for event in place.case.events) - _statements(place))


def _partitions(place: Place) -> int:
    return place.case.settings.partitions


def _some(count: Callable[[Place], int]) -> Condition:
    return lambda place: count(place) > 0


def _more(place: Place) -> int:
    """How many messages there are too many; 0 where the answer is none."""
    expected, got = place.expected, place.got
    return got - expected if isinstance(expected, int) and isinstance(got, int) else 0


def _more_by(count: Callable[[Place], int]) -> Condition:
    """Each of so many things once too often, or once in every partition."""
    return lambda place: _more(place) > 0 and _more(place) in (count(place), count(place) * _partitions(place))


def _fewer_by(count: Callable[[Place], int]) -> Condition:
    """Each of so many things is missing, with all copies."""
    return lambda place: 0 < -_more(place) == count(place) * _partitions(place)


def _lacks_copies(count: Callable[[Place], int]) -> Condition:
    """So many messages are missing that each of so many things may still be there once."""
    return lambda place: 0 < -_more(place) <= count(place) * (_partitions(place) - 1)


# -- what the messages show ----------------------------------------------------------------------------------------


def _payload(message: Any, part: str = "value") -> Any:
    tree = message.get(part)
    payload = tree.get("payload") if isinstance(tree, dict) else None
    return payload if isinstance(payload, dict) else {}


def _kind(message: Any) -> str:
    payload = _payload(message)
    if "ddl" in payload:
        return "ddl"
    return "watermark" if payload.get("op") == "m" else "row"


def _origin(message: Any) -> list[Any]:
    """Table and commit time stamp."""
    source = _payload(message).get("source")
    return [source.get(name) for name in ("db", "table", "commit_ts")] if isinstance(source, dict) else []


def _identity(message: Any) -> Any:
    """The identity of a message: everything but its style."""
    payload = _payload(message)
    change = [payload.get(name) for name in ("op", "before", "after", "ddl")]
    return [change, _origin(message), _payload(message, "key")]


def _are_splits(place: Place, split: int) -> bool:
    """Updates of keys are in halves on one side, 0 the expected and 1 the answered, and whole on the other."""

    def is_whole(delete: Any, insert: Any, update: Any) -> bool:
        if [_payload(m).get("op") for m in (delete, insert, update)] != ["d", "c", "u"]:
            return False
        old, given = _payload(delete).get("before"), _payload(update).get("before")
        keys = [_payload(half, "key") for half in (delete, insert)]
        return (
            _origin(delete) == _origin(insert) == _origin(update)
            and _payload(insert).get("after") == _payload(update).get("after")
            # Without the row before it, an update under another key says nothing of the row that is gone: that is lost.
            and (given == old or (given is None and (split == 1 or keys[0] == keys[1])))
            and _payload(update, "key") in keys
        )

    sides = read_of(place.tree), read_of(place.given)
    most = _key_changes(place)
    return not unread(place) and are_splits(sides[split], sides[1 - split], _identity, is_whole, most)


def _are_tombstones(place: Place) -> bool:
    """All that is too much are records without a value, each of them behind a delete."""
    if any(differences(place, _identity)):
        return False
    answered = list(place.given[MESSAGES])
    return all(
        message == NO_VALUE and not isinstance(last, str) and _payload(last).get("op") == "d"
        for last, message in zip([NO_VALUE, *answered], answered, strict=False)
        if isinstance(message, str)
    )


def _has_every_watermark(place: Place) -> bool:
    """Every watermark is there, in some partition."""
    expected, got = (
        {str(_origin(m)) for m in read_of(side) if _kind(m) == "watermark"} for side in (place.tree, place.given)
    )
    return expected == got


_less_watermarks, _more_watermarks = lost_kinds(_kind, "watermark"), extra_kinds(_kind, "watermark")
_less_statements, _more_statements = lost_kinds(_kind, "ddl"), extra_kinds(_kind, "ddl")


def _is_refused(place: Place) -> bool:
    return not isinstance(place.got, int)


def _is_limited(place: Place) -> bool:
    return place.case.options.get("max-message-bytes", _DEFAULT_LIMIT) != _DEFAULT_LIMIT


def _is_silent(place: Place) -> bool:
    return place.profile.name in SILENT


def _extension_named(place: Place) -> bool:
    return "enable-tidb-extension" in place.case.options


_extension, _raw = option("enable_tidb_extension"), option("output_raw_change_event")
_splits = all_of(no(_raw), _some(_key_changes))


def _unsent_by_classic(place: Place) -> int:
    """What a writer without DDL messages and watermarks leaves out."""
    marks = _watermarks(place) if place.options.enable_tidb_extension else 0
    return marks + sum(isinstance(event, DdlEvent) for event in place.case.events)


_silent, _marked = no(_is_silent), all_of(_extension, _some(_watermarks))
_mark_copies = all_of(_lacks_copies(_watermarks), _less_watermarks, _has_every_watermark)
_statement_copies = all_of(_lacks_copies(_statements), _less_statements)
_no_marks = all_of(_fewer_by(_watermarks), _less_watermarks)
_no_statements = all_of(_fewer_by(_statements), _less_statements)
_unasked = all_of(_more_by(_watermarks), _more_watermarks)
_sent, _unsent_there = all_of(_silent, _some(_statements)), all_of(_silent, _some(_unsent))

# What is too much or too little, where the numbers and kinds of the messages show it.
_NAMED: tuple[Row, ...] = (
    ("DBZ-038", all_of(_splits, shows(lambda place: _are_splits(place, 0)))),
    ("DBZ-038a", all_of(_raw, _some(_key_changes), shows(lambda place: _are_splits(place, 1)))),
    ("DBZ-010b", all_of(_some(_deletes), shows(all_of(lambda place: _more(place) > 0, _are_tombstones)))),
    ("DBZ-001a", all_of(_is_silent, _some(_unsent_by_classic), shows(extra_kinds(_kind, "ddl", "watermark")))),
    ("DBZ-400", all_of(_marked, shows(_no_marks))),
    ("DBZ-403", all_of(_marked, shows(all_of(_mark_copies, no(_no_marks))))),
    ("DBZ-400a", all_of(no(_extension), _some(_watermarks), shows(all_of(_extension_named, _unasked)))),
    ("DBZ-012", all_of(no(_extension_named), _some(_watermarks), shows(_unasked))),
    ("DBZ-300e", all_of(_sent, shows(_no_statements))),
    ("DBZ-303", all_of(_sent, shows(all_of(_statement_copies, no(_no_statements))))),
    ("DBZ-300d", all_of(_unsent_there, shows(all_of(_more_by(_unsent), _more_statements)))),
    ("DBZ-015a", all_of(_is_limited, shows(_is_refused))),
    ("DBZ-400", all_of(_marked, shows(all_of(_less_watermarks, no(_mark_copies))))),
    ("DBZ-300e", all_of(_sent, shows(all_of(_less_statements, no(_statement_copies))))),
)
_refused = shows(all_of(_is_refused, no(_is_limited)))
_OF_KINDS: tuple[Row, ...] = (
    ("DBZ-010", all_of(_some(_rows), _refused)),
    ("DBZ-300e", all_of(_sent, _refused)),
    ("DBZ-400", all_of(_marked, _silent, _refused)),
)
_COUNTS: tuple[Row, ...] = (
    *_NAMED,
    ("DBZ-453", all_of(shows(no(_is_refused)), apart_from(*_NAMED))),
    *_OF_KINDS,
    ("DBZ-040", all_of(_refused, apart_from(*_OF_KINDS))),
)


def _fault(phrase: str) -> Condition:
    """The record was not readable, for that reason."""
    return lambda place: isinstance(place.got, str) and place.got.startswith(phrase)


def answer_rules() -> Iterator[Rule]:
    """Every rule of what an encoder answers, the messages themselves apart."""
    counts = ((requirement, all_of(role("encode"), condition)) for requirement, condition in _COUNTS)
    yield from ranked("answer", _COUNTED, *counts)
    yield Rule("DBZ-039b", "answer", role("encode"), _ORDER)
    compressing = no(option("large_message_handle_compression", "none"))
    yield Rule("DBZ-010b", "frame", _fault(NO_VALUE), _ALL - {Kind.MISSING})
    yield Rule("DBZ-016", "frame", _fault(COMPRESSION), _ALL)
    yield Rule("DBZ-016", "frame.compression", compressing, _ALL)
    yield Rule("DBZ-023", "frame.headers", kinds=_ALL)
    yield Rule("DBZ-023", "frame.headers[]", kinds=_ALL)
    for at in ("key", "value"):
        yield Rule("DBZ-010a", at, kinds=_ALL - {Kind.DOUBLED, Kind.EXTRA})
        yield Rule("DBZ-040b", at, kinds=frozenset({Kind.DOUBLED}))
        yield Rule("DBZ-040a", at, kinds=frozenset({Kind.EXTRA}))
        yield Rule("DBZ-040a", f"{at}.*", kinds=frozenset({Kind.EXTRA}))
        yield Rule("DBZ-040", f"{at}.*", kinds=_ALL - {Kind.EXTRA})
        yield Rule("DBZ-021", at, kinds=_ORDER)
    yield Rule("DBZ-040", "claim", kinds=_ALL)
