"""Encoders with wrong frames, types or flags.  [OP-011, OP-030, OP-077 … OP-129a, OP-250 … OP-255]"""

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
from reference_impl.open_protocol.framing import frame, unframe
from reference_impl.profiles import NEWARCH

__all__ = ["MUTANTS"]

_BINARY, _GENERATED, _MULTIPLE = 1, 4, 32
"""Bits of a column's flags."""

_TEXTS = tuple(family for family in Family if family in TEXT - {Family.CHAR, Family.VARCHAR})


def _keys_compressed(key: bytes, value: bytes, context: Context) -> tuple[bytes | None, bytes | None]:
    kind = context.options.get("large-message-handle-compression", "none")
    return frame((compress(kind, k), v) for k, v in unframe(key, value))


def _unmarked(key: Tree, value: Tree, context: Context) -> None:
    key.pop("ohk", None)


MUTANTS: tuple[Mutant, ...] = (
    encoder(
        "event-keys-compressed", "OP-011", "event keys are compressed as event values are", frames(_keys_compressed)
    ),
    encoder("reduced-row-unmarked", "OP-030", "`ohk` is left out of the key of a reduced row", rows(_unmarked)),
    encoder(
        "null-under-code-6",
        "OP-119",
        "a column that is NULL has the code 6",
        columns(lambda c: True, lambda described, c: described.update(t=6) if described["v"] is None else None),
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
        member("f", lambda flags, column: flags | _BINARY, in_families(*_TEXTS)),
    ),
    encoder(
        "generated-column-never-in-a-composite-key",
        "OP-255",
        "a generated column lacks the flag for a key of several columns",
        member("f", lambda flags, column: flags & ~_MULTIPLE if flags & _GENERATED else flags, lambda column: True),
        profile="classic",
    ),
)
