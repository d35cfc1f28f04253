"""Reads the two documents of a record, key and value, into payload and schema.

[DBZ-021, DBZ-451]
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass

from reference_impl.errors import Rejected
from reference_impl.exact_json import Tree, loads_merged
from reference_impl.faults import Faults

__all__ = ["PAYLOAD", "Document", "open_document", "read_documents"]

PAYLOAD = b'{"payload":'


class _Mended(dict[str, Tree]):
    """An object with a duplicate column that `_merge` accepted."""


def _is_default_twice(values: list[Tree]) -> bool:
    """Whether a member is duplicated as a recorded producer writes a binary default: base64, then plain.  [DBZ-825]"""
    if len(values) != 2 or not all(isinstance(value, str) for value in values):
        return False
    first, second = values
    return bool(first == b64encode(second.encode("utf-8", "replace")).decode("ascii"))


def _merge(pairs: list[tuple[str, Tree]]) -> dict[str, Tree]:
    """The first of each member.

    Raises `Rejected` (class `schema`) for duplicates, except binary defaults.
    """
    tree = dict(pairs)
    if len(tree) == len(pairs):
        return tree
    first: _Mended = _Mended()
    for name in tree:
        values = [value for other, value in pairs if other == name]
        if len(values) > 1 and not _is_default_twice(values):
            raise Rejected("schema", f"doubled member {name!r}")
        first[name] = values[0]
    return first


def _load(data: bytes) -> Tree:
    made = 0

    def merge(pairs: list[tuple[str, Tree]]) -> Tree:
        nonlocal made
        tree = _merge(pairs)
        made += isinstance(tree, _Mended)
        return tree

    tree = loads_merged(data, merge)
    if made:
        payload = tree.get("payload", tree) if isinstance(tree, dict) else None
        rows = [payload.get(image) for image in ("before", "after")] if isinstance(payload, dict) else []
        if made != sum(isinstance(row, _Mended) for row in rows):
            raise Rejected("schema", "doubled member outside a row")
    return tree


def read_documents(value: bytes, key: bytes | None) -> tuple[Tree, Tree | None]:
    """The trees of value and key; None for no key.

    Raises `Rejected`: class `framing` for no bytes, `syntax` if either is not JSON, `schema` for a duplicate member,
    unless it is a binary default in a row, written in base64 and then as it is: of these the first counts.
    """
    faults = Faults()
    trees: list[Tree] = []
    for what, data in (("value", value), ("key", key)):
        tree = None
        if data is not None and faults.expect(data != b"", "framing", f"a {what} of zero bytes"):
            try:
                tree = _load(data)
            except Rejected as e:
                faults.add(e.reason, f"{what}: {e.message}")
        trees.append(tree)
    faults.settle()
    return trees[0], trees[1]


@dataclass(frozen=True, slots=True)
class Document:
    """A payload and its schema or None."""

    payload: dict[str, Tree]
    schema: dict[str, Tree] | None


def open_document(what: str, tree: Tree, faults: Faults, *, may_be_bare: bool) -> Document | None:
    """The payload and schema of a tree, None after a fault of class `schema`.

    A tree that may be bare can be a payload alone, as the connector may write it.
    """
    if not faults.expect(isinstance(tree, dict), "schema", f"the {what} is not an object"):
        return None
    if "payload" not in tree and may_be_bare:
        return Document(tree, None)
    if not faults.expect("payload" in tree, "schema", f"the {what} has no member 'payload'"):
        return None
    fits = faults.expect(isinstance(tree["payload"], dict), "schema", f"'payload' of the {what} is not an object")
    schema = tree.get("schema")
    if "schema" in tree:
        fits &= faults.expect(isinstance(schema, dict), "schema", f"'schema' of the {what} is not an object")
    return Document(tree["payload"], schema) if fits else None
