"""Rules of the schemas of row changes and watermarks, columns and keys apart.  [DBZ-011, DBZ-050 … DBZ-053, DBZ-402]"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.oracle.conditions import all_of, any_of, event_op, kind, no, option
from conformance.oracle.debezium.columns import same_order
from conformance.oracle.debezium.names import name_rules
from conformance.oracle.rules import Condition, Place, Rule, absent, always
from conformance.oracle.tree import Kind

__all__ = ["SOURCE", "schema_rules"]

_FORM = frozenset({Kind.MISSING, Kind.JSON_KIND})
_LEAF = frozenset({Kind.MISSING, Kind.JSON_KIND, Kind.VALUE})
_GONE, _EXTRA, _ORDER, _DOUBLED = (frozenset({k}) for k in (Kind.MISSING, Kind.EXTRA, Kind.ORDER, Kind.DOUBLED))
_EXTRA_OR_WRONG = frozenset({Kind.EXTRA, Kind.JSON_KIND, Kind.VALUE})

SOURCE = "value.schema.fields.source"
_FIELDS = "value.schema.fields"

_row, _watermark, _ddl = kind("row"), kind("watermark"), kind("ddl")
_envelope = any_of(_row, _watermark)
_extension = option("enable_tidb_extension")
_include_start = option("debezium_include_start_ts")


def _is_null_image(place: Place) -> bool:
    """The image that is described is null or left out."""
    image = place.path[3] if len(place.path) > 3 else ""
    op = event_op(place)
    hidden = op == "update" and not place.options.debezium_output_old_value
    return (image == "before" and (op == "insert" or hidden)) or (image == "after" and op == "delete")


def _outer_rules() -> Iterator[Rule]:
    without, has = option("debezium_disable_schema"), option("debezium_disable_schema", value=False)
    for at in ("key.schema", "value.schema"):
        yield Rule("DBZ-011a", at, has, _FORM)
        null: Condition = lambda place: place.got is None  # noqa: E731
        yield absent("DBZ-011", at, all_of(without, no(null)))
        yield absent("DBZ-011b", at, all_of(without, any_of(null, lambda place: place.expected is place.got)))
        yield Rule("DBZ-040b", at, always, _DOUBLED)
        yield Rule("DBZ-040a", f"{at}.*", always, _EXTRA)
    for what, ids in ((_row, ("DBZ-050", "DBZ-050a", "DBZ-050c")), (_watermark, ("DBZ-402a", "DBZ-402b", "DBZ-402c"))):
        for requirement, member in zip(ids, ("type", "optional", "version"), strict=True):
            yield Rule(requirement, f"value.schema.{member}", what, _LEAF)
    yield from name_rules("DBZ-050b", "value.schema.name", _row)
    yield from name_rules("DBZ-402", "value.schema.name", _watermark)
    yield Rule("DBZ-050d", "value.schema", _envelope, _ORDER)


def _is_after_second(place: Place) -> bool:
    """The given fields have `after` where the document says that it is."""
    return isinstance(place.got, dict) and list(place.got)[1:2] == ["after"]


def _field_rules() -> Iterator[Rule]:
    described = {
        "op": ("DBZ-051d", "DBZ-402d"),
        "ts_ms": ("DBZ-051e", "DBZ-402d"),
        "transaction": ("DBZ-051f", "DBZ-402d"),
    }
    for what, which in ((_row, 0), (_watermark, 1)):
        all_fields = ("DBZ-051", "DBZ-402d")[which]
        yield Rule(all_fields, _FIELDS, what, _FORM)
        for name, ids in described.items():
            at = f"{_FIELDS}.{name}"
            yield Rule(all_fields, at, what, _GONE)
            yield Rule(ids[which], at, what, frozenset({Kind.JSON_KIND, Kind.VALUE}))
            yield Rule(ids[which], f"{at}.*", what, _LEAF)
        yield Rule(all_fields, SOURCE, what, _GONE)
    yield Rule("DBZ-051", _FIELDS, all_of(_row, any_of(same_order, no(_is_after_second))), _ORDER)
    yield Rule("DBZ-051h", _FIELDS, all_of(_envelope, any_of(_watermark, same_order, _is_after_second)), _ORDER)
    for at in (f"{_FIELDS}.{name}" for name in described):
        yield Rule("DBZ-040a", f"{at}.*", always, _EXTRA)
        yield Rule("DBZ-040b", at, always, _DOUBLED)
        yield Rule("DBZ-050d", at, _envelope, _ORDER)
    yield Rule("DBZ-051h", f"{_FIELDS}.transaction.fields", _envelope, _ORDER)
    yield Rule("DBZ-051f", f"{_FIELDS}.transaction.fields", _row, _FORM)
    yield Rule("DBZ-402d", f"{_FIELDS}.transaction.fields", _watermark, _FORM)
    yield Rule("DBZ-040b", f"{_FIELDS}.transaction.fields", always, _DOUBLED)
    yield Rule("DBZ-040b", _FIELDS, always, _DOUBLED)
    yield Rule("DBZ-040a", f"{_FIELDS}.*", always, _EXTRA)
    for image in ("before", "after"):
        at = f"{_FIELDS}.{image}"
        yield Rule("DBZ-051g", at, all_of(_row, _is_null_image), _FORM)
        yield Rule("DBZ-051", at, _row, _GONE)
        yield absent("DBZ-402d", at, _watermark)
        yield Rule("DBZ-051a", at, _row, frozenset({Kind.JSON_KIND, Kind.VALUE}))
        yield Rule("DBZ-050d", at, _row, _ORDER)
        for member in ("type", "optional", "field"):
            yield Rule("DBZ-051a", f"{at}.{member}", _row, _LEAF)
        yield from name_rules("DBZ-051a", f"{at}.name", _row)
        yield Rule("DBZ-040a", f"{at}.*", _row, _EXTRA)
        yield Rule("DBZ-040b", at, _row, _DOUBLED)


# -- source --------------------------------------------------------------------------------------------------------


def _is_start_last(place: Place) -> bool:
    """Only `start_ts` stands elsewhere than at the end."""
    if not (isinstance(place.expected, dict) and isinstance(place.got, dict)):
        return False
    orders = ([name for name in tree if name != "start_ts"] for tree in (place.expected, place.got))
    return "start_ts" in place.got and next(orders) == next(orders)


def _source_rules() -> Iterator[Rule]:
    fields = f"{SOURCE}.fields"
    yield Rule("DBZ-052", SOURCE, kinds=frozenset({Kind.JSON_KIND}))
    yield Rule("DBZ-341", SOURCE, _ddl, _GONE)
    for member in ("type", "optional", "name", "field"):
        yield Rule("DBZ-052", f"{SOURCE}.{member}", kinds=_LEAF)
    yield Rule("DBZ-052a", fields, kinds=_FORM)
    yield Rule("DBZ-052a", f"{fields}.*", kinds=_LEAF)
    for at in ("", ".name", ".version", ".parameters", ".parameters.allowed", ".default"):
        yield Rule("DBZ-052b" if at else "DBZ-052a", f"{fields}.snapshot{at}", kinds=_LEAF)
    yield Rule("DBZ-052a", f"{fields}.snapshot.*", kinds=_LEAF)
    for at in (SOURCE, f"{SOURCE}.fields", f"{fields}.snapshot", f"{fields}.snapshot.parameters"):
        yield Rule("DBZ-040a", f"{at}.*", kinds=_EXTRA)
        yield Rule("DBZ-040b", at, kinds=_DOUBLED)
    yield Rule("DBZ-052e", fields, all_of(_row, _include_start, any_of(same_order, _is_start_last)), _ORDER)
    yield Rule("DBZ-051h", fields, any_of(same_order, no(all_of(_include_start, _is_start_last))), _ORDER)
    yield Rule("DBZ-050d", SOURCE, _envelope, _ORDER)
    yield Rule("DBZ-310f", SOURCE, _ddl, _ORDER)
    for name in ("commit_ts", "cluster_id"):
        at = f"{fields}.{name}"
        yield absent("DBZ-053", at, no(_extension))
        yield absent("DBZ-052d", at, _extension)
        yield Rule("DBZ-052c", at, _extension, _GONE | _EXTRA_OR_WRONG)
        yield Rule("DBZ-052c", f"{at}.*", _extension, _GONE | _EXTRA_OR_WRONG)
    start = f"{fields}.start_ts"
    yield Rule("DBZ-052e", start, all_of(_row, _include_start), _LEAF)
    yield Rule("DBZ-052e", f"{start}.*", all_of(_row, _include_start), _LEAF)
    yield Rule("DBZ-040a", f"{start}.*", all_of(_row, _include_start), _EXTRA)
    yield absent("DBZ-014b", start, no(_include_start))
    yield absent("DBZ-014a", start, all_of(_include_start, no(_row)))


def schema_rules() -> Iterator[Rule]:
    """Every rule of schemas but those of columns, keys and DDL messages."""
    yield from _outer_rules()
    yield from _field_rules()
    yield from _source_rules()
