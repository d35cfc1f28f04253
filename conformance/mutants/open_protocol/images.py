"""Encoders that get the images of a row wrong: which there are, and which columns they have.  [OP-040 … OP-060]"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import (
    Tree,
    Wrap,
    columns,
    encoder,
    images,
    row_column,
    rows,
)
from conformance.mutants.wrappers import Context, with_options
from reference_impl.model import Column

__all__ = ["MUTANTS"]

Edit = Callable[[Tree, Tree, Context], Any]


def _deletes_told_twice(key: Tree, value: Tree, context: Context) -> None:
    if "d" in value:
        value["p"] = value["d"]


def _swapped(key: Tree, value: Tree, context: Context) -> None:
    if "p" in value and not _only_updated(context):
        value["u"], value["p"] = value["p"], value["u"]


def _virtual_too(key: Tree, value: Tree, context: Context) -> None:
    tables = [t for t in context.request["tables"] if (t["schema"], t["name"]) == (key["scm"], key["tbl"])]
    for name in [c["name"] for t in tables for c in t["columns"] if c.get("generated") == "virtual"]:
        for image in images(value):
            image[name] = {"t": 15, "f": 64, "v": "x"}


def _stored_out(key: Tree, value: Tree, context: Context) -> None:
    for image in images(value):
        for name in [*image]:
            column = row_column(key, context, name)
            if column is not None and column.generated == "stored":
                del image[name]


def _handle(image: Tree) -> Tree:
    return {name: given for name, given in image.items() if given.get("h")}


def _on(context: Context, option: str) -> bool:
    return context.options.get(option) == "true"


def _only_updated(context: Context) -> bool:
    return _on(context, "only-output-updated-columns")


def _keys_in_p(key: Tree, value: Tree, context: Context) -> None:
    if _only_updated(context) and "p" in value and "ohk" not in key:
        for name, given in _handle(value["u"]).items():
            value["p"].setdefault(name, given)


def _marked(is_marked: Callable[[int], bool]) -> Wrap:
    """Columns whose flags fit have `h`, at its place."""

    def edit(given: Tree, column: Column) -> None:
        if is_marked(given["f"]) and "h" not in given:
            members = dict(given)
            given.clear()
            given.update(t=members.pop("t"), h=True, **members)

    return columns(lambda column: True, edit)


MUTANTS: tuple[Mutant, ...] = (
    encoder("delete-with-previous-image", "OP-041", "a delete has its row as `p`, too", rows(_deletes_told_twice)),
    encoder(
        "old-values-always",
        "OP-042",
        "open-output-old-value=false is not heard",
        with_options(open_output_old_value=None),
        "OP-030",
        "OP-031",
        "OP-040",
        "OP-170",
        "OP-172",
    ),
    encoder("images-swapped", "OP-040", "`u` has the row before an update, `p` that after it", rows(_swapped)),
    encoder(
        "flag-0-left-out",
        "OP-044",
        "`f` is left out where it is 0",
        columns(lambda column: True, lambda given, column: given.pop("f") if not given["f"] else None),
    ),
    encoder(
        "handle-false-written",
        "OP-044a",
        "`h` is written where it is false",
        columns(lambda column: True, lambda given, column: given.setdefault("h", False)),
    ),
    encoder("virtual-columns-too", "OP-046", "virtual generated columns are written, too", rows(_virtual_too)),
    encoder(
        "stored-columns-left-out",
        "OP-046",
        "stored generated columns are left out as virtual ones are",
        rows(_stored_out),
        "OP-042",
        "OP-048",
        "OP-048a",
        "OP-055",
        "OP-059",
    ),
    encoder(
        "deletes-whole-always",
        "OP-048a",
        "delete-only-output-handle-key-columns is not heard",
        with_options(delete_only_output_handle_key_columns=None),
    ),
    encoder(
        "indexed-columns-marked-as-handle",
        "OP-052",
        "`h` is true for columns of indexes that are not unique, too",
        _marked(lambda flags: flags & 0x20 > 0 and not flags & 0x1A),
    ),
    encoder(
        "unique-columns-marked-as-handle",
        "OP-052a",
        "`h` is true for a column that is unique by itself beside the handle index",
        _marked(lambda flags: flags & 0x10 > 0 and not flags & 0x2A),
    ),
    encoder(
        "unchanged-columns-kept",
        "OP-055",
        "only-output-updated-columns is not heard",
        with_options(only_output_updated_columns=None),
        "OP-056",
        "OP-058",
    ),
    encoder(
        "keys-kept-in-previous-image",
        "OP-056",
        "key columns stay in `p` where they did not change",
        rows(_keys_in_p),
    ),
)
