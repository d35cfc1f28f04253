"""Encoders with wrong event keys, wrong images of a row, or wrong codes, values or flags of columns."""

from __future__ import annotations

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import columns, encoder, images, member, rows
from conformance.mutants.wrappers import (
    Context,
    Json,
    KeyAndValue,
    edit_bytes,
    ignores,
    in_families,
    reference,
    with_options,
)
from reference_impl.column_types import TEXT, Family
from reference_impl.compression import compress
from reference_impl.open_protocol.framing import frame, unframe
from reference_impl.profiles import NEWARCH

__all__ = ["MUTANTS"]

# -- event keys --------------------------------------------------------------------------------------------------------


def _compress_keys(key: bytes | None, value: bytes | None, context: Context) -> KeyAndValue:
    return frame((compress(context.compression, k), v) for k, v in unframe(key or b"", value or b""))


# -- columns -----------------------------------------------------------------------------------------------------------

_BINARY, _GENERATED, _MULTIPLE = 1, 4, 32
"""Bits of a column's flags; `_MULTIPLE` is that of a key of several columns."""

_NULL_CODE = 6
"""MySQL's code of the type NULL."""

_TEXT_TYPES = TEXT - {Family.CHAR, Family.VARCHAR}


# -- images ------------------------------------------------------------------------------------------------------------


def _swapped(key: Json, value: Json, context: Context) -> None:
    if "p" in value and not context.is_on("only-output-updated-columns"):
        value["u"], value["p"] = value["p"], value["u"]


def _virtual_too(key: Json, value: Json, context: Context) -> None:
    tables = [t for t in context.request["tables"] if (t["schema"], t["name"]) == (key["scm"], key["tbl"])]
    for name in [c["name"] for t in tables for c in t["columns"] if c.get("generated") == "virtual"]:
        for image in images(value):
            image[name] = {"t": 15, "f": 64, "v": "x"}


def _keys_in_p(key: Json, value: Json, context: Context) -> None:
    if context.is_on("only-output-updated-columns") and "p" in value and "ohk" not in key:
        for name, column in value["u"].items():
            if column.get("h"):
                value["p"].setdefault(name, column)


MUTANTS: tuple[Mutant, ...] = (
    encoder("event-keys-compressed", "OP-011", "event keys are compressed as event values are")(
        edit_bytes(_compress_keys)
    ),
    encoder("reduced-row-unmarked", "OP-030", "`ohk` is left out of the key of a reduced row")(
        rows(lambda key, value, context: key.pop("ohk", None))
    ),
    encoder("null-under-code-6", "OP-119", "a column that is NULL has the code 6")(
        columns(
            lambda column: True,
            lambda described, column: described.update(t=_NULL_CODE) if described["v"] is None else None,
        )
    ),
    encoder("raw-bytes-in-text", "OP-077", "bytes of a text that are not UTF-8 are copied")(
        reference(NEWARCH, "open-protocol/raw-invalid-utf8")
    ),
    encoder("text-with-binary-flag", "OP-122", "TEXT types have the binary flag")(
        member("f", lambda flags: flags | _BINARY, in_families(*_TEXT_TYPES))
    ),
    encoder(
        "generated-column-never-in-a-composite-key",
        "OP-255",
        "a generated column lacks the flag for a key of several columns",
        profile="classic",
    )(member("f", lambda flags: flags & ~_MULTIPLE if flags & _GENERATED else flags)),
    encoder("old-values-always", "OP-042", "open-output-old-value=false is ignored")(
        with_options(open_output_old_value=None)
    ),
    encoder("images-swapped", "OP-040", "`u` has the row before an update, `p` that after it")(rows(_swapped)),
    encoder("virtual-columns-too", "OP-046", "virtual generated columns are written, too")(rows(_virtual_too)),
    encoder("unchanged-columns-kept", "OP-055", "only-output-updated-columns is ignored")(
        ignores("only-output-updated-columns")
    ),
    encoder("keys-kept-in-previous-image", "OP-056", "unchanged key columns stay in `p`")(rows(_keys_in_p)),
)
