"""Encoders that get the images of a row wrong: which there are, and which columns they have.  [OP-040 … OP-060]"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import (
    Tree,
    Wrap,
    columns,
    encoder,
    images,
    member,
    row_column,
    rows,
)
from conformance.mutants.wrappers import Context, reference, with_options
from reference_impl.model import Column
from reference_impl.profiles import CLASSIC, NEWARCH

__all__ = ["MUTANTS"]

Edit = Callable[[Tree, Tree, Context], Any]


def _renamed(name: str, other: str) -> Edit:
    def edit(key: Tree, value: Tree, context: Context) -> None:
        if name in value:
            value[other] = value.pop(name)

    return edit


def _deletes_told_twice(key: Tree, value: Tree, context: Context) -> None:
    if "d" in value:
        value["p"] = value["d"]


def _previous_of_inserts(key: Tree, value: Tree, context: Context) -> None:
    if "d" not in value:
        value.setdefault("p", {})


def _as_lists(key: Tree, value: Tree, context: Context) -> None:
    for name, image in value.items():
        value[name] = [{"name": column, **given} for column, given in image.items()]


def _bare(key: Tree, value: Tree, context: Context) -> None:
    for image in images(value):
        image.update({name: given["v"] for name, given in image.items()})


def _swapped(key: Tree, value: Tree, context: Context) -> None:
    if "p" in value and not _only_updated(context):
        value["u"], value["p"] = value["p"], value["u"]


def _last_lost(key: Tree, value: Tree, context: Context) -> None:
    for image in images(value, "u"):
        if len(image) > 1:
            image.popitem()


def _nulls_lost(image: Tree, others: Iterable[Tree] = ()) -> None:
    for name in [name for name, given in image.items() if given["v"] is None]:
        del image[name]


def _nulls_out(key: Tree, value: Tree, context: Context) -> None:
    for image in images(value, "u"):
        _nulls_lost(image)


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


def _deletes_of_handle(key: Tree, value: Tree, context: Context) -> None:
    if "d" in value and "ohk" not in key:
        value["d"] = _handle(value["d"]) or value["d"]


def _on(context: Context, option: str) -> bool:
    return context.options.get(option) == "true"


def _only_updated(context: Context) -> bool:
    return _on(context, "only-output-updated-columns")


def _new_image_reduced(key: Tree, value: Tree, context: Context) -> None:
    if _only_updated(context) and value.get("p"):
        value["u"] = {name: given for name, given in value["u"].items() if name in value["p"]} or value["u"]


def _keys_in_p(key: Tree, value: Tree, context: Context) -> None:
    if _only_updated(context) and "p" in value and "ohk" not in key:
        for name, given in _handle(value["u"]).items():
            value["p"].setdefault(name, given)


def _nulls_in_p_lost(key: Tree, value: Tree, context: Context) -> None:
    if _only_updated(context) and "p" in value:
        _nulls_lost(value["p"])


def _became_null_lost(key: Tree, value: Tree, context: Context) -> None:
    if _only_updated(context) and "p" in value:
        for name in [name for name, given in value["u"].items() if given["v"] is None]:
            value["p"].pop(name, None)


def _deletes_reduced(key: Tree, value: Tree, context: Context) -> None:
    if _only_updated(context):
        _deletes_of_handle(key, value, context)


def _marked(is_marked: Callable[[int], bool]) -> Wrap:
    """Columns whose flags fit have `h`, at its place."""

    def edit(given: Tree, column: Column) -> None:
        if is_marked(given["f"]) and "h" not in given:
            members = dict(given)
            given.clear()
            given.update(t=members.pop("t"), h=True, **members)

    return columns(lambda column: True, edit)


MUTANTS: tuple[Mutant, ...] = (
    encoder(
        "column-lost",
        "OP-040",
        "the last column of a new image is lost",
        rows(_last_lost),
        "OP-046",
        "OP-055",
        "OP-059",
        "OP-160",
        "OP-170",
    ),
    encoder(
        "null-columns-left-out",
        "OP-040",
        "columns that are NULL are left out of a new image",
        rows(_nulls_out),
        "OP-046",
        "OP-055",
        "OP-059",
    ),
    encoder("images-spelled-out", "OP-041", "the new image is called `new`", rows(_renamed("u", "new")), "OP-040"),
    encoder("delete-as-new-image", "OP-041", "a delete has its row as `u`", rows(_renamed("d", "u"))),
    encoder("delete-with-previous-image", "OP-041", "a delete has its row as `p`, too", rows(_deletes_told_twice)),
    encoder(
        "insert-with-empty-previous-image",
        "OP-041",
        "an insert has an empty `p`",
        rows(_previous_of_inserts),
        "OP-042",
        "OP-059",
    ),
    encoder(
        "no-previous-image",
        "OP-042",
        "updates never have `p`",
        with_options(open_output_old_value="false"),
        "OP-030",
        "OP-031",
        "OP-160",
        "OP-170",
        "OP-172",
    ),
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
    encoder(
        "previous-image-without-unchanged",
        "OP-042",
        "updates always have changed columns in `p` only",
        with_options(only_output_updated_columns="true"),
        "OP-160",
        "OP-170",
        "OP-172",
    ),
    encoder("columns-as-a-list", "OP-040", "an image is a list of columns", rows(_as_lists)),
    encoder("images-swapped", "OP-040", "`u` has the row before an update, `p` that after it", rows(_swapped)),
    encoder(
        "bare-values",
        "OP-043",
        "a column is its value without a type",
        rows(_bare),
        "OP-058",
    ),
    encoder(
        "value-of-null-left-out",
        "OP-044",
        "a column that is NULL has no `v`",
        columns(lambda column: True, lambda given, column: given.pop("v") if given["v"] is None else None),
    ),
    encoder(
        "flag-0-left-out",
        "OP-044",
        "`f` is left out where it is 0",
        columns(lambda column: True, lambda given, column: given.pop("f") if not given["f"] else None),
    ),
    encoder(
        "flag-as-text",
        "OP-044",
        "`f` is a list of words",
        member("f", lambda flag, column: "nullable" if flag & 0x40 else ""),
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
        "delete-of-handle-columns",
        "OP-048",
        "a delete has the handle columns only",
        rows(_deletes_of_handle),
    ),
    encoder(
        "deletes-whole-always",
        "OP-048a",
        "delete-only-output-handle-key-columns is not heard",
        with_options(delete_only_output_handle_key_columns=None),
    ),
    encoder(
        "handle-not-marked",
        "OP-052",
        "`h` is never written",
        columns(lambda column: True, lambda given, column: given.pop("h", None) and None),
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
        "primary-key-columns-alone-are-handle",
        "OP-250",
        "`h` is true for the columns of a primary key only",
        columns(lambda column: True, lambda given, column: given.pop("h", None) if not given["f"] & 0x08 else None),
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
        "new-image-reduced-too",
        "OP-055",
        "with only-output-updated-columns `u` has the changed columns only",
        rows(_new_image_reduced),
    ),
    encoder(
        "keys-kept-in-previous-image",
        "OP-056",
        "key columns stay in `p` where they did not change",
        rows(_keys_in_p),
    ),
    encoder(
        "empty-previous-image-left-out",
        "OP-057",
        "an empty `p` is left out",
        rows(lambda key, value, context: value.pop("p") and None if value.get("p") == {} else None),
    ),
    encoder("old-null-left-out", "OP-058", "columns that were NULL are left out of `p`", rows(_nulls_in_p_lost)),
    encoder("new-null-left-out", "OP-058", "columns that become NULL are left out of `p`", rows(_became_null_lost)),
    encoder(
        "nameless-null",
        "OP-058",
        "columns that become NULL stand in `p` without a name",
        reference(NEWARCH, "open-protocol/nameless-null-in-p"),
        "OP-172",
    ),
    encoder(
        "deletes-reduced-with-updated-columns",
        "OP-059",
        "with only-output-updated-columns a delete has the handle columns only",
        rows(_deletes_reduced),
    ),
    encoder(
        "previous-image-first",
        "OP-040a",
        "`p` stands before `u`",
        rows(lambda key, value, context: value.update(u=value.pop("u")) if "p" in value else None),
    ),
    encoder(
        "columns-by-name",
        "OP-045",
        "the columns of an image stand in the order of their names",
        reference(CLASSIC),
    ),
    encoder(
        "value-before-flag",
        "OP-043a",
        "`v` stands before `f`",
        columns(lambda column: True, lambda given, column: given.update(v=given.pop("v"), f=given.pop("f"))),
    ),
)
