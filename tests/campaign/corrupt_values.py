"""Corruptions of a value of a row, by the kind of its column."""

from __future__ import annotations

import base64
import json
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Any

from trees import Apply, Corruption, Stream, Tree, in_any_order, rows_of

from reference_impl.model import Record

Change = Callable[[Any], Any]

NUMERIC = frozenset({"tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "float", "double", "year", "bit"})
TEXTS = frozenset({"char", "varchar", "tinytext", "text", "mediumtext", "longtext"})
TIMES = frozenset({"date", "datetime", "timestamp", "time"})
BYTES = frozenset({"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"})
JSON = frozenset({"json"})
ALL = NUMERIC | TEXTS | TIMES | BYTES | {"json", "enum", "set"}


def is_whole(given: Any) -> bool:
    """Whether it is a whole number, which a truth is not."""
    return isinstance(given, int) and not isinstance(given, bool)


def text_change(change: Callable[[str], str]) -> Change:
    """A change of texts that are not empty."""
    return lambda given: change(given) if isinstance(given, str) and given else given


def _digit(given: Any) -> Any:
    if isinstance(given, bool):
        return not given
    if isinstance(given, int):
        return given + 1 if given % 10 != 9 else given - 1
    if isinstance(given, float):
        return float(repr(given).replace(repr(given)[-1], "7" if repr(given)[-1] != "7" else "3")) if given else 1.5
    places = [n for n, letter in enumerate(given) if letter.isdigit()] if isinstance(given, str) else []
    return given[: places[-1]] + str((int(given[places[-1]]) + 1) % 10) + given[places[-1] + 1 :] if places else given


def _sign(given: Any) -> Any:
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        if not isinstance(given, str) or not given.lstrip("-").replace(".", "", 1).isdigit() or not given.strip("-0."):
            return given
        return given[1:] if given.startswith("-") else f"-{given}"
    return -given


def _tenfold(given: Any) -> Any:
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return given * 10
    return f"{given}0" if isinstance(given, str) and given.isdigit() and given.strip("0") else given


def shifted(given: Any) -> Any:
    """Eight hours later, in texts and in milli- or microseconds."""
    if isinstance(given, str) and given[:4].isdigit() and ":" in given:
        at = given.find(":") - 2
        return f"{given[:at]}{(int(given[at : at + 2]) + 8) % 24:02}{given[at + 2 :]}"
    return _later_by(given, 8 * 3600)


def _later_by(given: Any, seconds: int) -> Any:
    """A time as a number of milli- or microseconds, so much later."""
    is_time = isinstance(given, int) and abs(given) > 10**11
    return given + seconds * (1_000_000 if abs(given) > 10**14 else 1000) if is_time else given


def _minutes_later(minutes: int) -> Change:
    def change(given: Any) -> Any:
        if isinstance(given, str) and given[:4].isdigit() and ":" in given:
            at = given.find(":") + 1
            return f"{given[:at]}{(int(given[at : at + 2]) + minutes) % 60:02}{given[at + 2 :]}"
        return _later_by(given, minutes * 60)

    return change


def _next_day(given: Any) -> Any:
    if is_whole(given) and abs(given) < 10**6:
        return given + 1
    if isinstance(given, str) and given[4:5] == "-" and given[8:10].isdigit():
        return f"{given[:8]}{int(given[8:10]) % 28 + 1:02}{given[10:]}"
    return given


def _other_fraction(given: Any) -> Any:
    if is_whole(given) and abs(given) > 10**9:
        return given + 1
    if isinstance(given, str) and "." in given and given[-1:].isdigit():
        return given[:-1] + str((int(given[-1]) + 1) % 10)
    return given


def _unit(given: Any) -> Any:
    """Milliseconds for microseconds, or no fraction of a second."""
    if isinstance(given, int) and abs(given) > 10**11:
        return given // 1000
    if isinstance(given, str) and "." in given and given.partition(".")[2].strip("0Z"):
        return given.partition(".")[0] + ".000000"[: len(given.partition(".")[2]) + 1]
    return given


def mojibake(text: str) -> str:
    broken = text.encode("utf-8", "surrogatepass").decode("latin-1")
    return broken if broken != text else f"{text[:-1]}Ã©"


def _question_marks(text: str) -> str:
    broken = text.encode("ascii", "replace").decode()
    return broken if broken != text else f"{text[:-1]}?"


def _decomposed(text: str) -> str:
    made = unicodedata.normalize("NFD", text)
    return made if made != text else f"{text[:-1]}e\u0301"


def _other_byte(text: str) -> str:
    at = next((n for n, letter in enumerate(text) if letter.isalnum()), None)
    return f"{text}x" if at is None else text[:at] + ("B" if text[at] != "B" else "C") + text[at + 1 :]


def _in_hex(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).hex()
    except ValueError:
        return text


def _minus_zero(given: Any) -> Any:
    if isinstance(given, str) and given.strip("0.") == "" and given:
        return f"-{given}"
    return -0.0 if given == 0 and isinstance(given, float) else given


def _other_label(given: Any) -> Any:
    if isinstance(given, int) or (isinstance(given, str) and given.isdigit()):
        return type(given)(int(given) % 3 + 1)
    return f"{given}x" if isinstance(given, str) else given


def _tree(change: Change) -> Change:
    """A change of the JSON in a text."""

    def apply(given: Any) -> Any:
        try:
            tree = json.loads(given) if isinstance(given, str) else None
        except ValueError:
            return given
        made = change(tree)
        return given if made == tree else json.dumps(made, ensure_ascii=False)

    return apply


def _member(test: Callable[[Any], bool], change: Change) -> Change:
    """A change of the first member of an object that passes a test."""

    def apply(tree: Any) -> Any:
        name = next((n for n, v in tree.items() if test(v)), None) if isinstance(tree, dict) else None
        return tree if name is None else {**tree, name: change(tree[name])}

    return _tree(apply)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_VALUES: Sequence[tuple[str, frozenset[str], Change]] = (
    ("a digit", NUMERIC, _digit),
    ("a sign", NUMERIC - {"year", "bit"}, _sign),
    ("ten times as much", frozenset({"int", "bigint", "smallint", "mediumint"}), _tenfold),
    ("a zone", TIMES - {"date"}, shifted),
    ("a unit", TIMES - {"date"}, _unit),
    ("a digit of a time", TIMES, _digit),
    ("a charset read wrongly", TEXTS, text_change(mojibake)),
    ("a charset lost", TEXTS, text_change(_question_marks)),
    ("a trailing blank", TEXTS, text_change(lambda text: f"{text} ")),
    ("a leading blank", TEXTS, text_change(lambda text: f" {text}")),
    ("the last letter lost", TEXTS, text_change(lambda text: text[:-1])),
    ("case", TEXTS, text_change(str.swapcase)),
    ("a text that is empty", TEXTS, text_change(lambda text: "")),
    ("a NUL behind", TEXTS, text_change(lambda text: f"{text}\0")),
    ("a byte", BYTES, text_change(_other_byte)),
    ("a member of JSON", JSON, text_change(lambda text: text.replace(":", ':"', 1).replace(",", '",', 1))),
    ("a number in JSON", JSON, _digit),
)
_AS_OTHER_PRODUCERS: Sequence[tuple[str, frozenset[str], Change]] = (
    ("the sign of a zero", frozenset({"float", "double", "decimal"}), _minus_zero),
    ("half an hour later", frozenset({"datetime", "timestamp"}), _minutes_later(30)),
    ("a minute later", frozenset({"datetime", "timestamp", "time"}), _minutes_later(1)),
    ("the next day", frozenset({"date", "datetime", "timestamp"}), _next_day),
    ("the last digit of a fraction", frozenset({"time", "datetime", "timestamp"}), _other_fraction),
    ("letters taken apart", TEXTS, text_change(_decomposed)),
    ("a letter that is none", TEXTS, text_change(lambda text: text[:-1] + "\ufffd")),
    ("a text twice", TEXTS, text_change(lambda text: text + text)),
    ("a text reversed", TEXTS, text_change(lambda text: text[::-1])),
    ("blanks made one", TEXTS, text_change(lambda text: text.replace(" ", "  ", 1))),
    ("quotes doubled", TEXTS, text_change(lambda text: text + "''")),
    ("a backslash more", TEXTS, text_change(lambda text: text + "\\")),
    ("bytes in hexadecimal", BYTES, text_change(_in_hex)),
    ("a zero byte more", BYTES, text_change(lambda text: text + "\0")),
    ("a zero before a number", NUMERIC - {"bit"}, text_change(lambda text: f"0{text}" if text.isdigit() else text)),
    ("half of a number's digits", NUMERIC, text_change(lambda t: t[: (len(t) + 1) // 2] if t.isdigit() else t)),
    ("a member of JSON lost", JSON, _tree(lambda t: dict([*t.items()][1:]) if isinstance(t, dict) else t)),
    ("NULL for a member of JSON that is none", JSON, _tree(lambda t: {**t, "zz": None} if isinstance(t, dict) else t)),
    ("a number of JSON as a text", JSON, _member(_is_number, str)),
    ("a truth of JSON as a number", JSON, _member(lambda value: isinstance(value, bool), int)),
    ("JSON in an array", JSON, _tree(lambda tree: [tree] if tree is not None else None)),
    ("another label", frozenset({"enum", "set"}), _other_label),
    ("another kind of value", NUMERIC, lambda given: {"a": given}),
    ("a value told in an array", ALL, lambda given: given if given is None else [given]),
)


def value_change(kinds: frozenset[str], change: Change, image: str, *, keys: bool = False) -> Apply:
    """A value of an image in one message."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        for at in in_any_order(draw, stream.rows):
            key = {*stream.key_columns(at)}
            for found in rows_of(stream.dialect, stream.value(at)):
                names = [name for name in found.cells if found.name == image and (name in key) is keys]
                names = [name for name in names if stream.kind(at, name) in kinds]
                draw.shuffle(names)
                for name in names:
                    made = change(found.get(name))
                    if made != found.get(name):
                        return with_cell(stream, at, image, name, found.cell(name, made), most=1)
        return None

    return apply


def with_cell(
    stream: Stream, at: int, image: str, name: str, cell: Any, most: int | None = None
) -> list[Record] | None:
    """A cell in the images of a name in a message, or in as many as `most` of them."""

    def change(key: Tree, value: Tree) -> None:
        there = [one for one in rows_of(stream.dialect, value) if one.name == image and name in one.cells]
        for one in there[:most]:
            one.cells[name] = cell

    return stream.changed(at, change)


def _without_column(stream: Stream, key: Tree, value: Tree, *, name: str) -> None:
    for image in rows_of(stream.dialect, value):
        image.cells.pop(name, None)


def _column_lost(stream: Stream, draw: Random) -> list[Record] | None:
    for at in in_any_order(draw, stream.rows):
        for found in rows_of(stream.dialect, stream.value(at)):
            if found.name == "after" and len(found.cells) > 2:
                return stream.changed(at, partial(_without_column, stream, name=[*found.cells][-1]))
    return None


def _columns_exchanged(stream: Stream, draw: Random) -> list[Record] | None:
    """Two columns of one kind have each other's values."""

    def change(key: Tree, value: Tree) -> None:
        for image in rows_of(stream.dialect, value):
            if image.name == "after":
                image.cells[a], image.cells[b] = image.cells[b], image.cells[a]

    for at in in_any_order(draw, stream.rows):
        for found in rows_of(stream.dialect, stream.value(at)):
            cells, kinds = found.cells, {name: stream.kind(at, name) for name in found.cells}
            names = [name for name in cells if kinds[name] in ("varchar", "int", "bigint", "text")]
            alike = [(a, b) for a in names for b in names if a < b and kinds[a] == kinds[b] and cells[a] != cells[b]]
            if found.name == "after" and alike:
                a, b = alike[0]
                return stream.changed(at, change)
    return None


def _values() -> Iterator[Corruption]:
    # NULL written as a text, of a column that holds texts.
    for text in ("null", ""):
        apply = value_change(TEXTS, lambda given, text=text: text if given is None else given, "after")
        yield Corruption(f"NULL told as '{text}'", "value", apply)
    yield Corruption("a value told as NULL", "value", value_change(ALL, lambda given: None, "after"))
    yield Corruption("a column left out", "value", _column_lost)
    yield Corruption("two columns exchanged", "value", _columns_exchanged)
    for name, kinds, change in _VALUES:
        yield Corruption(f"{name} in a value", "value", value_change(kinds, change, "after"))
        yield Corruption(f"{name} in the row before", "before image", value_change(kinds, change, "before"))
    yield Corruption("a digit in the key of a row", "value", value_change(NUMERIC, _digit, "after", keys=True))


def _as_other_producers() -> Iterator[Corruption]:
    for name, kinds, change in _AS_OTHER_PRODUCERS:
        yield Corruption(f"{name} in a value", "value", value_change(kinds, change, "after"))
        if kinds in (TEXTS, NUMERIC, BYTES) or "json" in kinds or TIMES & kinds:
            yield Corruption(f"{name} in the row before", "before image", value_change(kinds, change, "before"))


VALUES = tuple(_values())
AS_OTHER_PRODUCERS = tuple(_as_other_producers())
