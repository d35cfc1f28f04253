"""Corruptions of one column in all messages, or from the middle of the stream on: of a converter, not of a message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from random import Random
from typing import Any

from corrupt_values import BYTES, JSON, NUMERIC, TEXTS, TIMES, Change, is_whole, mojibake, shifted, text_change
from trees import Apply, Corruption, Stream, Tree, in_any_order, rows_of, table_of

from reference_impl.model import Record


def _columns(stream: Stream, kinds: frozenset[str], draw: Random) -> Iterator[tuple[str, str]]:
    """Tables and columns of these kinds that are in no key, in any order."""
    for at in in_any_order(draw, stream.rows):
        images = rows_of(stream.dialect, (stream.opened(at) or ({}, {}))[1])
        names = {name for image in images for name in image.cells} - {*stream.key_columns(at)}
        yield from ((stream.names[at], name) for name in sorted(names) if stream.kind(at, name) in kinds)


def column_change(kinds: frozenset[str], change: Change, *, begin: float = 0.0) -> Apply:
    """A column in all messages from a share of the stream on."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        rows = [at for at in stream.rows if at >= begin * len(stream.records)]
        for of, name in dict.fromkeys(_columns(stream, kinds, draw)):

            def changed(key: Tree, value: Tree, of: str = of, name: str = name) -> None:
                for image in rows_of(stream.dialect, value) if table_of(stream.dialect, (key, value)) == of else ():
                    if name in image.cells:
                        image.put(name, change(image.get(name)))

            if (made := stream.all_changed(changed, rows)) is not None:
                return made
        return None

    return apply


def _day_before(told: Any) -> Any:
    if is_whole(told):
        return told - 1
    if isinstance(told, str) and told[4:5] == "-" and told[8:10].isdigit() and told[:4] > "0000":
        return f"{told[:8]}{max(int(told[8:10]) - 1, 1) if told[8:10] != '01' else 2:02}{told[10:]}"
    return told


def _no_zeros(told: Any) -> Any:
    """A DECIMAL without zeros at its end."""
    if isinstance(told, str) and "." in told and told.endswith("0") and told.replace(".", "").lstrip("-\x01").isdigit():
        return told.rstrip("0").rstrip(".")
    return told


def _in_float(told: Any) -> Any:
    """A number that went through a float of 32 bits: seven digits."""
    text = told.lstrip("\x01") if isinstance(told, str) else ""
    if text.replace(".", "", 1).lstrip("-").isdigit() and len(text.replace(".", "").strip("-0")) > 7 and "." in text:
        whole, _, rest = text.partition(".")
        kept = max(7 - len(whole.lstrip("-")), 0)
        return f"{told[: len(told) - len(text)]}{whole}.{rest[:kept].ljust(len(rest), '0')}"
    return told


def _wrapped(bits: int) -> Change:
    def change(told: Any) -> Any:
        if isinstance(told, str) and told.isdigit() and told.strip("0"):
            return str(int(told) - 2**bits)
        return told - 2**bits if is_whole(told) and told > 0 else told

    return change


def _truth(told: Any) -> Any:
    if told in ("0", "1") or (isinstance(told, int) and told in (0, 1)):
        return bool(int(told))
    return told


def _whole_for_text(told: Any) -> Any:
    return str(told) if isinstance(told, (int, float)) and not isinstance(told, bool) else told


def _half_label(told: Any) -> Any:
    return told[: len(told) // 2] if isinstance(told, str) and len(told) > 2 and not told.isdigit() else told


def _first_label(told: Any) -> Any:
    """The first of several members of a SET alone."""
    if isinstance(told, str) and "," in told:
        return told.partition(",")[0]
    if (isinstance(told, str) and told.isdigit()) or (is_whole(told)):
        return type(told)(int(told) & -int(told)) if int(told) & (int(told) - 1) else told
    return told


INTEGERS = frozenset({"tinyint", "smallint", "mediumint", "int", "bigint"})
_NULLS = TEXTS | TIMES | NUMERIC | JSON
_CHANGES: Sequence[tuple[str, frozenset[str], Change, float]] = (
    ("a session in another time zone, midway", frozenset({"timestamp"}), shifted, 0.5),
    ("DATETIMEs taken for UTC", frozenset({"datetime"}), shifted, 0.0),
    ("dates a day earlier", frozenset({"date"}), _day_before, 0.0),
    ("NULL as '' in a column", TEXTS, lambda told: "" if told is None else told, 0.0),
    ("NULL as 0 in a column", NUMERIC, lambda told: "0" if told is None else told, 0.0),
    ("values as NULL in a column", _NULLS, lambda told: None, 0.0),
    ("values as NULL in a column, midway", _NULLS, lambda told: None, 0.5),
    ("zeros at the end of DECIMALs left out", frozenset({"decimal"}), _no_zeros, 0.0),
    ("DECIMALs through a float", frozenset({"decimal"}), _in_float, 0.0),
    ("a whole number that wrapped around", INTEGERS, _wrapped(32), 0.0),
    ("a large number that wrapped around", INTEGERS, _wrapped(64), 0.0),
    ("whole numbers as truths", INTEGERS, _truth, 0.0),
    ("numbers as texts", NUMERIC, _whole_for_text, 0.0),
    ("texts of a column read in latin1", TEXTS, text_change(mojibake), 0.0),
    ("texts of a column cut at eight letters", TEXTS, text_change(lambda text: text[:8]), 0.0),
    (
        "texts of a column trimmed",
        TEXTS,
        text_change(lambda text: text.strip() if text != text.strip() else text[1:]),
        0.0,
    ),
    ("texts of a column in small letters", TEXTS, text_change(lambda text: text.lower()), 0.0),
    ("labels cut", frozenset({"enum", "set"}), _half_label, 0.0),
    ("the first member of a SET alone", frozenset({"set"}), _first_label, 0.0),
    ("bytes of a column in base64 twice", BYTES, text_change(lambda text: text + "=" * (-len(text) % 4) + "AA=="), 0.0),
    ("JSON of a column in a text of JSON", JSON, text_change(lambda text: f'"{text[1:-1]}"'), 0.0),
)


def _signed(stream: Stream, draw: Random) -> list[Record] | None:
    """`unsigned` is gone from a type in all messages of its table, as far as they tell it by name."""
    for at in in_any_order(draw, stream.rows):
        types = (stream.opened(at) or ({}, {}))[1].get("mysqlType") or {}
        name = next((name for name in types if " unsigned" in types[name]), None)
        if name is not None:
            return stream.all_changed(partial(_without_unsigned, name))
    return None


def _without_unsigned(name: str, key: Tree, value: Tree) -> None:
    types = value.get("mysqlType") or {}
    if name in types:
        types[name] = types[name].replace(" unsigned", "")


COLUMNS = (
    *(Corruption(name, "value", column_change(kinds, change, begin=begin)) for name, kinds, change, begin in _CHANGES),
    Corruption("UNSIGNED lost from a type", "types", _signed),
)
