"""Reads the JSON documents of a record, key and value, and splits each into payload and schema.  [DBZ-021, DBZ-451]"""

from __future__ import annotations

from base64 import b64encode

from reference_impl.connect_json import Document
from reference_impl.errors import Rejected
from reference_impl.exact_json import Tree, loads_merged
from reference_impl.faults import Faults

__all__ = ["open_document", "read_documents"]


def read_documents(value: bytes, key: bytes | None) -> tuple[Tree, Tree | None]:
    """The JSON trees of value and key, None without a key.

    Raises `Rejected`: class `framing` for zero bytes, `syntax` if either is not JSON, `schema` for a duplicate member.
    A row may have two members for a binary default, in base64 and as plain text; the first of them counts.
    """
    faults = Faults()
    trees: list[Tree] = []
    for part, data in (("value", value), ("key", key)):
        tree = None
        if data is not None and faults.expect(data != b"", "framing", f"a {part} of zero bytes"):
            try:
                tree = _load(data)
            except Rejected as e:
                faults.add(e.reason, f"{part}: {e.message}")
        trees.append(tree)
    faults.raise_first()
    return trees[0], trees[1]


def open_document(part: str, tree: Tree, faults: Faults, *, may_be_bare: bool) -> Document | None:
    """The payload and schema of a tree, None after a fault of class `schema`.

    With `may_be_bare` the tree may be the payload itself, as the connector writes it without schemas.
    """
    if not faults.expect(isinstance(tree, dict), "schema", f"the {part} is not an object"):
        return None
    if "payload" not in tree and may_be_bare:
        return Document(tree, None)
    if not faults.expect("payload" in tree, "schema", f"the {part} has no member 'payload'"):
        return None
    fits = faults.expect(isinstance(tree["payload"], dict), "schema", f"'payload' of the {part} is not an object")
    schema = tree.get("schema")
    if "schema" in tree:
        fits &= faults.expect(isinstance(schema, dict), "schema", f"'schema' of the {part} is not an object")
    return Document(tree["payload"], schema) if fits else None


def _load(data: bytes) -> Tree:
    """The JSON tree of a document, in which only rows may have duplicate members. Raises `Rejected`."""
    merged_count = 0

    def merge(pairs: list[tuple[str, Tree]]) -> Tree:
        nonlocal merged_count
        tree = _merge(pairs)
        merged_count += isinstance(tree, _Merged)
        return tree

    tree = loads_merged(data, merge)
    if merged_count:
        payload = tree.get("payload", tree) if isinstance(tree, dict) else None  # without schemas, the tree itself
        rows = [payload.get(image) for image in ("before", "after")] if isinstance(payload, dict) else []
        if merged_count != sum(isinstance(row, _Merged) for row in rows):
            raise Rejected("schema", "doubled member outside a row")
    return tree


class _Merged(dict[str, Tree]):
    """An object with a duplicate member that `_merge` accepted."""


def _merge(pairs: list[tuple[str, Tree]]) -> dict[str, Tree]:
    """An object with the first value of each member.

    Raises `Rejected` (class `schema`) for duplicates, except binary defaults.
    """
    tree = dict(pairs)
    if len(tree) == len(pairs):
        return tree
    merged = _Merged()
    for name in tree:
        values = [value for other, value in pairs if other == name]
        if len(values) > 1 and not _is_default_twice(values):
            raise Rejected("schema", f"doubled member {name!r}")
        merged[name] = values[0]
    return merged


def _is_default_twice(values: list[Tree]) -> bool:
    """Whether the values of a duplicate member are a binary default in base64, and then as plain text.  [DBZ-825]"""
    if len(values) != 2 or not all(isinstance(value, str) for value in values):
        return False
    first, second = values
    return bool(first == b64encode(second.encode("utf-8", "replace")).decode("ascii"))
