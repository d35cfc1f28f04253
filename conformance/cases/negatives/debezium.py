"""Negatives of Debezium JSON: keys and values, with a schema and without, bare and compressed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from conformance.cases.model import Case
from conformance.cases.negatives.bases import base, key_of, negatives_of, value_of
from conformance.cases.negatives.model import CUT, as_it_is, cuts, described, flips, judged_as_json
from conformance.cases.negatives.parts import Part, is_compressed, with_side
from conformance.cases.negatives.texts import Amounts, DocumentForm, member, spelling_negatives, text_negatives
from conformance.cases.negatives.values import base64_negatives, value_negatives

__all__ = ["debezium_negatives", "debezium_parts"]

_REFUSED, _COMPRESSED = "DBZ-451", "DBZ-016a"
_EXTENSION = {"enable-tidb-extension": "true"}
_BARE = {**_EXTENSION, "debezium-disable-schema": "true"}

_ROW = DocumentForm(
    {
        "payload": member("object", is_needed=False),
        "payload.source": member("object"),
        **dict.fromkeys(("payload.source.db", "payload.source.table"), member("string")),
        "payload.source.commit_ts": member("number", is_needed=False),
        "payload.op": member("string", is_needed=False),
        "payload.after": member("object null", is_needed=False),
        "payload.before": member("object null", is_needed=False),
    }
)
_UNKNOWN = DocumentForm()

_BEYOND: Mapping[str, tuple[str, ...]] = {
    "id": ("2147483648", "-2147483649"),
    "at": ("1e400",),
    "n": ("18446744073709551616",),
}


_ENVELOPE = replace(_ROW, open_at=frozenset({(), ("payload",), ("payload", "source")}), unknown_requirement="DBZ-454")
_KEY = DocumentForm(open_at=frozenset({()}), unknown_requirement="DBZ-454")


def debezium_parts(case: Case) -> Iterator[Part]:
    """The key and the value of every record."""
    for number, record in enumerate(case.records):
        for side, data, form in (("key", record.key, _KEY), ("value", record.value, _ENVELOPE)):
            name, with_data = f"{side} of record {number}", partial(with_side, case, number, side)
            if is_compressed(case):
                yield Part(name, data or b"", with_data, as_it_is, CUT, _COMPRESSED)
            else:
                yield Part(name, data or b"", with_data, judged_as_json, CUT, _REFUSED, form)


def debezium_negatives() -> Iterator[Case]:
    """Every negative of the protocol."""
    bare = base("debezium", "row", _BARE)
    key, value = key_of(bare), value_of(bare)
    few = Amounts(None, 12, utf8=2, doubled=2, missing=2, renamed=2, exchanged=0, kinds=8, numbers=6)
    yield from negatives_of(bare, "key", text_negatives(key, _UNKNOWN, few, "key", CUT), _REFUSED)
    many = Amounts(72, 24, utf8=8, doubled=14, missing=12, renamed=10, exchanged=6, kinds=36, numbers=16)
    yield from negatives_of(bare, "value", text_negatives(value, _ROW, many, "value", CUT), _REFUSED)
    for name, texts in _BEYOND.items():
        negatives = value_negatives(value, ("payload", "after", name), texts)
        yield from negatives_of(bare, "value", negatives, _REFUSED)
    spelled = spelling_negatives(value, _ENVELOPE, 16)
    yield from negatives_of(bare, "value", spelled, _REFUSED)
    yield from negatives_of(bare, "key", spelling_negatives(key, _KEY, 4), _REFUSED)
    coded = base64_negatives(value, ("payload", "after", "b"), "DBZ-451q")
    yield from negatives_of(bare, "value", coded, _REFUSED)
    some = Amounts(6, 10, utf8=2, doubled=4, missing=3, renamed=3, exchanged=3, kinds=6, numbers=2)
    for events in ("row", "statement", "watermark"):
        case = base("debezium", events, _EXTENSION)
        value = value_of(case)
        negatives = described(text_negatives(value, _UNKNOWN, some, events, CUT), "with a schema")
        yield from negatives_of(case, "value", negatives, _REFUSED)
    for kind in ("lz4", "snappy"):
        case = base("debezium", "row", {**_BARE, "large-message-handle-compression": kind})
        value = value_of(case)
        packed = [*cuts(value, CUT, 5), *flips(value, 8, kind)]
        yield from negatives_of(case, "value", described(packed, f"in {kind}"), _COMPRESSED)
