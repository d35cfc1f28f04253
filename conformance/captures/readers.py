"""Readers of captures: from lines to records, one function a form. They open nothing and raise nothing.

| form | a line is |
|---|---|
| `jsonl` | a Record of the harness protocol: key and value in base64 |
| `kcat` | what `kcat -J` prints: topic, partition, offset, ts, headers, key, payload |
| `text` | what a console consumer prints: the value, or key, TAB, value; before them what `print.timestamp`, `print.partition` and `print.offset` add |
| `storage` | a message in a file of a storage sink, each ended by CRLF, the last one too |

A line that is no record is a problem with its place, and reading goes on. Blank lines are passed over.

**What kcat loses.** It writes bytes that are not UTF-8 into its JSON strings as they are, which is no JSON. Such a line
is still read byte for byte. If another tool has rewritten it, those bytes are U+FFFD: they are lost, and the record is
reported and not judged, since nobody can tell what it was.

**What text loses.** A console consumer tells an empty key or value from none by the word `null` only, and a line feed
inside a message ends the line: binary formats cannot be read from it. A line that is no JSON object is reported and not
judged, for it may be a line of a log.
"""  # noqa: E501

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from conformance.captures.lines import Line
from conformance.captures.model import Captured, Place
from reference_impl.errors import Rejected
from reference_impl.model import Record
from reference_impl.wire import record_from_json

__all__ = ["READERS", "Reader", "form_of_line", "is_passed_over", "read_lines"]

Reader: TypeAlias = Callable[[Line], tuple[Record | None, str | None]]
"""From a line to a record, a problem, or both."""

_LOST = "\N{REPLACEMENT CHARACTER}"
_FOOTER = re.compile(rb"Processed a total of \d+ messages?\Z")
_PRINTED = re.compile(
    rb"(?:(?P<no_time>NO_TIMESTAMP)|(?:CreateTime|LogAppendTime):(?P<time>-?\d+)|Partition:(?P<partition>\d+)"
    rb"|Offset:(?P<offset>\d+)|NO_HEADERS)\t"
)


def _integer(given: Mapping[str, Any], name: str) -> int | None:
    value = given.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _tree(data: bytes) -> Any:
    return json.loads(data.decode("utf-8", "surrogateescape"))


def _jsonl(line: Line) -> tuple[Record | None, str | None]:
    try:
        return record_from_json(_tree(line.data)), None
    except ValueError:
        return None, "not JSON"
    except Rejected as e:
        return None, e.message
    except (TypeError, AttributeError):
        return None, "not a record: `headers` is not a list of pairs"


def _kcat_bytes(given: Any, name: str) -> bytes | None:
    if given is None:
        return None
    if not isinstance(given, str):
        raise Rejected("schema", f"{name} is not a string: kcat was told to decode it")
    if _LOST in given:
        raise Rejected("syntax", f"{name} has U+FFFD: bytes that are not UTF-8 were lost, so it cannot be judged")
    return given.encode("utf-8", "surrogateescape")


def _kcat(line: Line) -> tuple[Record | None, str | None]:
    try:
        given = _tree(line.data)
        if not isinstance(given, dict) or "payload" not in given:
            return None, "not a line of kcat -J: it has no `payload`"
        headers = given.get("headers") or []
        return Record(
            key=_kcat_bytes(given.get("key"), "key"),
            value=_kcat_bytes(given["payload"], "payload"),
            partition=_integer(given, "partition"),
            topic=given.get("topic") if isinstance(given.get("topic"), str) else None,
            headers=tuple(
                (str(headers[i]), _kcat_bytes(headers[i + 1], "a header")) for i in range(0, len(headers) - 1, 2)
            ),
            offset=_integer(given, "offset"),
            timestamp=_integer(given, "ts"),
        ), None
    except Rejected as e:
        return None, e.message
    except UnicodeEncodeError:
        return None, "it has the escape of a lone surrogate: bytes were lost, so it cannot be judged"
    except (ValueError, TypeError):
        return None, "not JSON"


def _printed(data: bytes) -> bytes | None:
    return None if data == b"null" else data


def _text(line: Line) -> tuple[Record | None, str | None]:
    at, meta = 0, dict[str, int]()
    while found := _PRINTED.match(line.data, at):
        meta |= {name: int(text) for name, text in found.groupdict().items() if text and name != "no_time"}
        at = found.end()
    rest = line.data[at:]
    key, tab, value = rest.partition(b"\t")
    if not tab or key.lstrip().startswith(b"{"):
        key, value = b"null", rest
    if value != b"null" and not value.lstrip().startswith(b"{"):
        return None, f"not a JSON object: {value[:60]!r}"
    return Record(
        key=_printed(key),
        value=_printed(value),
        partition=meta.get("partition"),
        offset=meta.get("offset"),
        timestamp=meta.get("time"),
    ), None


def _storage(line: Line) -> tuple[Record | None, str | None]:
    if line.ending:
        return Record(None, line.data), None
    try:
        json.loads(line.data)
    except ValueError:
        return None, "the last message has no terminator and is no JSON: the file was cut"
    return Record(None, line.data), "the last message has no terminator"


READERS: Mapping[str, Reader] = {"jsonl": _jsonl, "kcat": _kcat, "text": _text, "storage": _storage}


def form_of_line(line: Line) -> str | None:
    """The form that a line looks like; None where it tells nothing.

    A form that is none of ours is described in words, with a blank in front.
    """
    try:
        tree = _tree(line.data)
    except ValueError:
        tree = None
    if isinstance(tree, dict):
        if "payload" in tree:
            return "kcat"
        if {"key", "value"} <= tree.keys():
            return "jsonl"
        if {"records", "protocol"} <= tree.keys():
            return " recorded vectors, which `run --iut recorded:` judges"
        return "storage" if line.ending == b"\r\n" else "text"
    if tree is not None:
        return f" a JSON {type(tree).__name__}"
    if _PRINTED.match(line.data) or line.data.partition(b"\t")[2].lstrip().startswith(b"{"):
        return "text"
    return None


def is_passed_over(form: str, line: Line) -> bool:
    """Whether a line of a form is none that should be a record: it is blank, or what a program says at its end."""
    return not line.data.strip() or (form == "text" and _FOOTER.match(line.data) is not None)


def read_lines(form: str, lines: Iterable[Line], file: str) -> Iterator[Captured]:
    """The records of lines of a form, a key of `READERS`."""
    reader = READERS[form]
    for line in lines:
        if is_passed_over(form, line):
            continue
        place = Place(file, line.number, line.offset)
        if not line.is_whole:
            yield Captured(None, place, f"a line of {line.length} bytes is too long to be read")
            continue
        record, problem = reader(line)
        yield Captured(record, place, problem)
