"""Rules of what a decoder answers.  [AV-120c, AV-130e … AV-131b, AV-175, AV-200 … AV-207, and values read backwards]"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from conformance.oracle.avro.conditions import control_events, differs, is_stale, renaming, speaking, versions
from conformance.oracle.avro.reading import EXTENSION
from conformance.oracle.avro.values import READ_IDS, value_ids
from conformance.oracle.conditions import all_of, event_op, kind, no, op
from conformance.oracle.counts import extra_kinds, lost_kinds, read_of
from conformance.oracle.rules import Condition, Place, Rule, absent
from conformance.oracle.tree import MISSING, Kind
from reference_impl.model import DdlEvent, Watermark
from reference_impl.names import sanitized

__all__ = ["event_rules"]

_THERE = frozenset({Kind.MISSING, Kind.EXTRA})
_WRONG = frozenset({Kind.VALUE, Kind.JSON_KIND})
_ANY = _THERE | _WRONG
_COUNT, _REFUSED = frozenset({Kind.COUNT}), frozenset({Kind.REFUSED})

_row, _ddl, _watermark = kind("row"), kind("ddl"), kind("watermark")


# -- the answer as a whole ---------------------------------------------------------------------------------------------


def _keyless(place: Place) -> int:
    """How many of the case's records are rows without a key."""
    return sum(r.key is None and r.value is not None and r.value[:1] == b"\0" for r in place.case.records)


def _marked(place: Place) -> int:
    """How many of the case's records are deletes with a time stamp."""
    return sum(r.key is not None and r.value is not None and r.value[:1] == b"\3" for r in place.case.records)


def _rowless_deletes(place: Place) -> int:
    """The number of the case's records that are deletes of rows without a key: no decoder can answer them."""
    return sum(r.key is None and (r.value is None or r.value[:1] == b"\3") for r in place.case.records)


def _deletes(place: Place) -> int:
    return sum(r.key is not None and r.value is None for r in place.case.records)


def _control(first: bytes) -> Condition:
    """One of the case's records has no key, and a value that begins so."""
    return lambda place: any(r.key is None and (r.value or b"")[:1] == first for r in place.case.records)


_HAS: Mapping[str, Condition] = {
    "AV-200a": lambda place: _rowless_deletes(place) > 0,
    "AV-130e": _control(b"\1"),
    "AV-130f": _control(b"\2"),
    "AV-131b": lambda place: _marked(place) > 0,
    "AV-200": lambda place: _keyless(place) > 0,
    "AV-202": lambda place: _deletes(place) > 0,
}


def _class_of(event: Mapping[str, Any]) -> str:
    """The kind of an event, deletes apart."""
    return "delete" if event.get("op") == "delete" else str(event.get("kind"))


def _named_class(event: Mapping[str, Any]) -> str:
    """The kind of an event, deletes apart, and its table."""
    return f"{_class_of(event)} {sanitized(str(event.get('schema')))}.{sanitized(str(event.get('table')))}"


def _are_rowless(place: Place) -> bool:
    """All additional events are deletes without a row."""
    rowless = sum(
        _class_of(event) == "delete" and not event.get("before") and not event.get("after")
        for event in read_of(place.given)
    )
    return extra_kinds(_class_of, "delete")(place) and rowless >= _rowless_deletes(place)


_LOST: Mapping[str, str] = {"AV-130e": "ddl", "AV-130f": "watermark", "AV-131b": "delete", "AV-202": "delete"}


def _is_lost(place: Place, requirement: str) -> bool:
    """The events missing are those that the requirement speaks of."""
    if requirement in _LOST:
        return lost_kinds(_class_of, _LOST[requirement])(place)
    keyless = {
        f"row {sanitized(table.schema)}.{sanitized(table.name)}"
        for table in versions(place.case)
        if not table.primary_key
    }
    return lost_kinds(_named_class, *keyless)(place)


def _lost_ids(place: Place) -> Iterable[str]:
    """The requirements on how many events there are."""
    if place.role != "decode":
        return ()
    present = [requirement for requirement, has in _HAS.items() if has(place)]
    if not differs(place):
        return (*present, "AV-213")
    partitions = place.case.settings.partitions
    lost = place.expected - place.got
    if lost < 0:
        return ("AV-200a",) if -lost == _rowless_deletes(place) and _are_rowless(place) else ("AV-213",)
    counts = {
        "AV-130e": control_events(place.case, DdlEvent) * partitions,
        "AV-130f": control_events(place.case, Watermark) * partitions,
        "AV-131b": _marked(place),
        "AV-200": _keyless(place),
        "AV-202": _deletes(place),
    }
    found = [id_ for id_ in present if counts.get(id_) == lost and _is_lost(place, id_)]
    return found[:1] or ("AV-213",)


def _refused_ids(place: Place) -> Iterable[str]:
    """The requirements on records that are refused though they are right."""
    if place.role != "decode":
        return ()
    if place.case.axes.get("encoding"):
        return ("AV-175",)
    present = [requirement for requirement, has in _HAS.items() if has(place)]
    if present:
        return present[:1]
    if place.options.avro_include_before_value:
        return ("AV-120c",)
    return ("AV-203c",) if place.options.enable_tidb_extension else ("AV-203",)


def _answer_rules() -> Iterator[Rule]:
    among = (*_HAS, "AV-213")
    yield from speaking("answer", _lost_ids, among, _COUNT)
    yield from speaking("answer", _refused_ids, (*_HAS, "AV-175", "AV-120c", "AV-203c", "AV-203"), _REFUSED)


# -- members of events -------------------------------------------------------------------------------------------------


def _kind_id(place: Place) -> Iterable[str]:
    if _ddl(place):
        return ("AV-130e",)
    return ("AV-130f",) if _watermark(place) else ("AV-203c",)


def _op_ids(place: Place) -> Iterable[str]:
    if not _row(place):
        return ("AV-203b",)
    if event_op(place) == "delete":
        return ("AV-202",)
    return ("AV-203",) if isinstance(place.expected, frozenset) else ("AV-204",)


def _ts_ids(place: Place) -> Iterable[str]:
    if place.expected is MISSING:
        return ("AV-203b",)
    if not _row(place):
        return _kind_id(place)
    return ("AV-131b",) if event_op(place) == "delete" and _marked(place) else ("AV-203a",)


def _before_ids(place: Place) -> Iterable[str]:
    """The requirements on whether there is an image before."""
    if place.expected is None or place.expected is MISSING:
        return ("AV-203b",)
    return ("AV-202a",) if event_op(place) == "delete" else ("AV-120c",)


def _after_ids(place: Place) -> Iterable[str]:
    if not _row(place):
        return ("AV-203b",)
    return ("AV-202",) if event_op(place) == "delete" else ("AV-203c",)


def _member_rules() -> Iterator[Rule]:
    # A row that was read was found in a datum.
    yield Rule("AV-019", "event.after", all_of(_row, no(op("delete"))), frozenset())
    yield from speaking("event.kind", _kind_id, ("AV-130e", "AV-130f", "AV-203c"), _ANY)
    yield from speaking("event.op", _op_ids, ("AV-202", "AV-203", "AV-203b", "AV-204"), _ANY)
    for name in ("schema", "table"):
        yield Rule("AV-207", f"event.{name}", _row, _ANY)
        yield Rule("AV-130e", f"event.{name}", _ddl, _ANY)
        yield absent("AV-203b", f"event.{name}", _watermark)
    for name in ("query", "action_code"):
        yield Rule("AV-130e", f"event.{name}", _ddl, _ANY)
        yield absent("AV-203b", f"event.{name}", no(_ddl))
    yield Rule("AV-130e", "event.action", _ddl, _ANY)
    among = ("AV-203b", "AV-203a", "AV-131b", "AV-130e", "AV-130f", "AV-203c")
    yield from speaking("event.commit_ts", _ts_ids, among, _ANY, when_absent=True)
    yield from speaking("event.before", _before_ids, ("AV-203b", "AV-202a", "AV-120c"), _ANY)
    yield from speaking("event.after", _after_ids, ("AV-203b", "AV-202", "AV-203c"), _ANY)
    yield Rule("AV-203b", "event.*", kinds=_ANY)


# -- columns -----------------------------------------------------------------------------------------------------------


def _column_ids(place: Place) -> Iterable[str]:
    """The requirements on whether a column is in an image."""
    before = place.path[1] == "before"
    lost = "AV-202a" if before and event_op(place) == "delete" else "AV-203c"
    has_versions = control_events(place.case, DdlEvent) > 0
    if not differs(place):
        read = ("AV-120c",) if before and event_op(place) != "delete" else ()
        return (lost, *read, "AV-039a", "AV-205", *(("AV-175",) if has_versions else ()))
    if place.path[-1] in EXTENSION:
        return ("AV-205",)
    if is_stale(place) and event_op(place) != "delete":
        return ("AV-175", lost)
    is_virtual = place.column is not None and place.column.generated == "virtual"
    if not is_virtual and renaming(place) is not None:
        return ("AV-039a",)
    return ("AV-203b",) if place.expected is MISSING else (lost,)


def _column_rules() -> Iterator[Rule]:
    for image in ("before", "after"):
        at = f"event.{image}.{{column}}"
        of_before = ("AV-202a", "AV-120c") if image == "before" else ()
        among = ("AV-175", "AV-039a", "AV-205", *of_before, "AV-203c", "AV-203b")
        yield from speaking(at, _column_ids, among, _THERE)
        yield from speaking(at, value_ids, READ_IDS, _WRONG)


def event_rules() -> tuple[Rule, ...]:
    """Every rule of a decoder's answer."""
    return (*_answer_rules(), *_member_rules(), *_column_rules())
