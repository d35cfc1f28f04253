"""Sorts the members of a message whose order differs from its producer's.

Readers of JSON ignore the order.
"""

from __future__ import annotations

from dataclasses import replace

import orjson

from reference_impl import exact_json
from reference_impl.errors import Rejected
from reference_impl.model import Record

__all__ = ["with_members_in_order"]


def with_members_in_order(record: Record) -> Record | None:
    """The record with the outermost members of its value sorted by name.

    None if they are sorted, if one occurs twice, or if the value is no object that can be written again.
    """
    try:
        tree = exact_json.loads(record.value or b"")
    except Rejected:
        return None
    if not isinstance(tree, exact_json.Object) or tree.doubled or [*tree] == sorted(tree):
        return None
    try:
        return replace(record, value=orjson.dumps({name: tree[name] for name in sorted(tree)}))
    except orjson.JSONEncodeError:  # a number beyond 64 bits, which no member of the dialect has
        return None
