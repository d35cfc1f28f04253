"""Takes Avro records apart, without the reference decoder.

A message is a tree `{"key": …, "value": …}`. A part behind the registry's header is `schema`, `row` and
`varints`; the value has `before` and `extension` beside its row. Fields of a schema are an object by name, each field
with its type in one form: the branch that is not NULL as an object, and how it may be NULL as `nullable`. A value of
the test mode is `marker` and what follows it. The id of a schema is not looked at: what counts is the schema behind it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from conformance.oracle.avro.binary import Body, Names, named_types
from conformance.oracle.rules import NO_SCHEMAS, Message, Reading, Schemas
from conformance.oracle.tree import part_in
from reference_impl import exact_json
from reference_impl.errors import Rejected
from reference_impl.exact_json import Object
from reference_impl.model import Record
from reference_impl.registry import RegisteredSchema

__all__ = ["BEFORE", "EXTENSION", "MARKERS", "read", "registry_tree", "schema_tree"]

BEFORE = "_ticdc_before"
EXTENSION = (
    *("_tidb_op", "_tidb_commit_ts", "_tidb_commit_physical_time"),
    *("_tidb_row_level_checksum", "_tidb_corrupted", "_tidb_checksum_version"),
)
MARKERS = {1: "ddl", 2: "watermark", 3: "delete"}

_MAGIC = 0
_HEADER = 5
_TIME_STAMP = 8
_MARKS = (b"Obj\x01", b"\xc3\x01")  # of Avro's object container files, and of its single-object encoding

# The groups of fields in a record, in the order in which they come.
_COLUMNS, _BEFORE, _EXTENSION = range(3)


# -- schemas -----------------------------------------------------------------------------------------------------------


def _branch(schema: Any) -> Any:
    return schema if isinstance(schema, dict) else {"type": schema}


def _type_tree(schema: Any) -> tuple[Any, str]:
    """(the branch that is not `null`, how the type is nullable).

    How: `no` for a type that is no union, `null first`, `null last`, or the branches of another union in their order.
    """
    if not isinstance(schema, list):
        return _branch(schema), "no"
    branches = [_branch(branch) for branch in schema]
    words = ["null" if branch.get("type") == "null" else "value" for branch in branches]
    value = next((branch for branch, word in zip(branches, words, strict=True) if word == "value"), {"type": "null"})
    order = ", ".join(words)
    return value, {"null, value": "null first", "value, null": "null last"}.get(order, order)


def _field_tree(field: Mapping[str, Any]) -> Object:
    tree, nullable = _type_tree(field.get("type"))
    members = [(name, tree if name == "type" else value) for name, value in field.items()]
    return Object([*members, ("nullable", nullable)])


def _is_record(schema: Any) -> bool:
    """Whether a schema is a record with a name, and each of its fields has a name and a type."""
    if not isinstance(schema, dict) or schema.get("type") != "record" or not isinstance(schema.get("name"), str):
        return False
    fields = schema.get("fields")
    return isinstance(fields, list) and all(
        isinstance(field, dict) and isinstance(field.get("name"), str) and "type" in field for field in fields
    )


def schema_tree(schema: Mapping[str, Any]) -> Object:
    """A record schema as a tree: `fields` has the columns by name, `before` the before image, `extension` its fields.

    `is_tail` says whether the columns come first, then the before image, then the extension.
    """
    groups = [_group_of(field["name"]) for field in schema["fields"]]
    trees: dict[int, list[tuple[str, Any]]] = {_COLUMNS: [], _BEFORE: [], _EXTENSION: []}
    for field, group in zip(schema["fields"], groups, strict=True):
        trees[group].append((field["name"], _field_tree(field)))
    members: list[tuple[str, Any]] = [
        (name, Object(trees[_COLUMNS]) if name == "fields" else value) for name, value in schema.items()
    ]
    for _, tree in trees[_BEFORE]:
        nested = schema_tree(tree["type"]) if _is_record(tree["type"]) else "no record"
        members.append(("before", Object((n, nested if n == "type" else v) for n, v in tree.items())))
    if trees[_EXTENSION]:
        members.append(("extension", Object(trees[_EXTENSION])))
    return Object([*members, ("is_tail", groups == sorted(groups))])


def _group_of(name: str) -> int:
    if name in EXTENSION:
        return _EXTENSION
    return _BEFORE if name == BEFORE else _COLUMNS


@lru_cache(maxsize=256)
def _parsed(text: str) -> tuple[Any, Mapping[str, Any], Object]:
    """(schema, the types it names, its tree)."""
    schema = exact_json.loads(text)
    if not _is_record(schema):
        raise Rejected("schema", "the schema is no record of fields with names and types")
    tree = Object([*schema_tree(schema).items(), ("doubled", ", ".join(_doubled(schema)))])
    return schema, named_types(schema), tree


def _doubled(tree: Any) -> Iterator[str]:
    """The names of members that occur twice in an object of a schema, at any depth."""
    if isinstance(tree, Object):
        yield from tree.doubled
    if isinstance(tree, (dict, list)):
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from _doubled(part)


# -- parts of a message ------------------------------------------------------------------------------------------------


def _part(data: bytes, schemas: Schemas, key_schema: str | None) -> tuple[dict[str, Any], str]:
    """(tree, text of the schema) of a key or value with the registry's header; `key_schema` is None for a key."""
    if len(data) < _HEADER:
        raise Rejected("framing", f"no header of {_HEADER} bytes in {len(data)}")
    if data[0] != _MAGIC:
        raise Rejected("framing", f"no header: the first byte is {data[0]}")
    schema_id = int.from_bytes(data[1:_HEADER], "big")
    if schema_id not in schemas:
        backwards = int.from_bytes(data[1:_HEADER], "little")
        why = "an id that is read backwards" if backwards in schemas else "nothing has the id"
        raise Rejected("schema", f"{why}: {schema_id}")
    text = schemas[schema_id]
    try:
        schema, names, tree = _parsed(text)
    except Rejected as e:
        raise Rejected("schema", f"not a schema: {e.message}") from None
    try:
        row, is_minimal = _datum(data[_HEADER:], schema, names)
    except Rejected as e:
        other = next(_readable_by(data[_HEADER:], schema, schemas, key_schema), None)
        if other is None:
            raise
        raise Rejected("schema", f"the id of another schema: {schema_id}, the body is a datum of {other}") from e
    found: dict[str, Any] = {"schema": tree, "row": row, "varints": "minimal" if is_minimal else "padded"}
    if BEFORE in row:
        found["before"] = row.pop(BEFORE)
    extension = {name: row.pop(name) for name in EXTENSION if name in row}
    if extension:
        found["extension"] = extension
    return found, text


def _readable_by(data: bytes, schema: Any, schemas: Schemas, key_schema: str | None) -> Iterator[int]:
    """The ids of other schemas of the same name that read a body.

    A key schema with fewer fields does not count: it reads a value that is cut behind the key columns, and then the
    fault is in the body. With as many fields or more it may be the value's own schema, since all columns may be keys.
    """
    quoted = f'"{schema.get("name")}"'
    for schema_id, text in schemas.items():
        if quoted not in text:  # a registry may have thousands of schemas
            continue
        try:
            other, names, _ = _parsed(text)
        except Rejected:
            continue
        if text == key_schema and len(other["fields"]) < len(schema["fields"]):
            continue
        is_namesake = all(other.get(member) == schema.get(member) for member in ("name", "namespace"))
        if other != schema and is_namesake and _is_datum(Body(data, names), other):
            yield schema_id


def _datum(data: bytes, schema: Any, names: Names) -> tuple[Object, bool]:
    """(row, whether its numbers are as short as possible) of a body. Raises `Rejected`, with the likely reason."""
    try:
        return _whole(Body(data, names), schema)
    except Rejected as e:
        reason = "the body is no datum"
        if data.startswith(_MARKS):
            reason = "a mark stands before the datum"
        elif _is_datum(Body(data, names, exchanged=True), schema):
            reason = "the branches of its unions are exchanged"
        raise Rejected(e.reason, f"{reason}: {e.message}") from None


def _whole(body: Body, schema: Any) -> tuple[Object, bool]:
    """(row, whether its numbers are as short as possible) of a body that is one datum. Raises `Rejected`."""
    try:
        row: Object = body.datum(schema)
    except (TypeError, LookupError, ValueError, AttributeError) as e:  # a deeper part of the schema may be anything
        raise Rejected("schema", f"the schema has an invalid type: {type(e).__name__}") from None
    body.end()
    return row, body.is_minimal


def _is_datum(body: Body, schema: Any) -> bool:
    try:
        _whole(body, schema)
    except Rejected:
        return False
    return True


def _time_stamp(kind: str, data: bytes) -> int:
    if len(data) != _TIME_STAMP:
        raise Rejected("framing", f"a {kind} with a time stamp of {len(data)} bytes")
    return int.from_bytes(data, "big")


def _is_marked(data: bytes, options: Any) -> bool:
    """Whether a value is one of the test mode: it begins with one of `MARKERS`.

    Where the options do not set this mode, the value must also have the form of a marked one: the header of another
    registry may begin with the same byte.
    """
    kind = MARKERS.get(data[0])
    if kind is None:
        return False
    if options.watermarks:
        return True
    return data[1:2] == b"{" if kind == "ddl" else len(data) == 1 + _TIME_STAMP


def _marked(data: bytes) -> tuple[dict[str, Any], str | None]:
    """(tree, text of the JSON) of a value of the test mode."""
    kind = MARKERS[data[0]]
    if kind != "ddl":
        return {"marker": kind, "commit_ts": _time_stamp(kind, data[1:])}, None
    try:
        tree = exact_json.loads(data[1:])
    except Rejected as e:
        raise Rejected(e.reason, f"a DDL statement: {e.message}") from None
    return {"marker": kind, "ddl": tree}, data[1:].decode()


def _identity(tree: Mapping[str, Any]) -> str:
    """The rows and names of a message, without the spelling of its schemas."""
    value = tree["value"]
    parts = [
        part_in(tree["key"], "row"),
        *(part_in(tree[part], "schema", name) for part in ("key", "value") for name in ("namespace", "name")),
        {name: part for name, part in value.items() if name not in ("schema", "varints")} if value else value,
    ]
    return json.dumps(parts, sort_keys=True, default=str)


def read(record: Record, options: Any, schemas: Schemas = NO_SCHEMAS) -> Reading:
    """Take a record apart into its single message; the texts are those of its schemas, or of a DDL statement's JSON.

    The frame has the names of its `headers`. An absent key or value is null, an empty one `""`.

    Raises `Rejected`, with a message that begins with the part: class `framing` for an invalid header, `schema` for an
    id without a schema in the registry, `syntax` for a body that is no datum of its schema.
    """
    tree: dict[str, Any] = {}
    texts: dict[str, str] = {}
    for part, data in (("key", record.key), ("value", record.value)):
        if not data:
            tree[part] = None if data is None else ""
            continue
        try:
            is_marked = part == "value" and _is_marked(data, options)
            tree[part], text = _marked(data) if is_marked else _part(data, schemas, texts.get("key"))
        except Rejected as e:
            raise Rejected(e.reason, f"{part}: {e.message}") from None
        if text is not None:
            texts[part] = text
    headers = [name for name, _ in record.headers]
    return Reading((Message(tree, texts, identity=_identity(tree)),), {"headers": headers})


# -- registrations -----------------------------------------------------------------------------------------------------


def registry_tree(requests: Sequence[RegisteredSchema]) -> Mapping[str, Any]:
    """The requests to the registry: `subjects` has the texts registered under each, in order.

    `repeated` counts the requests that register the last text of their subject again. A dot in a subject counts as an
    underscore. A text is given by its fields; its spelling is compared in the records that use it.  [AV-155]
    """
    subjects: dict[str, list[str]] = {}
    repeated = 0
    last: dict[str, str] = {}
    for request in requests:
        subject = request.subject.replace(".", "_")
        if last.get(subject) == request.schema:
            repeated += 1
            continue
        last[subject] = request.schema
        subjects.setdefault(subject, []).append(_fields_of(request.schema))
    return {"subjects": subjects, "repeated": repeated}


def _fields_of(text: str) -> str:
    """`RECORD(FIELD, FIELD)`; the text itself if it is no schema."""
    try:
        schema, _, _ = _parsed(text)
    except Rejected:
        return text
    return f"{schema['name']}({', '.join(field['name'] for field in schema['fields'])})"
