"""Encoders with wrong frames or event keys, or wrong codes, values or flags of columns."""

from __future__ import annotations

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import (
    Tree,
    columns,
    encoder,
    frames,
    in_families,
    member,
    rows,
)
from conformance.mutants.wrappers import Context, reference
from reference_impl.column_types import TEXT, Family
from reference_impl.compression import compress
from reference_impl.model import Column
from reference_impl.open_protocol.framing import frame, unframe
from reference_impl.profiles import NEWARCH

__all__ = ["MUTANTS"]

_BINARY, _GENERATED, _MULTIPLE = 1, 4, 32
"""Bits of a column's flags; `_MULTIPLE` is that of a key of several columns."""

_NULL_CODE = 6
"""MySQL's code of the type NULL."""

_TEXT_TYPES = TEXT - {Family.CHAR, Family.VARCHAR}


def _compress_keys(key: bytes, value: bytes, context: Context) -> tuple[bytes | None, bytes | None]:
    compression = context.options.get("large-message-handle-compression", "none")
    return frame((compress(compression, k), v) for k, v in unframe(key, value))


def _remove_mark(key: Tree, value: Tree, context: Context) -> None:
    key.pop("ohk", None)


def _replace_code_of_null(described: Tree, column: Column) -> None:
    if described["v"] is None:
        described["t"] = _NULL_CODE


MUTANTS: tuple[Mutant, ...] = (
    encoder("event-keys-compressed", "OP-011", "event keys are compressed as event values are", frames(_compress_keys)),
    encoder("reduced-row-unmarked", "OP-030", "`ohk` is left out of the key of a reduced row", rows(_remove_mark)),
    encoder(
        "null-under-code-6",
        "OP-119",
        "a column that is NULL has the code 6",
        columns(lambda column: True, _replace_code_of_null),
    ),
    encoder(
        "raw-bytes-in-text",
        "OP-077",
        "bytes of a text that are not UTF-8 are copied",
        reference(NEWARCH, "open-protocol/raw-invalid-utf8"),
    ),
    encoder(
        "text-with-binary-flag",
        "OP-122",
        "TEXT types have the binary flag",
        member("f", lambda flags, column: flags | _BINARY, in_families(*_TEXT_TYPES)),
    ),
    encoder(
        "generated-column-never-in-a-composite-key",
        "OP-255",
        "a generated column lacks the flag for a key of several columns",
        member("f", lambda flags, column: flags & ~_MULTIPLE if flags & _GENERATED else flags),
        profile="classic",
    ),
)
