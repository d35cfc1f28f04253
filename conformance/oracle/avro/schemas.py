"""Rules of schemas: names, fields, types, nullability, defaults, the extension.  [AV-025 … AV-099a, AV-110 … AV-122]"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.oracle.avro.binary import full_name
from conformance.oracle.avro.conditions import (
    differs,
    in_valid_index,
    is_nested,
    is_stale,
    label_needs_escape,
    name_id,
    original_name,
    speaking,
)
from conformance.oracle.avro.kinds import (
    DEFAULTS,
    TIDB_TYPES,
    TYPES,
    default_id,
    has_default,
    is_precise,
    tidb_ids,
    type_ids,
)
from conformance.oracle.avro.reading import EXTENSION, given_in
from conformance.oracle.conditions import all_of, any_of, family, no, op, option
from conformance.oracle.rules import Place, Rule, absent
from conformance.oracle.tree import MISSING, Kind
from reference_impl.column_types import INTEGERS, Family
from reference_impl.model import RowChange
from reference_impl.names import sanitized

__all__ = ["COLUMN_PARENTS", "ORDERED", "column_ids", "schema_rules"]

THERE = frozenset({Kind.MISSING, Kind.EXTRA})
FORM = THERE | {Kind.JSON_KIND}
VALUE = frozenset({Kind.VALUE})
WRONG = frozenset({Kind.VALUE, Kind.JSON_KIND})
ANY = FORM | VALUE
EXTRA, MISSED = frozenset({Kind.EXTRA}), frozenset({Kind.MISSING})
TEXT = frozenset({Kind.TEXT})
ORDER = frozenset({Kind.ORDER})
DOUBLED = frozenset({Kind.DOUBLED})
NOTHING: frozenset[Kind] = frozenset()

_BEFORE = "value.schema.before.type"
_RECORDS = ("key.schema", "value.schema", _BEFORE)
COLUMN_PARENTS = frozenset(f"{record}.fields" for record in _RECORDS)

# Objects whose member order is looked at.
ORDERED = frozenset(
    {
        *_RECORDS,
        *COLUMN_PARENTS,
        *(f"{at}.{{column}}{below}" for at in COLUMN_PARENTS for below in ("", ".type", ".type.connect.parameters")),
        "value.schema.extension",
        *(f"value.schema.extension.{name}" for name in EXTENSION),
    }
)


def _of_doc(place: Place) -> bool:
    return place.profile.name == "doc"


# -- which columns -----------------------------------------------------------------------------------------------------

_KEY_IDS = ("AV-112", "AV-112a", "AV-112d", "AV-007", "AV-039", "AV-037", "AV-037a")
_VALUE_IDS = (
    *("AV-003", "AV-003b", "AV-007", "AV-039", "AV-037", "AV-037a"),
    *("AV-110a", "AV-110b", "AV-116e"),
)
_BEFORE_IDS = ("AV-120", "AV-007", "AV-039", "AV-037", "AV-037a")
_BY_RECORD = {"key": _KEY_IDS, "value": _VALUE_IDS, "before": _BEFORE_IDS}


def _record_of(place: Place) -> str:
    if place.path[1:2] == ("before",) or place.path[1:3] == ("schema", "before"):
        return "before"
    return str(place.path[0])


def _plain_ids(place: Place) -> tuple[str, ...]:
    """The requirements on ordinary columns of a record."""
    record = _record_of(place)
    if record != "key":
        return ("AV-120",) if record == "before" else ("AV-003",)
    has_primary = place.table is not None and bool(place.table.primary_key)
    if not differs(place):
        return ("AV-112", "AV-112d") if has_primary else ("AV-112", "AV-112a")
    if place.expected is not MISSING:
        return ("AV-112",) if has_primary else ("AV-112a",)
    if not in_valid_index(place, str(place.path[-1])):
        return ("AV-112",)
    return ("AV-112d",) if has_primary else ("AV-112a",)


def _name_id(field: str, place: Place) -> str:
    """The requirement on the name of a field that is right. An underscore may stand for another character."""
    original = original_name(place, field) if "_" in field else field
    if original == field:
        return "AV-039"
    return "AV-037a" if original[:1].isdigit() else "AV-037"


def column_ids(place: Place) -> Iterable[str]:
    """The requirements on whether a column is in a record."""
    record, column = _record_of(place), place.column
    if column is not None and column.generated == "virtual":
        return ("AV-120",) if record == "before" else ("AV-110a", "AV-110b")
    if not differs(place):
        return (*_plain_ids(place), "AV-003b", "AV-007", _name_id(str(place.path[-1]), place))
    if is_stale(place):
        return ("AV-007",)
    if is_nested(place) and record == "value":
        return ("AV-003b",)
    if named := name_id(place):
        return (named,)
    if str(place.path[-1]).startswith("_tidb_"):
        return ("AV-030",) if record == "key" else ("AV-116e",)
    return _plain_ids(place)


def _presence_rules() -> Iterator[Rule]:
    for parent in sorted(COLUMN_PARENTS):
        among = _BEFORE_IDS if parent.startswith(_BEFORE) else _BY_RECORD[parent.partition(".")[0]]
        yield from speaking(f"{parent}.{{column}}", column_ids, (*among, "AV-030"), THERE)
        main = {"key": "AV-112", "value": "AV-003"}[parent.partition(".")[0]]
        yield Rule("AV-120" if parent.startswith(_BEFORE) else main, parent, kinds=DOUBLED)
    yield absent("AV-110a", "value.schema.fields.{column}", _is_virtual)


def _is_virtual(place: Place) -> bool:
    return place.column is not None and place.column.generated == "virtual"


# -- order and spelling of members -------------------------------------------------------------------------------------


def _member_rules() -> Iterator[Rule]:
    for record in _RECORDS:
        yield Rule("AV-025", record, kinds=ORDER)
        yield Rule("AV-026", record, _of_doc, ORDER)
        fields, column = f"{record}.fields", f"{record}.fields.{{column}}"
        yield Rule("AV-112c" if record == "key.schema" else "AV-110", fields, kinds=ORDER)
        yield Rule("AV-026", column, kinds=ORDER)
        yield Rule("AV-027", f"{column}.type", kinds=ORDER)
        yield Rule("AV-026", f"{column}.type", _of_doc, ORDER)
        yield Rule("AV-028", f"{column}.type.connect.parameters", kinds=ORDER)
        yield Rule("AV-028a", f"{column}.type.connect.parameters", kinds=frozenset({Kind.JSON_KIND}))
        for at in (record, column, f"{column}.type", f"{column}.type.connect.parameters"):
            yield Rule("AV-031", at, kinds=DOUBLED)
        yield Rule("AV-031", f"{column}.*")
        if record != _BEFORE:
            yield Rule("AV-031", f"{record}.*")
            yield absent("AV-031", f"{record}.doc")
    for name in EXTENSION:
        yield Rule("AV-026", f"value.schema.extension.{name}", kinds=ORDER)
    for part in ("key", "value"):
        row = any_of(op("insert", "update", "delete"))
        yield Rule("AV-029", f"text.{part}.space", row, TEXT)
        yield Rule("AV-029", f"text.{part}.other", row, TEXT)
        yield Rule("AV-029a", f"text.{part}.string", row, TEXT)
        yield Rule("AV-029b", f"{part}.schema.doubled", kinds=VALUE)


# -- names of records --------------------------------------------------------------------------------------------------

_NAME_IDS = ("AV-035", "AV-035a", "AV-036", "AV-036a", "AV-037", "AV-037a")


def _unsanitised(given: str, expected: str, original: str) -> str | None:
    """The rule on the characters of names that is broken where nothing else is."""
    if given == expected[1:] and original[:1].isdigit():
        return "AV-037a"
    return "AV-037" if sanitized(given) == expected or given == original else None


def _name_ids(place: Place) -> Iterable[str]:
    event = place.event
    schema, table = (event.schema, event.table) if isinstance(event, RowChange) else ("", "")
    is_name = place.path[-1] == "name"
    original = table if is_name else schema
    character = "AV-037a" if original[:1].isdigit() else "AV-037"
    if not differs(place):
        both = ("AV-035", "AV-035a") if is_name else ("AV-035", "AV-036", "AV-036a")
        return (*both, character) if sanitized(original) != original else both
    if not isinstance(place.got, str):
        return ("AV-035",) if is_name else ("AV-036",)
    last, wanted = place.got.rpartition(".")[2], str(place.expected).rpartition(".")[2]
    first = "" if is_name else str(place.expected).rpartition(".")[0] + "."
    if place.got.startswith(first) and (broken := _unsanitised(place.got[len(first) :], wanted, original)):
        return (broken,)
    if is_name:
        return ("AV-035a",) if last == wanted else ("AV-035",)
    full = full_name(given_in(place.given, *place.path[:-1]) or {})
    return ("AV-036a",) if full.rpartition(".")[0].rpartition(".")[2] == wanted else ("AV-035",)


def _record_name_rules() -> Iterator[Rule]:
    for record in ("key.schema", "value.schema"):
        for name in ("name", "namespace"):
            yield from speaking(f"{record}.{name}", _name_ids, _NAME_IDS, ANY)
    for name in ("name", "namespace"):
        yield Rule("AV-120a", f"{_BEFORE}.{name}", kinds=ANY)


# -- types -------------------------------------------------------------------------------------------------------------


def _unsigned_elsewhere(place: Place) -> bool:
    """UNSIGNED would be said of a type that does not say it."""
    column = place.column
    if column is None or column.type.family in INTEGERS or column.type.family is Family.BIT:
        return False
    could = column.type.unsigned or column.type.family is Family.YEAR
    return could and (not differs(place) or "UNSIGNED" in str(place.got))


def _escape_ids(place: Place) -> Iterable[str]:
    """[AV-089b, AV-090b, AV-106]"""
    column = place.column
    if column is None or column.type.family not in (Family.ENUM, Family.SET):
        return ("AV-031",)
    own = "AV-089b" if column.type.family is Family.ENUM else "AV-090b"
    return (own, "AV-106") if label_needs_escape(column) else (own,)


def _type_rules(column: str) -> Iterator[Rule]:
    kind = f"{column}.type"
    parameters = f"{kind}.connect.parameters"
    yield Rule("AV-003b", f"{kind}.type", lambda place: not differs(place) or place.got == "record")
    yield from speaking(f"{kind}.type", type_ids, TYPES, ANY)
    yield Rule("AV-099a", f"{parameters}.tidb_type", _unsigned_elsewhere, VALUE)
    yield from speaking(f"{parameters}.tidb_type", tidb_ids, TIDB_TYPES, THERE | VALUE)
    yield from speaking(parameters, tidb_ids, TIDB_TYPES, MISSED)
    for name in ("tidb_type", "length", "allowed"):
        yield Rule("AV-028a", f"{parameters}.{name}", kinds=frozenset({Kind.JSON_KIND}))
    yield Rule("AV-086b", f"{parameters}.length", family(Family.BIT), ANY - {Kind.JSON_KIND})
    yield Rule("AV-031", f"{parameters}.length", no(family(Family.BIT)))
    for requirement in ("AV-089b", "AV-090b", "AV-031"):
        yield from speaking(f"{parameters}.allowed", _escape_ids, (requirement,), ANY - {Kind.JSON_KIND})
    yield from speaking(f"{parameters}.allowed", _escape_ids, ("AV-106",), TEXT)
    is_text = all_of(family(Family.DECIMAL), no(is_precise))
    yield Rule("AV-084", f"{kind}.logicalType", is_precise)
    yield absent("AV-085", f"{kind}.logicalType", is_text)
    yield Rule("AV-031", f"{kind}.logicalType", no(family(Family.DECIMAL)))
    for name in ("precision", "scale"):
        yield Rule("AV-084b", f"{kind}.{name}", is_precise)
        yield absent("AV-085", f"{kind}.{name}", is_text)
        yield Rule("AV-031", f"{kind}.{name}", no(family(Family.DECIMAL)))


# -- nullability and defaults ------------------------------------------------------------------------------------------

_NULLABLE_IDS = ("AV-045", "AV-047", "AV-048", "AV-049", "AV-068")
_DEFAULT_IDS = ("AV-045a", "AV-046", "AV-047", "AV-048", "AV-049", "AV-050", "AV-030a", *DEFAULTS)


def _nullable_ids(place: Place) -> Iterable[str]:
    column = place.column
    if column is None:
        return ()
    if not column.nullable:
        return ("AV-045",)
    if is_precise(place):
        return ("AV-049",)
    if not has_default(column):
        return ("AV-047",)
    return ("AV-068",) if default_id(place) == "AV-068" else ("AV-048",)


def _default_ids(place: Place) -> Iterable[str]:
    column = place.column
    if column is None:
        return ()
    if is_precise(place):
        return ("AV-049",) if column.nullable else ("AV-050",)
    if not has_default(column):
        return ("AV-047",) if column.nullable else ("AV-045a",)
    there = "AV-030a" if place.path[0] == "key" else "AV-048" if column.nullable else "AV-046"
    written = default_id(place)
    if not differs(place):
        return (there, written)
    if place.got is MISSING or place.got is None:
        return ("AV-068",) if written == "AV-068" else (there,)
    return (written,)


def _null_rules(column: str) -> Iterator[Rule]:
    yield from speaking(f"{column}.nullable", _nullable_ids, _NULLABLE_IDS, ANY)
    yield from speaking(f"{column}.default", _default_ids, _DEFAULT_IDS, ANY)
    for requirement in ("AV-045a", "AV-050"):
        yield absent(requirement, f"{column}.default", lambda place, id_=requirement: id_ in _default_ids(place))  # type: ignore[misc]


# -- extension and row before ------------------------------------------------------------------------------------------

_FIELDS = {"_tidb_op": "AV-116", "_tidb_commit_ts": "AV-117", "_tidb_commit_physical_time": "AV-118"}
_TYPE_OF = {"AV-116": "AV-116a", "AV-117": "AV-117a", "AV-118": "AV-118a"}
_DEFAULT_OF = {"AV-116": "AV-116b", "AV-117": "AV-117b", "AV-118": "AV-118b"}


def _has_before(place: Place) -> bool:
    return given_in(place.tree, "value", "schema", "before") is not None


_extension = option("enable_tidb_extension")
_only_op = all_of(_has_before, no(_extension))


def _extension_rules() -> Iterator[Rule]:
    for part in ("value.extension", "value.schema.extension"):
        yield Rule("AV-116c", part, no(_only_op), FORM, when_absent=True)
        yield Rule("AV-122", part, _only_op, FORM)
        for name in EXTENSION:
            at = f"{part}.{name}"
            if name not in _FIELDS:
                yield absent("AV-116e", at)
                continue
            yield Rule("AV-116c", at, no(_only_op), THERE)
            yield Rule("AV-122", at, _only_op, THERE, when_absent=True)
    yield Rule("AV-116d", "value.schema.extension", kinds=ORDER)
    yield Rule("AV-116d", "value.schema.is_tail", no(_only_op), VALUE)
    yield Rule("AV-122", "value.schema.is_tail", _only_op, VALUE)
    for name, requirement in _FIELDS.items():
        field = f"value.schema.extension.{name}"
        yield Rule(_TYPE_OF[requirement], f"{field}.type.type")
        yield Rule(_TYPE_OF[requirement], f"{field}.nullable")
        yield Rule(_DEFAULT_OF[requirement], f"{field}.default", no(_of_doc))
        yield absent("AV-031", f"{field}.default", _of_doc)
        yield Rule("AV-031", f"{field}.*")
        yield Rule("AV-031", field, kinds=DOUBLED)
    yield Rule("AV-116c", "value.schema.extension", kinds=DOUBLED)
    written = no(op("delete"))
    for name, requirement in _FIELDS.items():
        yield Rule(requirement, f"value.extension.{name}", written, WRONG)
        yield Rule("AV-121a", f"value.extension.{name}", op("delete"), WRONG)


def _before_rules() -> Iterator[Rule]:
    at = "value.schema.before"
    yield absent("AV-003a", at, no(_has_before))
    yield absent("AV-003a", "value.before", no(_has_before))
    yield Rule("AV-120", at, _has_before, FORM | DOUBLED)
    yield Rule("AV-120", "value.before", _has_before, THERE)
    yield Rule("AV-120", f"{at}.*", _has_before)
    yield Rule("AV-121", "value.before", all_of(_has_before, no(op("delete"))), WRONG)
    yield Rule("AV-121a", "value.before", all_of(_has_before, op("delete")), WRONG)
    for part in ("key.before", "key.extension", "key.schema.before", "key.schema.extension"):
        yield absent("AV-030", part)
    yield Rule("AV-030", "key.schema.is_tail")


def schema_rules() -> tuple[Rule, ...]:
    """Every rule of schemas, and of which fields there are."""
    columns = [f"{parent}.{{column}}" for parent in sorted(COLUMN_PARENTS)]
    return (
        *_presence_rules(),
        *_member_rules(),
        *_record_name_rules(),
        *(rule for column in columns for rule in (*_type_rules(column), *_null_rules(column))),
        *_extension_rules(),
        *_before_rules(),
    )
