"""Corruptions of values, by the kind of their column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from shaped import Tree, opened, rows_of, table_of
from streams_of_trees import Apply, Corruption, Stream, in_any_order

from reference_impl.keys import handle_key
from reference_impl.model import Record

__all__ = ["ALL", "BYTES", "NUMERIC", "TEXTS", "TIMES", "VALUES", "cell_of", "kind_of", "value_change"]


NUMERIC = frozenset({"tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "float", "double", "year", "bit"})
TEXTS = frozenset({"char", "varchar", "tinytext", "text", "mediumtext", "longtext"})
TIMES = frozenset({"date", "datetime", "timestamp", "time"})
BYTES = frozenset({"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"})


def _is_digits(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdigit()


def _digit(given: Any, draw: Random) -> Any:
    if isinstance(given, bool):
        return not given
    if isinstance(given, int):
        return given + 1 if given % 10 != 9 else given - 1
    if isinstance(given, float):
        return float(repr(given).replace(repr(given)[-1], "7" if repr(given)[-1] != "7" else "3")) if given else 1.5
    places = [n for n, letter in enumerate(given) if letter.isdigit()] if isinstance(given, str) else []
    if not places:
        return given
    at = places[-1]
    return given[:at] + str((int(given[at]) + 1) % 10) + given[at + 1 :]


def _sign(given: Any, draw: Random) -> Any:
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        if not isinstance(given, str) or not _is_digits(given) or not given.strip("-0."):
            return given
        return given[1:] if given.startswith("-") else f"-{given}"
    return -given


def _tenfold(given: Any, draw: Random) -> Any:
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return given * 10
    return f"{given}0" if isinstance(given, str) and given.isdigit() and given.strip("0") else given


def _zone(given: Any, draw: Random) -> Any:
    """Eight hours later."""
    if isinstance(given, str) and given[:4].isdigit():
        at = given.find(":") - 2
        if at < 0:
            return given
        hour = int(given[at : at + 2])
        return f"{given[:at]}{(hour + 8) % 24:02}{given[at + 2 :]}"
    if isinstance(given, int) and abs(given) > 10**11:
        return given + 8 * 3600 * (1_000_000 if abs(given) > 10**14 else 1000)
    return given


def _unit(given: Any, draw: Random) -> Any:
    """Milliseconds for microseconds, or no fraction of a second."""
    if isinstance(given, int) and abs(given) > 10**11:
        return given // 1000
    if isinstance(given, str) and "." in given and given.partition(".")[2].strip("0Z"):
        return given.partition(".")[0] + ".000000"[: len(given.partition(".")[2]) + 1]
    return given


def _text_change(change: Callable[[str], str]) -> Callable[[Any, Random], Any]:
    return lambda given, draw: change(given) if isinstance(given, str) and given else given


def _mojibake(text: str) -> str:
    broken = text.encode("utf-8", "surrogatepass").decode("latin-1")
    return broken if broken != text else f"{text[:-1]}Ã©"


def _question_marks(text: str) -> str:
    broken = text.encode("ascii", "replace").decode()
    return broken if broken != text else f"{text[:-1]}?"


def _base64_change(given: Any, draw: Random) -> Any:
    if not isinstance(given, str) or not given:
        return given
    at = next((n for n, letter in enumerate(given) if letter.isalnum()), None)
    if at is None:
        return given + "x"
    return given[:at] + ("B" if given[at] != "B" else "C") + given[at + 1 :]


_VALUES: Sequence[tuple[str, frozenset[str], Callable[[Any, Random], Any]]] = (
    ("a digit", NUMERIC, _digit),
    ("a sign", NUMERIC - {"year", "bit"}, _sign),
    ("ten times as much", frozenset({"int", "bigint", "smallint", "mediumint"}), _tenfold),
    ("a zone", TIMES - {"date"}, _zone),
    ("a unit", TIMES - {"date"}, _unit),
    ("a digit of a time", TIMES, _digit),
    ("a charset read wrongly", TEXTS, _text_change(_mojibake)),
    ("a charset lost", TEXTS, _text_change(_question_marks)),
    ("a trailing blank", TEXTS, _text_change(lambda text: f"{text} ")),
    ("a leading blank", TEXTS, _text_change(lambda text: f" {text}")),
    ("the last letter lost", TEXTS, _text_change(lambda text: text[:-1])),
    ("case", TEXTS, _text_change(str.swapcase)),
    ("a text that is empty", TEXTS, _text_change(lambda text: "")),
    ("a NUL behind", TEXTS, _text_change(lambda text: f"{text}\0")),
    ("a byte", BYTES, _base64_change),
    (
        "a member of JSON",
        frozenset({"json"}),
        _text_change(lambda text: text.replace(":", ':"', 1).replace(",", '",', 1)),
    ),
    ("a number in JSON", frozenset({"json"}), _digit),
)


def kind_of(stream: Stream, table: str, column: str) -> str:
    found = stream.tables[table].column(column) if table in stream.tables else None
    return found.type.family.value if found else ""


def cell_of(given: Any, dialect: str) -> Any:
    return given["v"] if dialect == "open-protocol" else given


def value_change(
    kinds: frozenset[str], change: Callable[[Any, Random], Any], image: str, *, keys: bool = False
) -> Apply:
    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        for at in in_any_order(draw, stream.rows()):
            trees = opened(stream.dialect, stream.records[at])
            if trees is None:
                return None
            table = table_of(stream.dialect, trees)
            key = {*handle_key(stream.tables[table])} if table in stream.tables else set()
            for found in rows_of(stream.dialect, trees[1]):
                names = [
                    name
                    for name in found.cells
                    if kind_of(stream, table, name) in kinds and (name in key) is keys and found.name == image
                ]
                draw.shuffle(names)
                for name in names:
                    made = change(cell_of(found.cells[name], stream.dialect), draw)
                    if made != cell_of(found.cells[name], stream.dialect):
                        return _put(stream, at, found.name, name, made)
        return None

    return apply


def _put(stream: Stream, at: int, image: str, name: str, given: Any) -> list[Record] | None:
    def change(key: Tree, value: Tree) -> None:
        for found in rows_of(stream.dialect, value):
            if found.name == image and name in found.cells:
                if stream.dialect == "open-protocol":
                    found.cells[name]["v"] = given
                else:
                    found.cells[name] = given
                return

    return stream.changed(at, change)


ALL = NUMERIC | TEXTS | TIMES | BYTES | {"json", "enum", "set"}


def _null_for_text(text: str) -> Apply:
    """NULL told as a text, of a column that holds texts."""
    return value_change(TEXTS, lambda given, draw: text if given is None else given, "after")


def _value_to_null(stream: Stream, draw: Random) -> list[Record] | None:
    return value_change(ALL, lambda given, draw: None, "after")(stream, draw)


def _column_lost(stream: Stream, draw: Random) -> list[Record] | None:
    for at in in_any_order(draw, stream.rows()):
        trees = opened(stream.dialect, stream.records[at])
        if trees is None:
            return None
        for found in rows_of(stream.dialect, trees[1]):
            if found.name == "after" and len(found.cells) > 2:
                name = [*found.cells][-1]

                def change(key: Tree, value: Tree, name: str = name) -> None:
                    for image in rows_of(stream.dialect, value):
                        image.cells.pop(name, None)

                return stream.changed(at, change)
    return None


def _columns_exchanged(stream: Stream, draw: Random) -> list[Record] | None:
    """Two columns of one kind have each other's values."""
    for at in in_any_order(draw, stream.rows()):
        trees = opened(stream.dialect, stream.records[at])
        if trees is None:
            return None
        table = table_of(stream.dialect, trees)
        for found in rows_of(stream.dialect, trees[1]):
            if found.name != "after":
                continue
            names = [n for n in found.cells if kind_of(stream, table, n) in ("varchar", "int", "bigint", "text")]
            kinds = {name: kind_of(stream, table, name) for name in names}
            pairs = [
                (a, b)
                for a in names
                for b in names
                if a < b and kinds[a] == kinds[b] and found.cells[a] != found.cells[b]
            ]
            if pairs:
                a, b = pairs[0]

                def change(key: Tree, value: Tree, a: str = a, b: str = b) -> None:
                    for image in rows_of(stream.dialect, value):
                        if image.name == "after":
                            image.cells[a], image.cells[b] = image.cells[b], image.cells[a]

                return stream.changed(at, change)
    return None


def _all() -> Iterator[Corruption]:
    whole: Sequence[tuple[str, str, Apply]] = (
        ("NULL told as 'null'", "value", _null_for_text("null")),
        ("NULL told as ''", "value", _null_for_text("")),
        ("a value told as NULL", "value", _value_to_null),
        ("a column left out", "value", _column_lost),
        ("two columns exchanged", "value", _columns_exchanged),
    )
    yield from (Corruption(*one) for one in whole)
    for name, kinds, change in _VALUES:
        yield Corruption(f"{name} in a value", "value", value_change(kinds, change, "after"))
        yield Corruption(f"{name} in the row before", "before image", value_change(kinds, change, "before"))
    yield Corruption("a digit in the key of a row", "value", value_change(NUMERIC, _digit, "after", keys=True))


VALUES: Sequence[Corruption] = tuple(_all())
