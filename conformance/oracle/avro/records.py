"""Rules of what an encoder answers: how many records, how they are framed, key, value, test mode, registrations.

[AV-001 … AV-019, AV-112, AV-130, AV-131, AV-155, AV-156, AV-190a]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from conformance.oracle.avro.conditions import (
    control_events,
    differs,
    expected_in,
    in_valid_index,
    is_split_otherwise,
    key_changes,
    kind_sent,
    rows,
    speaking,
    text_of,
)
from conformance.oracle.avro.reading import given_in
from conformance.oracle.avro.schemas import column_ids
from conformance.oracle.conditions import all_of, any_of, apart_from, event_op, kind, no, option, role, shows
from conformance.oracle.counts import extra_kinds, lost_kinds
from conformance.oracle.order import are_halves
from conformance.oracle.rules import Condition, Place, Row, Rule, ranked
from conformance.oracle.tree import MISSING, Kind
from reference_impl.model import DdlEvent, Watermark

__all__ = ["record_rules"]

_THERE = frozenset({Kind.MISSING, Kind.EXTRA})
_FORM = _THERE | {Kind.JSON_KIND}
_VALUE = frozenset({Kind.VALUE})
_WRONG = _VALUE | {Kind.JSON_KIND}
_ANY = _FORM | _VALUE
_TEXT, _ORDER, _COUNT = frozenset({Kind.TEXT}), frozenset({Kind.ORDER}), frozenset({Kind.COUNT})
_NOTHING: frozenset[Kind] = frozenset()

_ddl, _watermark = kind("ddl"), kind("watermark")
_encoding = role("encode")
_compressed = no(option("large_message_handle_compression", "none"))

# -- how many ----------------------------------------------------------------------------------------------------------


_IS_LOST: Mapping[str, Condition] = {
    "AV-130a": lost_kinds(kind_sent, "ddl"),
    "AV-130": lost_kinds(kind_sent, "watermark"),
}
_is_unasked = extra_kinds(kind_sent, "ddl", "watermark")


def _are_rows(place: Place) -> bool:
    """Rows alone are missing, or too many."""
    return lost_kinds(kind_sent, "row")(place) or extra_kinds(kind_sent, "row")(place)


def _count_ids(place: Place) -> Iterable[str]:
    if place.role != "encode":
        return ()
    case, options = place.case, place.options
    ddl, watermarks = control_events(case, DdlEvent), control_events(case, Watermark)
    split = "AV-009a" if options.output_raw_change_event else "AV-009"
    if not differs(place):
        of_mode = ("AV-130a", "AV-130") if options.watermarks else ("AV-006", "AV-006")
        found = [id_ for id_, count in zip(of_mode, (ddl, watermarks), strict=True) if count]
        found += [split] * (key_changes(case) > 0) + ["AV-001"] * (rows(case, "insert", "update", "delete") > 0)
        return (*found, "AV-213")
    missing = place.expected - place.got
    partitions = case.settings.partitions
    if options.watermarks and missing > 0:
        counts = {"AV-130a": ddl, "AV-130": watermarks}
        lost = [id_ for id_, n in counts.items() if n and missing in (n * partitions, n * (partitions - 1))]
        if lost := [id_ for id_ in lost if _IS_LOST[id_](place)]:
            return lost
    if not options.watermarks and 0 < -missing <= (ddl + watermarks) * partitions and _is_unasked(place):
        return ("AV-006",)
    if is_split_otherwise(place):
        return (split,)
    return ("AV-001", "AV-213") if _are_rows(place) else ("AV-213",)


def _is_limited(place: Place) -> bool:
    return "max-message-bytes" in place.case.options


def _answer_rules() -> Iterator[Rule]:
    yield from speaking(
        "answer", _count_ids, ("AV-001", "AV-006", "AV-009", "AV-009a", "AV-130", "AV-130a", "AV-213"), _COUNT
    )
    refused = frozenset({Kind.REFUSED})
    yield Rule("AV-002b", "answer", all_of(_encoding, no(_is_limited)), refused)
    yield Rule("AV-008", "answer", all_of(_encoding, _is_limited), refused)
    in_place: Condition = lambda place: key_changes(place.case) > 0  # noqa: E731
    split = all_of(_encoding, no(option("output_raw_change_event")), in_place)
    halves: Row = ("AV-009", all_of(split, shows(are_halves)))
    yield from ranked("answer", _ORDER, halves, ("AV-002b", apart_from(halves)))


# -- records that cannot be read ---------------------------------------------------------------------------------------


def _unread(part: str, *phrases: str) -> Condition:
    """The part could not be read, for a reason that begins with one of `phrases`."""

    def holds(place: Place) -> bool:
        text = text_of(place)
        return place.delivery is None and text.startswith(tuple(f"{part}: {phrase}" for phrase in phrases))

    return holds


def _both(*phrases: str) -> Condition:
    return any_of(_unread("key", *phrases), _unread("value", *phrases))


_HEADER = ("no header",)
_MARK = ("a mark",)
_BODY = ("the body",)
_BACKWARDS = ("an id that is read backwards",)
_UNKNOWN_ID = ("nothing has the id",)
_NO_SCHEMA = ("not a schema",)
_BRANCH = ("the branches",)


def _unread_rules() -> Iterator[Rule]:
    for at in ("frame", "value"):
        for requirement, when in (
            ("AV-008a", all_of(_compressed, _both(*_BODY, *_HEADER, *_MARK, *_UNKNOWN_ID))),
            ("AV-015", _both(*_HEADER)),
            ("AV-015a", _both(*_BACKWARDS)),
            ("AV-156a", _both(*_UNKNOWN_ID)),
            ("AV-018", _both(*_MARK)),
            ("AV-052a", _both(*_BRANCH)),
            ("AV-019", _both(*_BODY, *_MARK, *_BRANCH)),
            ("AV-002", _unread("key", *_HEADER, *_BACKWARDS, *_NO_SCHEMA)),
            ("AV-002a", _unread("value", *_HEADER, *_BACKWARDS, *_NO_SCHEMA)),
            ("AV-130", _unread("value", "a watermark")),
            ("AV-130a", _unread("value", "a DDL")),
            ("AV-131", _unread("value", "a delete")),
        ):
            yield Rule(requirement, at, when, _VALUE)


# -- key and value -----------------------------------------------------------------------------------------------------


def _is_datum(place: Place) -> bool:
    return isinstance(place.expected, dict) and "row" in place.expected


def _key_ids(place: Place) -> Iterable[str]:
    """The requirements on whether there is a key."""
    if _watermark(place):
        return ("AV-130",)
    if _ddl(place):
        return ("AV-130a",)
    has_primary = place.table is not None and place.table.primary_key
    if event_op(place) == "delete" and has_primary:
        return ("AV-004a", "AV-112") if not differs(place) else ("AV-004a",)
    if has_primary:
        return ("AV-112",)
    if _is_datum(place):
        return ("AV-112a",)
    if not differs(place):
        return ("AV-112", "AV-112b", "AV-113")
    row = given_in(place.got, "row") if isinstance(place.got, dict) else None
    outside = isinstance(row, dict) and not all(in_valid_index(place, name) for name in row)
    return ("AV-112",) if outside else ("AV-112b", "AV-113")


def _value_ids(place: Place) -> Iterable[str]:
    """The requirements on what the value is as a whole."""
    if place.delivery is None:
        return ()
    if _watermark(place):
        return ("AV-130",)
    if _ddl(place):
        return ("AV-130a",)
    if event_op(place) != "delete":
        return ("AV-003", "AV-002a") if not differs(place) else ("AV-003",)
    whole = expected_in(place, "value")
    if whole is not None:
        return ("AV-121a",) if "row" in whole else ("AV-131",)
    if place.options.watermarks:
        return ("AV-131a",)
    return ("AV-004",)


def _part_rules() -> Iterator[Rule]:
    yield from speaking("key", _key_ids, ("AV-004a", "AV-112", "AV-112a", "AV-112b", "AV-113"), _WRONG)
    yield from speaking("key", _key_ids, ("AV-130", "AV-130a"), _WRONG)
    whole = ("AV-003", "AV-002a", "AV-004", "AV-121a", "AV-131", "AV-131a", "AV-130", "AV-130a")
    yield from speaking("value", _value_ids, whole, _WRONG)
    yield from speaking("value.*", _value_ids, whole, _ANY)
    for part in ("schema", "row", "varints", "marker", "commit_ts"):
        yield from speaking(f"value.{part}", _value_ids, whole, _FORM if part == "varints" else _ANY)
    yield from speaking("value.ddl", _value_ids, whole, _ANY | {Kind.DOUBLED})
    yield from (Rule("AV-020", at) for at in ("frame.headers", "frame.headers[]"))
    for part, requirement in (("key", "AV-002"), ("value", "AV-002a")):
        # What was read was found behind a header, by the schema of its id, in the encoding of Avro.
        for read in (requirement, "AV-015", "AV-015a", "AV-018", "AV-156a"):
            yield Rule(read, part, _is_datum, _NOTHING)
        yield Rule("AV-008a", part, all_of(_is_datum, _compressed), _NOTHING)
        yield Rule("AV-019", f"{part}.varints", kinds=_VALUE)
        yield Rule(requirement, f"{part}.*")
    row_ids = ("AV-003", "AV-003b", "AV-007", "AV-039", "AV-037", "AV-037a", "AV-110a", "AV-110b", "AV-116e")
    yield from speaking("value.row.{column}", column_ids, row_ids, _THERE)
    yield from speaking("value.before.{column}", column_ids, ("AV-120", "AV-007", "AV-039", "AV-037"), _THERE)
    key_ids = ("AV-112", "AV-112a", "AV-112d", "AV-007", "AV-039", "AV-037", "AV-037a", "AV-030")
    yield from speaking("key.row.{column}", column_ids, key_ids, _THERE)
    yield Rule("AV-003", "value.row", kinds=frozenset({Kind.DOUBLED}))
    yield Rule("AV-120", "value.before", kinds=frozenset({Kind.DOUBLED}))
    yield Rule("AV-112", "key.row", kinds=frozenset({Kind.DOUBLED}))


# -- test mode ---------------------------------------------------------------------------------------------------------


def _mode_rules() -> Iterator[Rule]:
    yield Rule("AV-130a", "value.ddl.*")
    yield Rule("AV-130d", "value.ddl.type")
    yield Rule("AV-130b", "value.ddl", kinds=_ORDER)
    yield Rule("AV-130b", "text.value.space", _ddl, _TEXT)
    yield Rule("AV-130b", "text.value.other", _ddl, _TEXT)
    yield Rule("AV-130c", "text.value.string", _ddl, _TEXT)


# -- registrations -----------------------------------------------------------------------------------------------------


def _subjects(place: Place) -> tuple[set[str], set[str]]:
    return set(place.tree["registry"]["subjects"]), set(place.given["registry"]["subjects"])


def _subject_ids(place: Place) -> Iterable[str]:
    """The requirements on a subject that is too much or missing."""
    if not differs(place):
        return ("AV-155", "AV-156a")
    expected, given = _subjects(place)
    name = str(place.path[-1])
    missing, extra = expected - given, given - expected
    if missing and extra:
        return ("AV-155",)
    if missing:
        return ("AV-156a",)
    twin = name.removesuffix("-key") + "-value" if name.endswith("-key") else name.removesuffix("-value") + "-key"
    if twin not in expected:
        return ("AV-155",) if not control_events(place.case, DdlEvent) else ("AV-007a",)
    return ("AV-112b", "AV-113") if name.endswith("-key") else ("AV-156",)


def _version_ids(place: Place) -> Iterable[str]:
    changed = control_events(place.case, DdlEvent) > 0 or len(place.case.schemas) > 0
    if not differs(place):
        return ("AV-155", "AV-190a", "AV-007a") if changed else ("AV-155",)
    if place.expected is MISSING:
        return ("AV-007a",) if changed else ("AV-156",)
    return ("AV-190a",) if place.got is MISSING else ("AV-155",)


def _has_tables_unchanged(place: Place) -> bool:
    return control_events(place.case, DdlEvent) == 0


def _registry_rules() -> Iterator[Rule]:
    subject = "registry.subjects.{column}"
    yield from speaking(subject, _subject_ids, ("AV-155", "AV-156a", "AV-112b", "AV-113", "AV-156", "AV-007a"), _ANY)
    yield from speaking(f"{subject}[]", _version_ids, ("AV-155", "AV-190a", "AV-007a", "AV-156"), _ANY)
    yield Rule("AV-156", "registry.repeated", _has_tables_unchanged, _VALUE)
    yield Rule("AV-007a", "registry.subjects", no(_has_tables_unchanged), _NOTHING)


def record_rules() -> tuple[Rule, ...]:
    """Every rule of answers, records, the test mode and registrations."""
    groups: tuple[Callable[[], Iterator[Rule]], ...] = (
        _answer_rules,
        _unread_rules,
        _part_rules,
        _mode_rules,
        _registry_rules,
    )
    return tuple(rule for group in groups for rule in group())
