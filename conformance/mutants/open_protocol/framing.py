"""Encoders that get frames, event keys, DDL and resolved events wrong.  [OP-001 … OP-034, OP-065 … OP-066, OP-143 …]"""

from __future__ import annotations

from collections.abc import Callable

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import (
    Tree,
    ddl,
    encoder,
    events,
    frames,
    pairs,
    put,
    resolved,
    rows,
)
from conformance.mutants.wrappers import Context
from reference_impl.compression import compress
from reference_impl.open_protocol.framing import frame, unframe

__all__ = ["MUTANTS"]

Sides = tuple[bytes | None, bytes | None]

# -- frames ------------------------------------------------------------------------------------------------------------


def _is_resolved(key: bytes, value: bytes) -> bool:
    return not any(v for _, v in unframe(key, value))


def _keys_compressed(key: bytes, value: bytes, context: Context) -> Sides:
    kind = context.options.get("large-message-handle-compression", "none")
    return frame((compress(kind, k), v) for k, v in unframe(key, value))


_FRAMES = (
    encoder(
        "last-event-of-a-message-lost",
        "OP-257",
        "the last event of a message of several is not written",
        pairs(lambda given, context: given[:-1] if len(given) > 1 else given),
    ),
    encoder(
        "resolved-event-without-length",
        "OP-007",
        "the value of a resolved event is empty",
        frames(lambda key, value, context: (key, b"") if _is_resolved(key, value) else (key, value)),
    ),
    encoder(
        "resolved-event-with-value-null",
        "OP-007",
        "the record of a resolved event has no value",
        frames(lambda key, value, context: (key, None) if _is_resolved(key, value) else (key, value)),
        "OP-001",
    ),
    encoder(
        "event-keys-compressed",
        "OP-011",
        "event keys are compressed as event values are",
        frames(_keys_compressed),
    ),
)

# -- event keys --------------------------------------------------------------------------------------------------------


def _lower_case(key: Tree, value: Tree, context: Context) -> None:
    for name in ("scm", "tbl"):
        if name in key:
            key[name] = key[name].lower()


def _without(name: str) -> Callable[[Tree, Tree, Context], None]:
    return lambda key, value, context: key.pop(name, None) and None


def _renamed(name: str, other: str) -> Callable[[Tree, Tree, Context], None]:
    def edit(key: Tree, value: Tree, context: Context) -> None:
        if name in key:
            key[other] = key.pop(name)

    return edit


_KEYS = (
    encoder("start-ts-in-the-key", "OP-021", "the key has a start time stamp, too", rows(put("start_ts", 1))),
    encoder(
        "resolved-event-with-names", "OP-025", "the key of a resolved event has a schema", resolved(put("scm", ""))
    ),
    encoder(
        "time-stamp-through-a-double",
        "OP-027",
        "time stamps are rounded to 53 bits",
        events(lambda key, value, context: key.update(ts=int(float(key["ts"])))),
    ),
    encoder(
        "partition-id-left-out",
        "OP-028",
        "rows of a partitioned table do not tell the partition",
        rows(_without("ptn")),
    ),
    encoder(
        "partition-id-0",
        "OP-028",
        "rows of any table have a partition id",
        rows(lambda key, value, context: key.setdefault("ptn", 0)),
    ),
    encoder("row-id", "OP-029", "rows tell their row id", rows(put("rid", 1))),
    encoder(
        "reduced-row-unmarked",
        "OP-030",
        "`ohk` is left out of the key of a reduced row",
        rows(_without("ohk")),
    ),
    encoder(
        "claim-under-another-name",
        "OP-031",
        "the place of a claim-check file is called `claim`",
        rows(_renamed("ccl", "claim")),
        "OP-021",
    ),
    encoder("names-in-lower-case", "OP-034", "names of schemas and tables are folded", events(_lower_case)),
    encoder(
        "classic-key-order",
        "OP-023",
        "members of the key stand in the order of classic",
        rows(lambda key, value, context: key.update(t=key.pop("t"))),
    ),
    encoder(
        "empty-names-left-out",
        "OP-024",
        "an empty name is left out of a DDL key",
        ddl(lambda key, value, context: [key.pop(n) for n in ("scm", "tbl") if not key[n]]),
    ),
)

# -- DDL ---------------------------------------------------------------------------------------------------------------


def _query(change: Callable[[str], object]) -> Callable[[Tree, Tree, Context], None]:
    return lambda key, value, context: value.update(q=change(value["q"]))


def _code(change: Callable[[int], object]) -> Callable[[Tree, Tree, Context], None]:
    return lambda key, value, context: value.update(t=change(value["t"]))


_DDL = (
    encoder(
        "statement-white-space-folded",
        "OP-066",
        "white space in a statement is folded",
        ddl(_query(lambda text: " ".join(text.split()))),
    ),
    encoder(
        "ddl-codes-end-with-the-document",
        "OP-143a",
        "kinds of statement that the document does not list have code 0",
        ddl(_code(lambda code: 0 if 36 < code <= 77 else code)),
    ),
    encoder(
        "unknown-ddl-code-0",
        "OP-145",
        "codes that are not known are written as 0",
        ddl(_code(lambda code: 0 if code > 77 else code)),
    ),
)

MUTANTS: tuple[Mutant, ...] = (*_FRAMES, *_KEYS, *_DDL)
