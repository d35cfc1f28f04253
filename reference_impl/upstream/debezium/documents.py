"""The documents of a record, key and value: from bytes to the payload and, with `schemas.enable`, its schema."""

from __future__ import annotations

from dataclasses import dataclass

from reference_impl.errors import Rejected
from reference_impl.exact_json import Tree, loads_strict
from reference_impl.faults import Faults

__all__ = ["Document", "read_document"]


@dataclass(frozen=True, slots=True)
class Document:
    """A payload, and the schema beside it; None without one."""

    payload: dict[str, Tree]
    schema: dict[str, Tree] | None


def read_document(what: str, data: bytes, schemas: bool, faults: Faults) -> Document | None:
    """The document in `data`, None after a fault.

    Faults: class `framing` for no bytes, `syntax` for malformed JSON, `schema` for a duplicate member, another JSON
    kind, and a payload that comes with a schema where there should be none, or without one where there should be.
    """
    if not faults.expect(data != b"", "framing", f"a {what} of zero bytes"):
        return None
    try:
        tree = loads_strict(data)
    except Rejected as e:
        faults.add(e.reason, f"{what}: {e.message}")
        return None
    if not faults.expect(isinstance(tree, dict), "schema", f"the {what} is not an object"):
        return None
    if not schemas:
        wrapped = tree.keys() == {"schema", "payload"}
        return Document(tree, None) if faults.expect(not wrapped, "schema", f"the {what} has a schema") else None
    for name in ("schema", "payload"):
        kind = isinstance(tree.get(name), dict)
        if not faults.expect(kind, "schema", f"the {what} has no object {name!r}: schemas.enable is true"):
            return None
    return Document(tree["payload"], tree["schema"])
