"""Corruptions of one column in all messages, or from the middle of the stream on: of a converter, not of a message."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from corrupt_values import BYTES, NUMERIC, TEXTS, TIMES, cell_of, kind_of
from shaped import Cells, Tree, opened, payload_of, rows_of, table_of
from streams_of_trees import Apply, Corruption, Stream, edited, in_any_order

from reference_impl.keys import handle_key
from reference_impl.model import Record

__all__ = ["COLUMNS"]

Change = Callable[[Any], Any]


def put(cells: Cells, name: str, told: Any, dialect: str) -> None:
    """A value in a cell."""
    if dialect == "open-protocol":
        cells[name] = {**cells[name], "v": told}
    else:
        cells[name] = told


def _columns(stream: Stream, kinds: frozenset[str], draw: Random) -> Iterator[tuple[str, str]]:
    """Tables and columns of these kinds that are in no key, in any order."""
    for at in in_any_order(draw, stream.rows()):
        trees = opened(stream.dialect, stream.records[at])
        table = table_of(stream.dialect, trees) if trees is not None else ""
        key = {*handle_key(stream.tables[table])} if table in stream.tables else set()
        names = {name for image in rows_of(stream.dialect, (trees or (None, {}))[1]) for name in image.cells}
        yield from ((table, name) for name in sorted(names - key) if kind_of(stream, table, name) in kinds)


def column_change(kinds: frozenset[str], change: Change, *, begin: float = 0.0) -> Apply:
    """A column in all messages from a share of the stream on."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        for of, name in dict.fromkeys(_columns(stream, kinds, draw)):

            def changed(key: Tree, value: Tree, of: str = of, name: str = name) -> None:
                if table_of(stream.dialect, (key, value)) != of:
                    return
                for image in rows_of(stream.dialect, value):
                    if name in image.cells:
                        told = cell_of(image.cells[name], stream.dialect)
                        put(image.cells, name, change(told), stream.dialect)

            rows = {at for at in stream.rows() if at >= begin * len(stream.records)}
            made = [
                (edited(stream.dialect, record, changed) or record) if at in rows else record
                for at, record in enumerate(stream.records)
            ]
            if made != [*stream.records]:
                return made
        return None

    return apply


def _text(change: Callable[[str], str]) -> Change:
    return lambda told: change(told) if isinstance(told, str) and told else told


def _shifted(told: Any) -> Any:
    """Eight hours later, in texts and in milli- or microseconds."""
    if isinstance(told, str) and told[:4].isdigit() and ":" in told:
        at = told.find(":") - 2
        return f"{told[:at]}{(int(told[at : at + 2]) + 8) % 24:02}{told[at + 2 :]}"
    if isinstance(told, int) and not isinstance(told, bool) and abs(told) > 10**11:
        return told + 8 * 3600 * (1_000_000 if abs(told) > 10**14 else 1000)
    return told


def _day_before(told: Any) -> Any:
    if isinstance(told, int) and not isinstance(told, bool):
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
        return told - 2**bits if isinstance(told, int) and not isinstance(told, bool) and told > 0 else told

    return change


def _truth(told: Any) -> Any:
    if told in ("0", "1") or (isinstance(told, int) and told in (0, 1)):
        return bool(int(told))
    return told


def _mojibake(text: str) -> str:
    broken = text.encode("utf-8", "surrogatepass").decode("latin-1")
    return broken if broken != text else text.replace("e", "Ã©", 1)


def _whole_for_text(told: Any) -> Any:
    return str(told) if isinstance(told, (int, float)) and not isinstance(told, bool) else told


def _half_label(told: Any) -> Any:
    return told[: len(told) // 2] if isinstance(told, str) and len(told) > 2 and not told.isdigit() else told


def _first_label(told: Any) -> Any:
    """The first of several members of a SET alone."""
    if isinstance(told, str) and "," in told:
        return told.partition(",")[0]
    if (isinstance(told, str) and told.isdigit()) or (isinstance(told, int) and not isinstance(told, bool)):
        return type(told)(int(told) & -int(told)) if int(told) & (int(told) - 1) else told
    return told


INTEGERS = frozenset({"tinyint", "smallint", "mediumint", "int", "bigint"})
_NULLS = TEXTS | TIMES | NUMERIC | {"json"}
_CHANGES: Sequence[tuple[str, frozenset[str], Change, float]] = (
    ("a session in another time zone, midway", frozenset({"timestamp"}), _shifted, 0.5),
    ("DATETIMEs taken for UTC", frozenset({"datetime"}), _shifted, 0.0),
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
    ("texts of a column read in latin1", TEXTS, _text(_mojibake), 0.0),
    ("texts of a column cut at eight letters", TEXTS, _text(lambda text: text[:8]), 0.0),
    ("texts of a column trimmed", TEXTS, _text(lambda text: text.strip() if text != text.strip() else text[1:]), 0.0),
    ("texts of a column in small letters", TEXTS, _text(lambda text: text.lower()), 0.0),
    ("labels cut", frozenset({"enum", "set"}), _half_label, 0.0),
    ("the first member of a SET alone", frozenset({"set"}), _first_label, 0.0),
    ("bytes of a column in base64 twice", BYTES, _text(lambda text: text + "=" * (-len(text) % 4) + "AA=="), 0.0),
    ("JSON of a column in a text of JSON", frozenset({"json"}), _text(lambda text: f'"{text[1:-1]}"'), 0.0),
)


def _type_of_all(change: Callable[[str], str]) -> Apply:
    """The type of a column in all messages of its table, as far as they tell it by name."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        for at in in_any_order(draw, stream.rows()):
            trees = opened(stream.dialect, stream.records[at])
            types: Mapping[str, str] = (payload_of(trees[1]).get("mysqlType") or {}) if trees else {}
            name = next((name for name in types if change(types[name]) != types[name]), None)
            if name is not None:

                def changed(key: Tree, value: Tree, name: str = name) -> None:
                    types = value.get("mysqlType") or {}
                    if name in types:
                        types[name] = change(types[name])

                return stream.all_changed(changed)
        return None

    return apply


def _all() -> Iterator[Corruption]:
    for name, kinds, change, begin in _CHANGES:
        yield Corruption(name, "value", column_change(kinds, change, begin=begin))
    yield Corruption("UNSIGNED lost from a type", "types", _type_of_all(lambda text: text.replace(" unsigned", "")))


COLUMNS: Sequence[Corruption] = tuple(_all())
