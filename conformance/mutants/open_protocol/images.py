"""Encoders with wrong images of a row, or wrong columns in them."""

from __future__ import annotations

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import (
    Tree,
    encoder,
    images,
    rows,
)
from conformance.mutants.wrappers import Context, with_options

__all__ = ["MUTANTS"]


def _swapped(key: Tree, value: Tree, context: Context) -> None:
    if "p" in value and not _only_updated(context):
        value["u"], value["p"] = value["p"], value["u"]


def _virtual_too(key: Tree, value: Tree, context: Context) -> None:
    tables = [t for t in context.request["tables"] if (t["schema"], t["name"]) == (key["scm"], key["tbl"])]
    for name in [c["name"] for t in tables for c in t["columns"] if c.get("generated") == "virtual"]:
        for image in images(value):
            image[name] = {"t": 15, "f": 64, "v": "x"}


def _only_updated(context: Context) -> bool:
    return context.options.get("only-output-updated-columns") == "true"


def _keys_in_p(key: Tree, value: Tree, context: Context) -> None:
    if _only_updated(context) and "p" in value and "ohk" not in key:
        for name, column in value["u"].items():
            if column.get("h"):
                value["p"].setdefault(name, column)


MUTANTS: tuple[Mutant, ...] = (
    encoder(
        "old-values-always",
        "OP-042",
        "open-output-old-value=false is ignored",
        with_options(open_output_old_value=None),
    ),
    encoder("images-swapped", "OP-040", "`u` has the row before an update, `p` that after it", rows(_swapped)),
    encoder("virtual-columns-too", "OP-046", "virtual generated columns are written, too", rows(_virtual_too)),
    encoder(
        "unchanged-columns-kept",
        "OP-055",
        "only-output-updated-columns is ignored",
        with_options(only_output_updated_columns=None),
    ),
    encoder(
        "keys-kept-in-previous-image",
        "OP-056",
        "unchanged key columns stay in `p`",
        rows(_keys_in_p),
    ),
)
