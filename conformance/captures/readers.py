"""Readers of captures: turn lines into records, one function for each form. They open no file.

| form | a line is |
|---|---|
| `jsonl` | a Record of the harness protocol: key and value in base64 |
| `kcat` | what `kcat -J` prints: topic, partition, offset, ts, headers, key, payload |
| `text` | what a console consumer prints: the value, or key, TAB, value; before them what `print.timestamp`, `print.partition` and `print.offset` add, and the word `NO_HEADERS` |
| `storage` | a message in a file of a storage sink, each ended by CRLF, the last one too |

A reader raises `Rejected` for a line that is not a record; `read_lines` turns that into a problem with a place, and
reads the next line. Blank lines are ignored.

**What kcat loses.** It writes bytes that are not UTF-8 unchanged into its JSON strings, which is invalid JSON. Such a
line is still read byte for byte. If another tool has rewritten it, U+FFFD stands for the lost bytes: the record is
reported and not judged.

**What text loses.** A console consumer prints a missing key or value as the word `null`, and a line feed inside a message
ends the line: binary formats cannot be read from it. A line that is no JSON object is reported and not judged, because
it may be a line of a log; so is a line with headers, because a header ends where the next one may begin. A key with a
colon looks like a header: it is read only behind the word `NO_HEADERS`.
"""  # noqa: E501

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from conformance.captures.lines import Line
from conformance.captures.model import Captured, Place
from conformance.errors import our_fault
from reference_impl.errors import Rejected
from reference_impl.model import Record
from reference_impl.wire import record_from_json

__all__ = ["READERS", "Reader", "form_of_line", "is_bracket", "is_ignored", "known_layout", "read_lines"]

Reader: TypeAlias = Callable[[Line], Record]
"""Reads the record of a line. Raises `Rejected` for a line that has none."""

_LOST = "\N{REPLACEMENT CHARACTER}"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_JSON_TYPES = {list: "array", str: "string", int: "number", float: "number", bool: "truth value"}
_ARRAY = "a JSON array, and a capture has a message a line: `jq -c '.[]'` writes them so"
_SPREAD = "JSON over several lines, and a capture has a message a line: `jq -c .` writes them so"
_FOOTER = re.compile(rb"Processed a total of \d+ messages?\Z")
_MOST_DIGITS = 20
_PRINTED = re.compile(
    rb"(?:NO_TIMESTAMP|(?:CreateTime|LogAppendTime):(?P<time>-?\d+)|Partition:(?P<partition>\d+)"
    rb"|Offset:(?P<offset>\d+)|NO_HEADERS)\t"
)
"""The columns that `print.timestamp`, `print.partition`, `print.offset` and, without headers, `print.headers` add."""
_HEADERS = re.compile(rb"[^\t\s{\[\":][^\t:{]*:[^\t]*\t(?:[^\t]*\t)?\s*(?:\{|null\Z)")
"""`NAME:VALUE,NAME:VALUE`, which `print.headers` adds, in front of a value or of key and value."""

# Kafka's limits: larger numbers belong to no record, and would overflow later.
_BOUNDS: Mapping[str, tuple[int, int]] = {
    "partition": (0, 2**31 - 1),
    "offset": (0, 2**63 - 1),
    "timestamp": (-(2**63), 2**63 - 1),
}


def _tree(data: bytes) -> Any:
    """A line as JSON. Raises `Rejected` (class `syntax`) for a line that is not JSON."""
    try:
        return json.loads(data.decode("utf-8", "surrogateescape"))
    except RecursionError:
        raise Rejected("syntax", "nested too deeply") from None
    except ValueError:
        raise Rejected("syntax", "not JSON") from None


def _bounded(record: Record) -> Record:
    """The record, checked. Raises `Rejected` for a partition, offset, time stamp or name that Kafka does not allow."""
    for name, (least, most) in _BOUNDS.items():
        value = getattr(record, name)
        if value is not None and not least <= value <= most:
            raise Rejected("range", f"a record: {name!r} is not between {least} and {most}")
    for name, text in (("topic", record.topic), *(("the name of a header", name) for name, _ in record.headers)):
        if text is not None and not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
            raise Rejected("syntax", f"a record: {name} is not Unicode")
    return record


def _jsonl(line: Line) -> Record:
    return record_from_json(_tree(line.data))


def _kcat_bytes(given: Any, name: str) -> bytes | None:
    if given is None:
        return None
    if not isinstance(given, str):
        raise Rejected("schema", f"{name} is not a string: kcat was run with an option to decode it")
    if _LOST in given:
        raise Rejected("syntax", f"{name} has U+FFFD: bytes that are not UTF-8 were lost, so it cannot be judged")
    return given.encode("utf-8", "surrogateescape")


def _member(given: Mapping[str, Any], name: str, python_type: type[Any]) -> Any:
    """A member of kcat's output. Raises `Rejected` for a value of another type."""
    value = given.get(name)
    if value is None or (isinstance(value, python_type) and not isinstance(value, bool)):
        return value
    raise Rejected("schema", f"a line of kcat -J: {name!r} is not a {python_type.__name__}")


def _kcat_headers(given: Mapping[str, Any]) -> tuple[tuple[str, bytes | None], ...]:
    headers = _member(given, "headers", list) or []
    names, values = headers[::2], headers[1::2]
    if len(names) != len(values) or not all(isinstance(name, str) for name in names):
        raise Rejected("schema", "a line of kcat -J: 'headers' is not a list of names and values")
    return tuple((name, _kcat_bytes(value, "a header")) for name, value in zip(names, values, strict=True))


def _kcat(line: Line) -> Record:
    given = _tree(line.data)
    if not isinstance(given, dict) or "payload" not in given:
        raise Rejected("schema", "not a line of kcat -J: it has no `payload`")
    try:
        return Record(
            key=_kcat_bytes(given.get("key"), "key"),
            value=_kcat_bytes(given["payload"], "payload"),
            partition=_member(given, "partition", int),
            topic=_member(given, "topic", str),
            headers=_kcat_headers(given),
            offset=_member(given, "offset", int),
            timestamp=_member(given, "ts", int),
        )
    except UnicodeEncodeError:
        lost = "it has the escape of a lone surrogate: bytes were lost, so it cannot be judged"
        raise Rejected("syntax", lost) from None


def _unless_null(data: bytes) -> bytes | None:
    return None if data == b"null" else data


def _number(name: str, digits: bytes) -> int:
    if len(digits) > _MOST_DIGITS:
        raise Rejected("range", f"a record: {name!r} has {len(digits)} digits")
    return int(digits)


def _is_key(before: bytes, after: bytes) -> bool:
    """Whether the text before a tab is a key: the tab may also be a blank in the JSON of a value."""
    if not before.lstrip().startswith(b"{"):
        return True
    if after != b"null" and not after.lstrip().startswith(b"{"):
        return False
    try:
        _tree(before)
    except Rejected:
        return False
    return True


def _text(line: Line) -> Record:
    position, numbers, may_have_headers = 0, dict[str, int](), True
    while match := _PRINTED.match(line.data, position):
        texts = match.groupdict()
        numbers |= {name: _number(name, text) for name, text in texts.items() if text}
        may_have_headers = may_have_headers and match[0] != b"NO_HEADERS\t"
        position = match.end()
    rest = line.data[position:]
    if may_have_headers and _HEADERS.match(rest):
        both = "it has headers, or a key with a colon, which text does not tell apart: capture it with kcat -J"
        raise Rejected("syntax", both)
    key, tab, value = rest.partition(b"\t")
    if not tab or not _is_key(key, value):
        key, value = b"null", rest
    if value != b"null" and not value.lstrip().startswith(b"{"):
        raise Rejected("syntax", f"not a JSON object: {value[:60]!r}")
    return Record(
        key=_unless_null(key),
        value=_unless_null(value),
        partition=numbers.get("partition"),
        offset=numbers.get("offset"),
        timestamp=numbers.get("time"),
    )


def _storage(line: Line) -> Record:
    if not line.ending:
        try:
            _tree(line.data)
        except Rejected:
            cut = "the last message has no terminator and is no JSON: the file was cut"
            raise Rejected("syntax", cut) from None
    return Record(None, line.data)


READERS: Mapping[str, Reader] = {"jsonl": _jsonl, "kcat": _kcat, "text": _text, "storage": _storage}


def _unmarked(line: Line) -> Line:
    """The line; the first of a file without the byte order mark that some editors and shells write before it."""
    if line.offset or not line.data.startswith(_BYTE_ORDER_MARK):
        return line
    return replace(line, data=line.data[len(_BYTE_ORDER_MARK) :], length=line.length - len(_BYTE_ORDER_MARK))


def form_of_line(line: Line) -> str | None:
    """The form that a line seems to have: a key of `READERS`, or a description of another form; None if unclear."""
    line = _unmarked(line)
    try:
        tree = _tree(line.data)
    except Rejected:
        tree = None
    if isinstance(tree, dict):
        # The messages of Debezium have a payload too, an object or null; so has kcat if it decodes, beside the topic.
        if "payload" in tree and ("topic" in tree or not isinstance(tree["payload"], dict | None)):
            return "kcat"
        if {"key", "value"} <= tree.keys():
            return "jsonl"
        if {"records", "protocol"} <= tree.keys():
            return "recorded vectors, which `run --iut recorded:` judges"
        return "storage" if line.ending == b"\r\n" else "text"
    if tree is not None:
        return f"a JSON {_JSON_TYPES[type(tree)]}"
    key, _, value = line.data.partition(b"\t")
    if (
        _PRINTED.match(line.data)
        or _HEADERS.match(line.data)
        or value.lstrip().startswith(b"{")
        or (value == b"null" and _is_key(key, value))
    ):
        return "text"
    return None


def known_layout(first: Line) -> str | None:
    """The layout of a file whose first line holds no message, if that line shows it."""
    begin = _unmarked(first).data.strip()
    if begin.startswith((b"[{", b"[[")) or begin == b"[":
        return _ARRAY
    return _SPREAD if begin == b"{" else None


def is_bracket(line: Line) -> bool:
    """Whether a line is a single bracket, which begins no message of any form."""
    return _unmarked(line).data.strip() in (b"[", b"{")


def is_ignored(form: str, line: Line) -> bool:
    """Whether a line is not a record: it is blank, or the last line of a console consumer."""
    data = _unmarked(line).data
    return not data.strip() or (form == "text" and _FOOTER.match(data) is not None)


def read_lines(form: str, lines: Iterable[Line], file: str) -> Iterator[Captured]:
    """The records of lines of a form, which is a key of `READERS`."""
    for line in map(_unmarked, lines):
        if is_ignored(form, line):
            continue
        place = Place(file, line.number, line.offset)
        if not line.is_whole:
            yield Captured(None, place, f"a line of {line.length} bytes is too long to be read")
            continue
        yield _captured(form, line, place)


def _captured(form: str, line: Line, place: Place) -> Captured:
    problem = "the last message has no terminator" if form == "storage" and not line.ending else None
    try:
        return Captured(_bounded(READERS[form](line)), place, problem)
    except Rejected as e:
        return Captured(None, place, e.message)
    except Exception as e:  # noqa: BLE001 - a fault of a reader costs one line
        return Captured(None, place, our_fault(e), is_ours=True)
