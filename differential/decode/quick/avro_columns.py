"""Reads the Avro data of many messages together, a field at a time.

It accepts only the bytes that TiCDC writes for a record: the shortest form of every number, and nothing behind the last
field. So data that was read need not be written again as a check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

from reference_impl.avro.binary import Coding, RecordCoding

__all__ = ["Column", "Messages", "Records"]

Column: TypeAlias = "list[Any]"
"""The values of a field, one a message; None for NULL. Of a message that is not sure any value may stand here."""

_MORE, _SEVEN = 0x80, 0x7F  # the bit that is set if another byte follows; the bits that belong to the number
_LAST_SHIFT = 63  # the shift of the tenth byte of a number, which has one bit
_INT = 1 << 31
_ROOM = 16  # bytes behind the last message, so that a truncated number at its end can be read


class Messages:
    """Several messages in one buffer, from which records are read."""

    def __init__(self, messages: Sequence[bytes]) -> None:
        whole = b"".join(messages)
        self.data: NDArray[Any] = numpy.frombuffer(whole + bytes(_ROOM), dtype=numpy.uint8)
        # One character a byte: slices of a text cost less than decoding each value.
        self.text, self.is_ascii = whole.decode("latin-1"), whole.isascii()
        self.ends: NDArray[Any] = numpy.cumsum(numpy.fromiter(map(len, messages), numpy.int64, len(messages)))
        self.begins: NDArray[Any] = numpy.concatenate(([0], self.ends[:-1])).astype(numpy.int64)


class Records:
    """Records of one schema, one in each message, between `begins` and `ends`, read as columns."""

    def __init__(
        self,
        coding: RecordCoding,
        messages: Messages,
        begins: NDArray[Any],
        ends: NDArray[Any],
        *,
        nested: bool = False,
    ) -> None:
        self._messages, self._at, self._ends = messages, begins.copy(), ends
        self.sure: NDArray[Any] = numpy.ones(len(begins), dtype=bool)
        """By message, whether its bytes are those that TiCDC writes for the values."""
        self.fields: dict[str, Column] = {}
        """By name, the columns of fields that are not records."""
        self.within: dict[str, tuple[list[bool], Mapping[str, Column]]] = {}
        """By name of a field that is a record: which messages have it, and its columns."""
        for field in coding["fields"]:
            self._field(field["name"], field["type"])
        if not nested:
            self.sure &= self._at == ends

    def _field(self, name: str, coding: Coding) -> None:
        """Read a field of all records."""
        self._at = numpy.minimum(self._at, self._ends)
        there = None
        if isinstance(coding, list):
            first, second = coding
            branch = self._messages.data[self._at]
            self._check((branch == 0) | (branch == 2), self._at < self._ends)
            there = branch == (2 if first == "null" else 0)
            coding = second if first == "null" else first
            self._at += 1
        if isinstance(coding, dict):
            self._record(name, coding, numpy.ones(len(self._at), dtype=bool) if there is None else there)
        elif there is None or there.all():
            self.fields[name] = self._values(coding)
        else:
            some = numpy.flatnonzero(there)
            part = self._part(some)
            column: Column = [None] * len(there)
            for number, value in zip(some.tolist(), part._values(coding), strict=True):
                column[number] = value
            self._take(part, some)
            self.fields[name] = column

    def _record(self, name: str, coding: RecordCoding, there: NDArray[Any]) -> None:
        some = numpy.flatnonzero(there)
        part = Records(coding, self._messages, self._at[some], self._ends[some], nested=True)
        self._take(part, some)
        columns = {}
        for inner, values in part.fields.items():
            columns[inner] = column = [None] * len(there)
            for number, value in zip(some.tolist(), values, strict=True):
                column[number] = value
        self.within[name] = there.tolist(), columns

    def _part(self, some: NDArray[Any]) -> Records:
        """The records of some messages, at the position up to which they have been read."""
        return Records({"fields": []}, self._messages, self._at[some], self._ends[some], nested=True)

    def _take(self, part: Records, some: NDArray[Any]) -> None:
        """Continue at the position up to which a part of the records was read."""
        self._at[some] = part._at
        self.sure[some] &= part.sure

    def _check(self, *conditions: NDArray[Any]) -> None:
        for condition in conditions:
            self.sure &= condition

    def _values(self, kind: Coding) -> Column:
        """The values of a primitive type, of all records."""
        read = _READ.get(kind)
        if read is None:
            self.sure[:] = False
            return [None] * len(self._at)
        return read(self)

    def _numbers(self) -> NDArray[Any]:
        """The numbers of all records."""
        data, at = self._messages.data, self._at
        byte = data[at]
        at += 1
        found = (byte & _SEVEN).astype(numpy.uint64)
        more, shift = numpy.flatnonzero(byte >= _MORE), 7
        while len(more):
            byte = data[at[more]]
            at[more] += 1
            if shift == _LAST_SHIFT:
                self.sure[more[byte > 1]] = False
            self.sure[more[byte == 0]] = False  # the same number fits into fewer bytes
            found[more] |= (byte & _SEVEN).astype(numpy.uint64) << numpy.uint64(shift)
            more, shift = (more[byte >= _MORE], shift + 7) if shift < _LAST_SHIFT else (more[:0], shift)
        self._check(at <= self._ends)
        numbers: NDArray[Any] = (found >> numpy.uint64(1)).astype(numpy.int64) ^ -(found & numpy.uint64(1)).astype(
            numpy.int64
        )
        return numbers

    def _longs(self) -> Column:
        return list(self._numbers().tolist())

    def _ints(self) -> Column:
        numbers = self._numbers()
        self._check(numbers >= -_INT, numbers < _INT)
        return list(numbers.tolist())

    def _slices(self) -> list[str]:
        """The bytes of all records, as characters up to U+00FF."""
        lengths = self._numbers()
        fits = (lengths >= 0) & (lengths <= self._ends - self._at)
        self._check(fits)
        begins = self._at
        self._at = begins + numpy.where(fits, lengths, 0)
        text = self._messages.text
        return [text[a:b] for a, b in zip(begins.tolist(), self._at.tolist(), strict=True)]

    def _strings(self) -> Column:
        found = self._slices()
        if self._messages.is_ascii or "".join(found).isascii():
            return found
        return [text if text.isascii() else self._decoded(number, text) for number, text in enumerate(found)]

    def _decoded(self, number: int, text: str) -> str | None:
        try:
            return text.encode("latin-1").decode()
        except UnicodeDecodeError:
            self.sure[number] = False
            return None

    def _bytes(self) -> Column:
        return [text.encode("latin-1") for text in self._slices()]

    def _fixed(self, size: int, kind: str) -> Column:
        places = self._at[:, None] + numpy.arange(size)
        self._at = self._at + size
        self._check(self._at <= self._ends)
        numbers = self._messages.data[places].view(kind)[:, 0]
        is_number = ~numpy.isnan(numbers)
        self._check(is_number)  # NaN has several forms
        return list(numpy.where(is_number, numbers, 0).astype(numpy.float64).tolist())

    def _floats(self) -> Column:
        return self._fixed(4, "<f4")

    def _doubles(self) -> Column:
        return self._fixed(8, "<f8")


_READ: Mapping[str, Callable[[Records], Column]] = {
    "int": Records._ints,
    "long": Records._longs,
    "float": Records._floats,
    "double": Records._doubles,
    "string": Records._strings,
    "bytes": Records._bytes,
}
