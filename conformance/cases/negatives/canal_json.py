"""Negatives of Canal-JSON: messages bare and compressed, of rows, statements and watermarks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from conformance.cases.model import Case
from conformance.cases.negatives.bases import base, negatives_of, value_of
from conformance.cases.negatives.model import CUT, Negative, as_it_is, classes, cuts, described, flips, judged_as_json
from conformance.cases.negatives.parts import Part, is_compressed, with_side
from conformance.cases.negatives.texts import Amounts, DocumentForm, member, spelling_negatives, text_negatives
from conformance.cases.negatives.values import respelled_negatives, value_negatives

__all__ = ["FLAT_MEMBERS", "canal_json_negatives", "canal_json_parts"]

_REFUSED = "CJ-881"  # the requirement that a decoder refuses a broken message
_EXTENSION = {"enable-tidb-extension": "true"}

# A row whose maps and image have different columns lacks something, or contradicts itself.
_COLUMNS = classes("schema", "semantics")

FLAT_MEMBERS = {
    **dict.fromkeys(("id", "es", "ts"), member("number")),
    **dict.fromkeys(("database", "table", "type", "sql"), member("string")),
    "isDdl": member("boolean"),
    **dict.fromkeys(("pkNames", "data", "old"), member("array null")),
    **dict.fromkeys(("sqlType", "mysqlType"), member("object null")),
    "sqlType.*": member("number", missing=_COLUMNS),
    "mysqlType.*": member("string", missing=_COLUMNS),
    "data.0": member("object", is_needed=False),
    "data.0.*": member("string null", missing=_COLUMNS),
    "old.0": member("object", is_needed=False),
    "old.0.*": member("string null", is_needed=False),
}
"""The members that Canal's messages have, too."""

_FORM = DocumentForm({**FLAT_MEMBERS, "_tidb": member("object"), "_tidb.*": member("number")})

_BEYOND: Mapping[str, tuple[str, ...]] = {
    "id": ("2147483648", "-2147483649"),
    "n": ("18446744073709551616", "-1"),
    "at": ("2024-13-01 00:00:00.000", "2024-01-01 24:00:00.000"),
}


# Texts that some readers take for a similar one.
_RESPELLED: Mapping[tuple[str | int, ...], tuple[str, ...]] = {
    ("type",): ("insert", "Insert"),
    ("data", 0, "id"): ("+7", "07", " 7"),
    ("data", 0, "n"): ("+9223372036854775808",),
    ("data", 0, "d"): ("+12.50", "12.5", "1250e-2"),
}


def _compressed(kind: str) -> Iterator[Case]:
    """Compressed values that are cut, and with one bit turned; the outcome of the latter is open."""
    case = base("canal-json", "row", {**_EXTENSION, "large-message-handle-compression": kind})
    data = value_of(case)
    negatives: list[Negative] = [*cuts(data, CUT, 6), *flips(data, 8, kind)]
    yield from negatives_of(case, "value", described(negatives, f"in {kind}"), _REFUSED)


# Without the columns, which drawn changes may lack: a column in only one of the maps is then no contradiction.
_OUTER = DocumentForm(
    {name: known if "*" not in name else replace(known, is_needed=False) for name, known in _FORM.members.items()},
    open_at=frozenset({(), ("_tidb",)}),
    unknown_requirement="CJ-889",
)


def canal_json_parts(case: Case) -> Iterator[Part]:
    """The value of every record."""
    form, judge = (None, as_it_is) if is_compressed(case) else (_OUTER, judged_as_json)
    for number, record in enumerate(case.records):
        with_data = partial(with_side, case, number, "value")
        yield Part(f"value of record {number}", record.value or b"", with_data, judge, CUT, _REFUSED, form)


def canal_json_negatives() -> Iterator[Case]:
    """Every negative of the protocol."""
    short = base("canal-json", "statement")
    every = cuts(value_of(short), CUT)
    yield from negatives_of(short, "value", every, _REFUSED)
    bases = {
        "row": Amounts(8, 20, utf8=6, doubled=12, missing=10, renamed=10, exchanged=6, kinds=24, numbers=10),
        "update": Amounts(0, 4, utf8=0, doubled=2, missing=2, renamed=2, exchanged=2, kinds=5, numbers=0),
        "statement": Amounts(0, 4, utf8=1, doubled=2, missing=1, renamed=1, exchanged=1, kinds=4, numbers=1),
        "watermark": Amounts(4, 6, utf8=0, doubled=2, missing=2, renamed=2, exchanged=0, kinds=4, numbers=2),
    }
    for events, amounts in bases.items():
        case = base("canal-json", events, _EXTENSION)
        data = value_of(case)
        negatives = text_negatives(data, _FORM, amounts, events, CUT)
        yield from negatives_of(case, "value", negatives, _REFUSED)
    row = base("canal-json", "row", _EXTENSION)
    for name, texts in _BEYOND.items():
        negatives = value_negatives(value_of(row), ("data", 0, name), texts)
        yield from negatives_of(row, "value", negatives, _REFUSED)
    for kind in ("lz4", "snappy"):
        yield from _compressed(kind)
    for events, count in (("row", 16), ("statement", 4), ("watermark", 4)):
        case = base("canal-json", events, _EXTENSION)
        negatives = spelling_negatives(value_of(case), _OUTER, count)
        yield from negatives_of(case, "value", negatives, _REFUSED)
    for path, texts in _RESPELLED.items():
        negatives = respelled_negatives(value_of(row), path, texts)
        yield from negatives_of(row, "value", negatives, _REFUSED)
