"""Compares the rows of a consumer with the original rows: which columns have another value, and how."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal, TypeAlias

from conformance.compatibility.cells import Trouble, Verdict, worst
from conformance.consumers.mysql_types import MysqlType
from conformance.consumers.truth import Change, Values, is_same_value

__all__ = ["BitForm", "Columns", "Pair", "aligned", "split"]

Pair: TypeAlias = tuple[Change, Change]
"""An original change, and the reader's version of it."""
BitForm: TypeAlias = Literal["little", "big", "number"]
"""How a reader has a BIT: as bytes in an order, or as a number."""
_TIMES = frozenset({"time", "datetime", "timestamp"})
_LEAST_DIGITS = 6  # the digits of a float of 32 bits
_NUMBERS = frozenset({"float", "double", "real", "decimal", "numeric"})


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns to compare: their types by name, and the form of a BIT.

    For a row that a reader deletes by its `key`, the columns of the key are compared; with `is_partial` those that it
    shows.
    """

    types: Mapping[str, MysqlType]
    bits: BitForm
    key: frozenset[str] = frozenset()
    is_partial: bool = False

    def troubles(self, pairs: Sequence[Pair]) -> list[Trouble]:
        """The differences in a reader's changes, each kind of trouble of a column type once."""
        found: dict[tuple[Verdict, str, str], Trouble] = {}
        for pair in pairs:
            for one in self._of_change(*pair):
                found.setdefault((one.verdict, one.type, one.effect), one)
        order = list(Verdict)
        return sorted(found.values(), key=lambda one: order.index(one.verdict))

    def by_type(self, troubles: Sequence[Trouble]) -> dict[str, Verdict]:
        """Column type → its worst result."""
        found = {}
        for label in sorted({of.label for of in self.types.values()}):
            of_type = [one.verdict for one in troubles if one.type == label]
            found[label] = worst([*of_type, Verdict.LOSSLESS])
        return found

    def _of_change(self, want: Change, got: Change) -> Iterator[Trouble]:
        """Some readers show the row after a change alone: they need no row before."""
        if want[1] is None and got[1] is not None:
            yield Trouble(Verdict.WRONG, "a deletion is read as an insertion")
            return
        for wanted, had, excused in ((want[0], got[0], got[1] is not None), (want[1], got[1], False)):
            if wanted is not None and had is not None:
                by_key = had is got[0] and had.keys() <= self.key
                yield from self._of_row({n: v for n, v in wanted.items() if n in had} if by_key else wanted, had)
            elif had is not None:
                yield Trouble(Verdict.WRONG, "a row before or after that there was not")
            elif wanted is not None and not excused:
                yield Trouble(Verdict.WRONG, "a deletion for an update")

    def _of_row(self, want: Values, have: Values) -> Iterator[Trouble]:
        for name, value in want.items():
            of = self.types[name]
            if name in have:
                verdict, effect = self._of_value(of, have[name], value)
            elif self.is_partial:
                continue
            else:
                verdict, effect = Verdict.WRONG, "the column is missing"
            if verdict is not Verdict.LOSSLESS:
                yield Trouble(verdict, effect, name, of.label, went_in=value, read=have.get(name))

    def _of_value(self, of: MysqlType, got: str | None, want: str | None) -> tuple[Verdict, str]:
        is_bytes = of.base == "bit" and of.length not in (None, 1)
        same = _is_same_bits(self.bits, got, want) if is_bytes else is_same_value(of, got, want)
        same = same or (self.is_partial and _is_same_as_text(of, got, want))
        if same or _is_same_otherwise(of, got, want):
            return Verdict.LOSSLESS, ""
        if got is None:
            return Verdict.WRONG, "NULL for a value"
        if want is None:
            return Verdict.WRONG, "a value for NULL"
        if of.base in _TIMES and got.partition(".")[0] == want.partition(".")[0] and want.startswith(got.rstrip("0")):
            return Verdict.LOSSY, "the fraction is cut"
        if of.base in _NUMBERS and _is_rounded(got, want):
            return Verdict.LOSSY, "digits are lost"
        return Verdict.WRONG, "another value"


def aligned(want: Sequence[Change], got: Sequence[Change]) -> tuple[list[Pair], bool]:
    """Pairs of original changes and the reader's, and whether both sides are complete.

    An update may arrive as a deletion and an insertion: an update of a key does.
    """
    pairs: list[Pair] = []
    left = list(got)
    for change in want:
        if not left:
            break
        before, after = left.pop(0)
        if None not in change and after is None and left and left[0][0] is None:
            after = left.pop(0)[1]
        pairs.append((change, (before, after)))
    return pairs, not left and len(pairs) == len(want)


def split(changes: Sequence[Change]) -> list[Change]:
    """Updates as deletions and insertions."""
    parts = [((before, None), (None, after)) for before, after in changes]
    return [part for pair in parts for part in pair if part != (None, None)]


def _is_same_otherwise(of: MysqlType, got: str | None, want: str | None) -> bool:
    """Whether two texts are one value in different spellings."""
    if got is None or want is None:
        return False
    if of.base == "json":
        try:
            return _json(got) == _json(want)
        except (ValueError, RecursionError):
            return False
    if of.base == "year":
        return got.lstrip("0") == want.lstrip("0")
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


def _is_same_as_text(of: MysqlType, got: str | None, want: str | None) -> bool:
    """Whether a message writes bytes as plain text."""
    if got is None or want is None or of.base not in ("binary", "varbinary"):
        return False
    return base64.b64decode(want) == got.encode("utf-8", "replace")


def _is_same_bits(form: BitForm, got: str | None, want: str | None) -> bool:
    """Whether base64 of a BIT's bytes is the original number."""
    if got is None or want is None:
        return got == want
    if form == "number":
        return got == want
    try:
        return int.from_bytes(base64.b64decode(got, validate=True), form) == int(want)
    except (binascii.Error, ValueError):
        return False


def _is_rounded(got: str, want: str) -> bool:
    """Whether one number is the other with fewer digits, at least six."""
    try:
        short, whole = Decimal(got).normalize(), Decimal(want).normalize()
    except InvalidOperation:
        return False
    if not short.is_finite() or not whole.is_finite():
        return False
    digits = len(short.as_tuple().digits)
    unit = Decimal(1).scaleb(int(short.as_tuple().exponent))
    return _LEAST_DIGITS <= digits < len(whole.as_tuple().digits) and abs(short - whole) <= unit
