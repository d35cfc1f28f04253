"""Edits of records, the same for both dialects: trees are changed, and those that are not keep their bytes."""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeAlias

from conformance.mutants.model import Answerer
from conformance.mutants.wrappers import Context, dump, edit_answer
from reference_impl import exact_json

__all__ = ["Edit", "Json", "Wrap", "edit_records", "edit_texts", "edit_trees", "payload_of", "tree_of"]

Json: TypeAlias = dict[str, Any]
Wrap: TypeAlias = Callable[[Answerer], Answerer]
Edit: TypeAlias = Callable[[Any, Context], None]
"""Changes a tree in place."""


def tree_of(record: Json) -> Any:
    """The value of a record as an exact tree, None without one."""
    return None if record["value"] is None else exact_json.loads(base64.b64decode(record["value"]))


def payload_of(tree: Any) -> Any:
    """The payload of a document that may stand beside its schema."""
    return tree["payload"] if tree.keys() == {"schema", "payload"} else tree


def edit_records(edit: Callable[[Json, Context], list[Json] | None]) -> Wrap:
    """An encoder that sends other records in place of one; None leaves it, changed or not."""

    def each(ok: Json, context: Context) -> None:
        records: list[Json] = []
        for context.position, record in enumerate(ok["records"]):
            changed = edit(record, context)
            records += [record] if changed is None else changed
        ok["records"] = records

    return edit_answer("encode", each)


def edit_trees(edit: Edit) -> Wrap:
    """An encoder whose values are edited as trees."""

    def each(record: Json, context: Context) -> None:
        tree = tree_of(record)
        if tree is None:
            return
        before = copy.deepcopy(tree)
        edit(tree, context)
        if not exact_json.same(tree, before):
            record["value"] = base64.b64encode(dump(_written(tree))).decode("ascii")

    return edit_records(each)


class _Fraction(Decimal):
    """A number that was written with a point or an exponent, and is again."""

    def __str__(self) -> str:
        text = super().__str__()
        return text if "." in text or "E" in text else f"{text}.0"


def _written(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {name: _written(part) for name, part in tree.items()}
    if isinstance(tree, list):
        return [_written(part) for part in tree]
    return _Fraction(tree) if isinstance(tree, Decimal) else tree


def edit_texts(edit: Callable[[bytes], bytes]) -> Wrap:
    """An encoder whose values are edited as bytes."""

    def each(record: Json, context: Context) -> None:
        if record["value"] is not None:
            record["value"] = base64.b64encode(edit(base64.b64decode(record["value"]))).decode("ascii")

    return edit_records(each)
