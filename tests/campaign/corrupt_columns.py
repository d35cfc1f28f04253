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
        images = rows_of(stream.dialect, stream.value(at))
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


def _day_before(given: Any) -> Any:
    if is_whole(given):
        return given - 1
    if isinstance(given, str) and given[4:5] == "-" and given[8:10].isdigit() and given[:4] > "0000":
        return f"{given[:8]}{max(int(given[8:10]) - 1, 1) if given[8:10] != '01' else 2:02}{given[10:]}"
    return given


def _no_zeros(given: Any) -> Any:
    """A DECIMAL without zeros at its end."""
    if (
        isinstance(given, str)
        and "." in given
        and given.endswith("0")
        and given.replace(".", "").lstrip("-\x01").isdigit()
    ):
        return given.rstrip("0").rstrip(".")
    return given


def _in_float(given: Any) -> Any:
    """A number that went through a float of 32 bits: seven digits."""
    text = given.lstrip("\x01") if isinstance(given, str) else ""
    if text.replace(".", "", 1).lstrip("-").isdigit() and len(text.replace(".", "").strip("-0")) > 7 and "." in text:
        whole, _, rest = text.partition(".")
        kept = max(7 - len(whole.lstrip("-")), 0)
        return f"{given[: len(given) - len(text)]}{whole}.{rest[:kept].ljust(len(rest), '0')}"
    return given


def _wrapped(bits: int) -> Change:
    def change(given: Any) -> Any:
        if isinstance(given, str) and given.isdigit() and given.strip("0"):
            return str(int(given) - 2**bits)
        return given - 2**bits if is_whole(given) and given > 0 else given

    return change


def _truth(given: Any) -> Any:
    if given in ("0", "1") or (isinstance(given, int) and given in (0, 1)):
        return bool(int(given))
    return given


def _whole_for_text(given: Any) -> Any:
    return str(given) if isinstance(given, (int, float)) and not isinstance(given, bool) else given


def _half_label(given: Any) -> Any:
    return given[: len(given) // 2] if isinstance(given, str) and len(given) > 2 and not given.isdigit() else given


def _first_label(given: Any) -> Any:
    """The first of several members of a SET alone."""
    if isinstance(given, str) and "," in given:
        return given.partition(",")[0]
    if (isinstance(given, str) and given.isdigit()) or (is_whole(given)):
        return type(given)(int(given) & -int(given)) if int(given) & (int(given) - 1) else given
    return given


INTEGERS = frozenset({"tinyint", "smallint", "mediumint", "int", "bigint"})
_NULLS = TEXTS | TIMES | NUMERIC | JSON
_CHANGES: Sequence[tuple[str, frozenset[str], Change, float]] = (
    ("a session in another time zone, midway", frozenset({"timestamp"}), shifted, 0.5),
    ("DATETIMEs taken for UTC", frozenset({"datetime"}), shifted, 0.0),
    ("dates a day earlier", frozenset({"date"}), _day_before, 0.0),
    ("NULL as '' in a column", TEXTS, lambda given: "" if given is None else given, 0.0),
    ("NULL as 0 in a column", NUMERIC, lambda given: "0" if given is None else given, 0.0),
    ("values as NULL in a column", _NULLS, lambda given: None, 0.0),
    ("values as NULL in a column, midway", _NULLS, lambda given: None, 0.5),
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
        types = stream.value(at).get("mysqlType") or {}
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
