"""Compares the rows of a consumer with the original rows: which columns have another value, and how."""

from __future__ import annotations

import base64
import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Context, Decimal, InvalidOperation
from typing import Literal, TypeAlias

from conformance.compatibility.cells import Fidelity, Trouble, worst
from conformance.consumers.mysql_types import MysqlType
from conformance.consumers.truth import Change, Values, is_same_value
from reference_impl.floats import nearest_float32, plain

__all__ = ["BitForm", "Columns", "Pair", "aligned", "updates_split"]

Pair: TypeAlias = tuple[Change, Change]
"""An original change, and the reader's version of it."""
BitForm: TypeAlias = Literal["little", "big", "number"]
"""How a reader shows a BIT: as bytes in one of two orders, or as a number."""
_EXACT = Context(prec=1000)  # more digits than a DECIMAL or the shortest text of a double can have
_TIMES = frozenset({"time", "datetime", "timestamp"})
_LEAST_DIGITS = 6  # the digits of a float of 32 bits
_NUMBERS = frozenset({"float", "double", "real", "decimal", "numeric"})


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns to compare, and how."""

    types: Mapping[str, MysqlType]
    """Name of a column → its type."""
    bits: BitForm
    key: frozenset[str] = frozenset()
    """The columns of the key by which the reader deletes: of a deleted row only these are compared. May be empty."""
    is_partial: bool = False
    """Whether the reader may leave out columns."""

    def troubles(self, pairs: Sequence[Pair]) -> list[Trouble]:
        """The differences in a reader's changes, each kind of trouble of a column type once."""
        found: dict[tuple[Fidelity, str, str], Trouble] = {}
        for pair in pairs:
            for one in self._of_change(*pair):
                found.setdefault((one.verdict, one.type, one.effect), one)
        return sorted(found.values(), key=lambda one: one.verdict.rank)

    def by_type(self, troubles: Sequence[Trouble], pairs: Sequence[Pair]) -> dict[str, Fidelity]:
        """Column type → its worst result, without the types of columns that a reader left out and may leave out."""
        read = {name for _, got in pairs for row in got for name in row or ()}
        found = {}
        for label in sorted({t.label for name, t in self.types.items() if name in read or not self.is_partial}):
            of_type = [one.verdict for one in troubles if one.type == label]
            found[label] = worst([*of_type, Fidelity.LOSSLESS])
        return found

    def _of_change(self, expected: Change, got: Change) -> Iterator[Trouble]:
        expected_before, expected_after = expected
        got_before, got_after = got
        if expected_after is None and got_after is not None:
            yield Trouble(Fidelity.WRONG, "a deletion is read as an insertion")
            return
        if expected_before is not None and got_before is not None and got_before.keys() <= self.key:
            expected_before = {name: value for name, value in expected_before.items() if name in got_before}
        # A reader may show only the row after an update.
        yield from self._of_image(expected_before, got_before, is_optional=got_after is not None)
        yield from self._of_image(expected_after, got_after, is_optional=False)

    def _of_image(self, expected: Values | None, got: Values | None, *, is_optional: bool) -> Iterator[Trouble]:
        if expected is not None and got is not None:
            yield from self._of_row(expected, got)
        elif got is not None:
            yield Trouble(Fidelity.WRONG, "a row before or after that there was not")
        elif expected is not None and not is_optional:
            yield Trouble(Fidelity.WRONG, "a deletion for an update")

    def _of_row(self, expected: Values, got: Values) -> Iterator[Trouble]:
        for name, value in expected.items():
            column_type = self.types[name]
            if name in got:
                verdict, effect = self._of_value(column_type, got[name], value)
            elif self.is_partial:
                continue
            else:
                verdict, effect = Fidelity.WRONG, "the column is missing"
            if verdict is not Fidelity.LOSSLESS:
                yield Trouble(verdict, effect, name, column_type.label, went_in=value, read=got.get(name))

    def _of_value(self, column_type: MysqlType, got: str | None, expected: str | None) -> tuple[Fidelity, str]:
        is_bytes = column_type.base == "bit" and column_type.length not in (None, 1)
        same = _is_same_bits(self.bits, got, expected) if is_bytes else is_same_value(column_type, got, expected)
        same = same or (self.is_partial and _is_same_as_text(column_type, got, expected))
        if same or _is_same_in_other_spelling(column_type, got, expected):
            return Fidelity.LOSSLESS, ""
        if got is None:
            return Fidelity.WRONG, "NULL for a value"
        if expected is None:
            return Fidelity.WRONG, "a value for NULL"
        if column_type.base in _TIMES and _is_cut(got, expected):
            return Fidelity.LOSSY, "the fraction is cut"
        if column_type.base in _NUMBERS and _is_rounded(got, expected):
            return Fidelity.LOSSY, "digits are lost"
        return Fidelity.WRONG, "another value"


def aligned(expected: Sequence[Change], got: Sequence[Change]) -> tuple[list[Pair], bool]:
    """Pairs of original changes and the reader's, and whether every change of both sides has a partner.

    An update may arrive as a deletion and an insertion, as an update of a key does.
    """
    pairs: list[Pair] = []
    rest = deque(got)
    for change in expected:
        if not rest:
            break
        before, after = rest.popleft()
        is_update, is_deletion = None not in change, after is None
        if is_update and is_deletion and rest and rest[0][0] is None:
            _, after = rest.popleft()
        pairs.append((change, (before, after)))
    return pairs, not rest and len(pairs) == len(expected)


def updates_split(changes: Sequence[Change]) -> list[Change]:
    """Updates as deletions and insertions."""
    parts: list[Change] = []
    for before, after in changes:
        if before is not None:
            parts.append((before, None))
        if after is not None:
            parts.append((None, after))
    return parts


def _is_same_in_other_spelling(column_type: MysqlType, got: str | None, expected: str | None) -> bool:
    """Whether two texts are one value in different spellings."""
    if got is None or expected is None:
        return False
    if column_type.base == "json":
        try:
            return _json(got) == _json(expected)
        except (ValueError, RecursionError):
            return False
    if column_type.base == "year":
        return got.lstrip("0") == expected.lstrip("0")
    return False


def _json(text: str) -> object:
    """A JSON value; numbers by their value, and `true` is not 1."""
    return _exact(json.loads(text, parse_float=Decimal, parse_int=Decimal))


def _exact(tree: object) -> object:
    if isinstance(tree, dict):
        return {name: _exact(part) for name, part in tree.items()}
    if isinstance(tree, list):
        return [_exact(part) for part in tree]
    return ("bool", tree) if isinstance(tree, bool) else tree


def _is_same_as_text(column_type: MysqlType, got: str | None, expected: str | None) -> bool:
    """Whether bytes, whose expected value is base64, are shown as plain text."""
    if got is None or expected is None or column_type.base not in ("binary", "varbinary"):
        return False
    return base64.b64decode(expected) == got.encode("utf-8", "replace")


def _is_same_bits(form: BitForm, got: str | None, expected: str | None) -> bool:
    """Whether a BIT is the original number, or base64 of its bytes."""
    if got is None or expected is None or form == "number":
        return got == expected
    try:
        return int.from_bytes(base64.b64decode(got, validate=True), form) == int(expected)
    except ValueError:
        return False


def _is_cut(got: str, expected: str) -> bool:
    """Whether a time is the other one without the last digits of its fraction."""
    return got.partition(".")[0] == expected.partition(".")[0] and expected.startswith(got.rstrip("0"))


def _is_rounded(got: str, expected: str) -> bool:
    """Whether one number is the other with fewer digits, at least six: rounded, cut, or what a float holds of it."""
    try:
        short, whole = Decimal(got).normalize(_EXACT), Decimal(expected).normalize(_EXACT)
    except InvalidOperation:
        return False
    if not short.is_finite():
        return False
    digits, all_digits = len(short.as_tuple().digits), len(whole.as_tuple().digits)
    # Zeros at the end of a rounded number do not count as its digits: 0.1 is 0.1000001 with six digits.
    kept = max(_LEAST_DIGITS, digits)
    if kept < all_digits:
        unit = Decimal(1).scaleb(whole.adjusted() - kept + 1)
        cut, lost = whole.quantize(unit, ROUND_DOWN, _EXACT), _EXACT.subtract(short, whole).copy_abs()
        if short == cut or lost * 2 <= unit:
            return True
    return digits <= all_digits and any(_is_float_of(short, whole, bits) for bits in (32, 64))


def _is_float_of(got: Decimal, whole: Decimal, bits: int) -> bool:
    """Whether a number is the float nearest to another one: in its shortest digits, or in all of them."""
    try:
        nearest = nearest_float32(str(whole)) if bits == 32 else float(whole)
        return got in (Decimal(nearest), Decimal(plain(str(whole), bits)))
    except (OverflowError, ValueError):
        return False
