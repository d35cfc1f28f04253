"""Decoders that answer wrong events, refuse valid records or accept damaged ones."""

from __future__ import annotations

from conformance.mutants.avro.edits import decoder
from conformance.mutants.avro.rewriting import RegistryRewriter
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context, accepts, read_rows, refuses
from reference_impl.avro.framing import DELETE
from reference_impl.errors import Rejected
from reference_impl.registry import Registry

__all__ = ["MUTANTS"]


def _is_marked_delete(key: bytes | None, value: bytes | None, context: Context) -> bool:
    return key is not None and value is not None and value[:1] == bytes((DELETE,))


def _compact_only(registry: Registry, schema_id: int) -> str:
    text = registry.schema(schema_id)
    if '": ' in text or '" ' in text or text[:1] != "{":
        raise Rejected("schema", "white space in a schema")
    return text


MUTANTS: tuple[Mutant, ...] = (
    decoder("updates-as-inserts", "AV-204", "an update is answered as an insert")(
        read_rows(lambda event, context: event.update(op="insert") if event["op"] == "update" else None)
    ),
    decoder("marked-deletes-refused", "AV-131b", "a delete with a time stamp is refused")(
        refuses("framing", _is_marked_delete)
    ),
    decoder("schemas-with-blanks-refused", "AV-175", "a schema with white space is refused")(
        RegistryRewriter(look_up=_compact_only)
    ),
    decoder("numbers-not-checked", "AV-019", "a number may have any length")(
        accepts("syntax", "a number of", "is no number")
    ),
    decoder("branches-not-checked", "AV-052a", "a branch that the union lacks is accepted")(
        accepts("syntax", "is no branch")
    ),
)
