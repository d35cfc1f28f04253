"""Reads the documents of a record, key and value, into payload and schema."""

from __future__ import annotations

from dataclasses import dataclass

from reference_impl.errors import Rejected
from reference_impl.exact_json import Tree, loads_strict
from reference_impl.faults import Faults

__all__ = ["Document", "read_document"]


@dataclass(frozen=True, slots=True)
class Document:
    """A payload and its schema, None without one."""

    payload: dict[str, Tree]
    schema: dict[str, Tree] | None


def read_document(part: str, data: bytes, schemas: bool, faults: Faults) -> Document | None:
    """The document in `data`, None after a fault.

    Faults: class `framing` for zero bytes, `syntax` for malformed JSON, `schema` for a duplicate member or a wrong JSON
    kind, and if the document has a schema but `schemas` is false, or the reverse.
    """
    if not faults.expect(data != b"", "framing", f"a {part} of zero bytes"):
        return None
    try:
        tree = loads_strict(data)
    except Rejected as e:
        faults.add(e.reason, f"{part}: {e.message}")
        return None
    if not faults.expect(isinstance(tree, dict), "schema", f"the {part} is not an object"):
        return None
    if not schemas:
        wrapped = tree.keys() == {"schema", "payload"}
        return Document(tree, None) if faults.expect(not wrapped, "schema", f"the {part} has a schema") else None
    for name in ("schema", "payload"):
        is_object = isinstance(tree.get(name), dict)
        if not faults.expect(is_object, "schema", f"the {part} has no object {name!r}: schemas.enable is true"):
            return None
    return Document(tree["payload"], tree["schema"])
