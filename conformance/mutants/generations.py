"""Mutants for generations: encoders that write another generation's style, decoders that read a single style.

Most of these encoders are reported without making a run red: differences between profiles are MAY, except for messages
that a generation lacks. A decoder must read every generation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from conformance.mutants.model import Mutant, MutantBuilder, Wrap, encoders_of
from conformance.mutants.wrappers import Context, Json, edit_answer, reference, refuses
from reference_impl.profiles import PROFILES
from reference_impl.protocols import AVRO, CANAL_JSON, DEBEZIUM, OPEN_PROTOCOL

__all__ = ["GENERATIONS"]

# (style written, style configured) → the requirements that kill the mutants.
_GENERATIONS: Mapping[tuple[str, str], str] = {
    ("classic", "newarch"): "CJ-036a OP-045 DBZ-300e AV-112b",
    ("newarch", "classic"): "CJ-036a OP-045 DBZ-001a AV-112a",
    ("doc", "newarch"): "CJ-011 OP-048b DBZ-052c AV-025",
    ("newarch", "doc"): "CJ-033 OP-048b DBZ-052d AV-026",
    ("doc", "classic"): "CJ-033 OP-045 DBZ-150b AV-025",
    ("classic", "doc"): "CJ-011 OP-045 DBZ-300e AV-026",
}


def _writers() -> Iterator[Mutant]:
    for (written, configured), requirements in _GENERATIONS.items():
        description = f"messages are those of profile {written}, though {configured} is configured"
        for encoder, requirement in encoders_of(requirements):
            mutant = encoder(f"{written}-for-{configured}", requirement, description, profile=configured)
            yield mutant(reference(PROFILES[written]))


_WRITERS = tuple(_writers())

# -- decoders ----------------------------------------------------------------------------------------------------------


def _refuses(is_of_another: Callable[[bytes | None, bytes], bool], option: str = "") -> Wrap:
    """A decoder that refuses a request with a record of another generation, as its key and value show.

    With an `option` it refuses only if that is on.
    """
    return refuses(
        "schema",
        lambda key, value, context: (
            value is not None and (not option or context.is_on(option)) and is_of_another(key, value)
        ),
    )


def _images(ok: Json) -> Iterator[tuple[Json, str]]:
    return ((event, image) for event in ok["events"] for image in ("before", "after") if event.get(image))


def _renamed(row: Json, names: Sequence[str]) -> Json:
    """The values of a row, in order, under its names in another order; a row with other names as it is."""
    return dict(zip(names, row.values(), strict=True)) if set(names) == set(row) else row


def _in_first_order(ok: Json, context: Context) -> None:
    """Give the values of each row, in order, the column names of the first row."""
    names: list[str] = []
    for event, image in _images(ok):
        names = names or list(event[image])
        event[image] = _renamed(event[image], names)


def _in_table_order(ok: Json, context: Context) -> None:
    """Give the values of each row, in order, the column names of the table."""
    columns = {(t["schema"], t["name"]): [c["name"] for c in t["columns"]] for t in context.request.get("tables") or ()}
    for event, image in _images(ok):
        event[image] = _renamed(event[image], columns.get((event["schema"], event["table"]), []))


# In the bytes of a JSON text this is always a member, since in a string its quotes would be escaped.
_ROW = rb'"type":"(?:INSERT|UPDATE|DELETE)"'

_canal_json, _open_protocol, _debezium, _avro = (
    MutantBuilder(dialect.name, "decode") for dialect in (CANAL_JSON, OPEN_PROTOCOL, DEBEZIUM, AVRO)
)

_READERS: tuple[Mutant, ...] = (
    _canal_json("null-types-read-alone", "CJ-801", "an empty object of types, as classic writes it, is refused")(
        _refuses(lambda key, value: b'"mysqlType":{}' in value)
    ),
    _canal_json(
        "empty-types-read-alone", "CJ-801", "a row without types, as the new architecture writes it, is refused"
    )(_refuses(lambda key, value: b'"mysqlType":null' in value and re.search(_ROW, value) is not None)),
    _open_protocol(
        "read-in-table-order",
        "OP-094",
        "a decoder finds columns by their position in the table, though classic sorts them",
    )(edit_answer("decode", _in_table_order)),
    _open_protocol(
        "read-in-order-of-the-first",
        "OP-094",
        "a decoder finds columns by their position in the first row, though generations are mixed",
    )(edit_answer("decode", _in_first_order)),
    _debezium("tidb-types-refused", "DBZ-451a", "schemas with `tidb_type`, which classic never writes, are refused")(
        _refuses(lambda key, value: b'"tidb_type"' in value)
    ),
    _debezium(
        "tidb-types-needed",
        "DBZ-451a",
        "schemas without `tidb_type`, as classic writes them, are refused if the extension is on",
    )(_refuses(lambda key, value: b'"schema":' in value and b'"tidb_type"' not in value, "enable-tidb-extension")),
    _avro(
        "null-keys-refused",
        "AV-200",
        "values without a key, as the new architecture writes for unique keys, are refused",
    )(_refuses(lambda key, value: key is None and value[:1] == b"\0")),
)

GENERATIONS = (*_WRITERS, *_READERS)
