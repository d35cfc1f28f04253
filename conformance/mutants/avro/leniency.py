"""Decoders that let pass what they must refuse.  [AV-015 … AV-032a, AV-130g, AV-130h, AV-175a, AV-203d … AV-210]"""

from __future__ import annotations

from conformance.mutants.avro.edits import decoder
from conformance.mutants.avro.forgery import asking
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import accepts
from reference_impl.errors import Rejected
from reference_impl.registry import Registry

__all__ = ["MUTANTS"]


def _either_end(registry: Registry, schema_id: int) -> str:
    """An id that is not known is tried the other way round."""
    try:
        return registry.schema(schema_id)
    except Rejected:
        return registry.schema(int.from_bytes(schema_id.to_bytes(4, "big"), "little"))


MUTANTS: tuple[Mutant, ...] = (
    decoder(
        "first-byte-not-checked",
        "AV-015",
        "a header may begin with any byte",
        accepts("framing", "begins with"),
        "AV-017",
    ),
    decoder(
        "ids-of-either-end",
        "AV-015a",
        "the id may be little-endian",
        lambda inner: inner,
        "AV-175a",
        registry=asking(look_up=_either_end),
    ),
    decoder(
        "length-not-checked",
        "AV-017",
        "a key or value may be shorter than the header",
        accepts("framing", "the header alone has"),
    ),
    decoder(
        "marks-read", "AV-018", "marks before a body are passed over", accepts("framing", "0x4f", "0xc3"), "AV-017"
    ),
    decoder(
        "bodies-not-checked",
        "AV-018a",
        "a body that is cut is read",
        accepts("syntax", "the bytes end"),
        "AV-052a",
        "AV-083b",
    ),
    decoder(
        "numbers-not-checked",
        "AV-019",
        "a number may have any length",
        accepts("syntax", "a number of", "is no number", "4 bytes after"),
        "AV-018a",
    ),
    decoder(
        "branches-not-checked",
        "AV-052a",
        "a branch that is not there is null",
        accepts("syntax", "branch"),
        "AV-018a",
    ),
    decoder(
        "fields-of-keys-not-checked",
        "AV-030b",
        "a key may have fields that are no columns",
        accepts("schema", "fields that are no columns"),
    ),
    decoder("schemas-not-checked", "AV-032a", "any text is a schema", accepts("schema", "no schema of a record")),
    decoder(
        "ids-not-checked",
        "AV-175a",
        "a record of an unknown schema is passed over",
        accepts("schema", "the registry has no schema"),
        "AV-015a",
    ),
    decoder(
        "extension-not-checked",
        "AV-203d",
        "a value may lack fields of the extension",
        accepts("schema", "a value without"),
    ),
    decoder("op-not-checked", "AV-204a", "any word is an operation", accepts("type", "_tidb_op is")),
    decoder(
        "tidb-types-not-checked", "AV-206a", "any tidb_type is read as its Avro type", accepts("type", "tidb_type")
    ),
    decoder(
        "values-not-checked",
        "AV-206b",
        "a value outside its type is read",
        accepts("range", "is outside", "is no", "is not"),
    ),
    decoder("forms-not-checked", "AV-206b", "any text is a date", accepts("type", "is not a date")),
    decoder(
        "keys-not-compared",
        "AV-206c",
        "a key may be that of another row",
        accepts("semantics", "a key of", "of the key"),
    ),
    decoder(
        "physical-time-not-compared", "AV-206c", "the physical time may be any", accepts("semantics", "is not that of")
    ),
    decoder(
        "bytes-behind-read",
        "AV-210",
        "bytes behind a datum are passed over",
        accepts("syntax", "after the record"),
        "AV-213",
    ),
    decoder(
        "mode-not-checked",
        "AV-130h",
        "the test mode is read where it is off",
        accepts("semantics", "without enable-tidb-extension"),
        "AV-213",
    ),
    decoder("statement-not-checked", "AV-130g", "a DDL message may lack members", accepts("schema", "a DDL message")),
)
