"""Corruptions of what a row means: values as another producer has them, images of other times."""

from __future__ import annotations

import base64
import json
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from corrupt_values import (
    ALL,
    BYTES,
    NUMERIC,
    TEXTS,
    TIMES,
    cell_of,
    value_change,
)
from shaped import Tree, images_of, opened, rows_of, table_of
from streams_of_trees import Apply, Corruption, Stream, edited, in_any_order, row_key

from reference_impl.model import Record

__all__ = ["ROWS"]

Change = Callable[[Any, Random], Any]


def _text(change: Callable[[str], str]) -> Change:
    return lambda given, draw: change(given) if isinstance(given, str) and given else given


def _minus_zero(given: Any, draw: Random) -> Any:
    if isinstance(given, str) and given.strip("0.") == "" and given:
        return f"-{given}"
    return -0.0 if given == 0 and isinstance(given, float) else given


def _later(seconds: int) -> Change:
    """Texts with a clock, and numbers of milli- or microseconds."""

    def change(given: Any, draw: Random) -> Any:
        if isinstance(given, str) and given[:4].isdigit() and ":" in given:
            at = given.find(":") + 1
            minute = (int(given[at : at + 2]) + seconds // 60) % 60
            return f"{given[:at]}{minute:02}{given[at + 2 :]}"
        if isinstance(given, int) and abs(given) > 10**11:
            return given + seconds * (1_000_000 if abs(given) > 10**14 else 1000)
        return given

    return change


def _next_day(given: Any, draw: Random) -> Any:
    if isinstance(given, int) and not isinstance(given, bool) and abs(given) < 10**6:
        return given + 1
    if isinstance(given, str) and given[4:5] == "-" and given[8:10].isdigit():
        return f"{given[:8]}{int(given[8:10]) % 28 + 1:02}{given[10:]}"
    return given


def _other_fraction(given: Any, draw: Random) -> Any:
    if isinstance(given, int) and not isinstance(given, bool) and abs(given) > 10**9:
        return given + 1
    if isinstance(given, str) and "." in given and given[-1:].isdigit():
        return given[:-1] + str((int(given[-1]) + 1) % 10)
    return given


def _decomposed(text: str) -> str:
    made = unicodedata.normalize("NFD", text)
    return made if made != text else f"{text[:-1]}e\u0301"


def _in_hex(given: Any, draw: Random) -> Any:
    try:
        return base64.b64decode(given, validate=True).hex() if isinstance(given, str) and given else given
    except ValueError:
        return given


def _tree(change: Callable[[Any], Any]) -> Change:
    """A change of the JSON in a text."""

    def apply(given: Any, draw: Random) -> Any:
        try:
            tree = json.loads(given) if isinstance(given, str) else None
        except ValueError:
            return given
        made = change(tree)
        return given if made == tree else json.dumps(made, ensure_ascii=False)

    return apply


def _without_member(tree: Any) -> Any:
    return {name: tree[name] for name in [*tree][1:]} if isinstance(tree, dict) and tree else tree


def _with_null(tree: Any) -> Any:
    return {**tree, "zz": None} if isinstance(tree, dict) else tree


def _number_as_text(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    name = next((n for n, v in tree.items() if isinstance(v, (int, float)) and not isinstance(v, bool)), None)
    return tree if name is None else {**tree, name: str(tree[name])}


def _truth_as_number(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    name = next((n for n, v in tree.items() if isinstance(v, bool)), None)
    return tree if name is None else {**tree, name: int(tree[name])}


def _other_label(given: Any, draw: Random) -> Any:
    if isinstance(given, int) or (isinstance(given, str) and given.isdigit()):
        return type(given)(int(given) % 3 + 1)
    return f"{given}x" if isinstance(given, str) else given


_CHANGES: Sequence[tuple[str, frozenset[str], Change]] = (
    ("the sign of a zero", frozenset({"float", "double", "decimal"}), _minus_zero),
    ("half an hour later", frozenset({"datetime", "timestamp"}), _later(1800)),
    ("a minute later", frozenset({"datetime", "timestamp", "time"}), _later(60)),
    ("the next day", frozenset({"date", "datetime", "timestamp"}), _next_day),
    ("the last digit of a fraction", frozenset({"time", "datetime", "timestamp"}), _other_fraction),
    ("letters taken apart", TEXTS, _text(_decomposed)),
    ("a letter that is none", TEXTS, _text(lambda text: text[:-1] + "\ufffd")),
    ("a text twice", TEXTS, _text(lambda text: text + text)),
    ("a text reversed", TEXTS, _text(lambda text: text[::-1])),
    ("blanks made one", TEXTS, _text(lambda text: text.replace(" ", "  ", 1))),
    ("quotes doubled", TEXTS, _text(lambda text: text + "''")),
    ("a backslash more", TEXTS, _text(lambda text: text + "\\")),
    ("bytes in hexadecimal", BYTES, _in_hex),
    ("a zero byte more", BYTES, _text(lambda text: text + "\0")),
    ("a zero before a number", NUMERIC - {"bit"}, _text(lambda text: f"0{text}" if text.isdigit() else text)),
    (
        "half of a number's digits",
        NUMERIC,
        _text(lambda text: text[: (len(text) + 1) // 2] if text.isdigit() else text),
    ),
    ("a member of JSON lost", frozenset({"json"}), _tree(_without_member)),
    ("NULL for a member of JSON that is none", frozenset({"json"}), _tree(_with_null)),
    ("a number of JSON as a text", frozenset({"json"}), _tree(_number_as_text)),
    ("a truth of JSON as a number", frozenset({"json"}), _tree(_truth_as_number)),
    ("JSON in an array", frozenset({"json"}), _tree(lambda tree: [tree] if tree is not None else None)),
    ("another label", frozenset({"enum", "set"}), _other_label),
    ("another kind of value", NUMERIC, lambda given, draw: {"a": given}),
    ("a value told in an array", ALL, lambda given, draw: given if given is None else [given]),
)


# -- images


def _values_of_another_row(stream: Stream, draw: Random) -> list[Record] | None:
    """Two rows of a table exchange the values of a column."""
    tables: dict[str, list[int]] = {}
    for at in stream.rows():
        if (trees := opened(stream.dialect, stream.records[at])) is not None and "after" in images_of(
            stream.dialect, stream.records[at]
        ):
            tables.setdefault(table_of(stream.dialect, trees), []).append(at)
    for places in tables.values():
        for a, b in pairwise(places):
            one, other = (
                images_of(stream.dialect, stream.records[a])["after"],
                images_of(stream.dialect, stream.records[b])["after"],
            )
            name = next((n for n in [*one][1:] if n in other and one[n] != other[n]), None)
            if name is not None and row_key(stream, a) != row_key(stream, b):
                made = [*stream.records]
                for at, cell in ((a, other[name]), (b, one[name])):
                    edit = edited(stream.dialect, made[at], _putting(stream.dialect, "after", name, cell))
                    made[at] = edit or made[at]
                return made
    return None


def _putting(dialect: str, image: str, name: str, cell: Any) -> Callable[[Tree, Tree], None]:
    def change(key: Tree, value: Tree) -> None:
        for found in rows_of(dialect, value):
            if found.name == image and name in found.cells:
                found.cells[name] = cell

    return change


def _stale_column(stream: Stream, draw: Random) -> list[Record] | None:
    """An update leaves a column as it was before."""
    for at in in_any_order(draw, stream.rows()):
        images = images_of(stream.dialect, stream.records[at])
        if len(images) == 2:
            before, after = images["before"], images["after"]
            name = next((n for n in before if n in after and before[n] != after[n]), None)
            if name is not None:
                return stream.changed(at, _putting(stream.dialect, "after", name, before[name]))
    return None


def _before_of_earlier(stream: Stream, draw: Random) -> list[Record] | None:
    """An update tells before what its row was two changes ago."""
    last: dict[str, Any] = {}
    for at in stream.rows():
        images, key = images_of(stream.dialect, stream.records[at]), row_key(stream, at)
        if len(images) == 2 and key in last:
            before = images["before"]
            name = next((n for n in before if n in last[key] and last[key][n] != before[n]), None)
            if name is not None:
                return stream.changed(at, _putting(stream.dialect, "before", name, last[key][name]))
        if "before" in images:
            last[key] = {**last.get(key, {}), **images["before"]}
    return None


def _images_exchanged(stream: Stream, draw: Random) -> list[Record] | None:
    for at in in_any_order(draw, stream.rows()):
        images = images_of(stream.dialect, stream.records[at])
        if len(images) == 2:
            names = [n for n in images["before"] if n in images["after"] and images["before"][n] != images["after"][n]]

            def change(key: Tree, value: Tree, names: Sequence[str] = names) -> None:
                found = {image.name: image.cells for image in rows_of(stream.dialect, value)}
                for name in names:
                    one, other = found["before"], found["after"]
                    one[name], other[name] = other[name], one[name]

            if names:
                return stream.changed(at, change)
    return None


def _default_for_a_value(stream: Stream, draw: Random) -> list[Record] | None:
    """The default of a column in place of a value, or of NULL."""
    for at in in_any_order(draw, stream.rows()):
        trees = opened(stream.dialect, stream.records[at])
        table = stream.tables.get(table_of(stream.dialect, trees)) if trees else None
        after = images_of(stream.dialect, stream.records[at]).get("after", {})
        for column in table.columns if table else ():
            told = cell_of(after.get(column.name), stream.dialect) if column.name in after else None
            if isinstance(column.default, str) and isinstance(told, str) and told != column.default:
                cell = (
                    {**after[column.name], "v": column.default} if stream.dialect == "open-protocol" else column.default
                )
                return stream.changed(at, _putting(stream.dialect, "after", column.name, cell))
    return None


def _all() -> Iterator[Corruption]:
    for name, kinds, change in _CHANGES:
        yield Corruption(f"{name} in a value", "value", value_change(kinds, change, "after"))
        if kinds in (TEXTS, NUMERIC, BYTES) or "json" in kinds or TIMES & kinds:
            yield Corruption(f"{name} in the row before", "before image", value_change(kinds, change, "before"))
    whole: Sequence[tuple[str, str, Apply]] = (
        ("two rows with each other's value", "value", _values_of_another_row),
        ("a column that stays as it was", "value", _stale_column),
        ("the default in place of a value", "value", _default_for_a_value),
        ("the row of two changes ago, in the row before", "before image", _before_of_earlier),
        ("the row before and the new one exchanged", "before image", _images_exchanged),
    )
    yield from (Corruption(*one) for one in whole)


ROWS: Sequence[Corruption] = tuple(_all())
