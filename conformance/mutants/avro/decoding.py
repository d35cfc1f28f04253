"""Decoders that answer wrong events, or refuse valid records."""

from __future__ import annotations

from conformance.mutants.avro.edits import decoder, read_rows, refuses
from conformance.mutants.avro.rewriting import Tree, registry_wrapper
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context
from reference_impl.avro.framing import DELETE, ROW
from reference_impl.errors import Rejected
from reference_impl.registry import Registry

__all__ = ["MUTANTS"]

# -- events ------------------------------------------------------------------------------------------------------------


def _as_insert(event: Tree, context: Context) -> None:
    if event["op"] == "update":
        event["op"] = "insert"


_EVENTS = (decoder("updates-as-inserts", "AV-204", "an update is answered as an insert", read_rows(_as_insert)),)


def _begins(value: bytes | None, first: int) -> bool:
    return value is not None and value[:1] == bytes((first,))


# -- watermark mode ----------------------------------------------------------------------------------------------------


_MODE = (
    decoder(
        "marked-deletes-refused",
        "AV-131b",
        "a delete with a time stamp is refused",
        refuses("framing", lambda key, value: key is not None and _begins(value, DELETE)),
    ),
)

# -- refusals ----------------------------------------------------------------------------------------------------------


def _compact_only(registry: Registry, schema_id: int) -> str:
    text = registry.schema(schema_id)
    if '": ' in text or '" ' in text or text[:1] != "{":
        raise Rejected("schema", "white space in a schema")
    return text


_REFUSALS = (
    decoder(
        "rows-without-key-refused",
        "AV-200",
        "a row without a key is refused",
        refuses("framing", lambda key, value: key is None and _begins(value, ROW)),
    ),
    decoder(
        "schemas-with-blanks-refused",
        "AV-175",
        "a schema with white space is refused",
        registry=registry_wrapper(look_up=_compact_only),
    ),
)

MUTANTS: tuple[Mutant, ...] = (*_EVENTS, *_MODE, *_REFUSALS)
