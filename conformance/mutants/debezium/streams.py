"""Encoders that send the wrong DDL messages or watermarks, or in a wrong order."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator

from conformance.mutants.debezium.edits import (
    Tree,
    Wrap,
    encoder,
)
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context, edit_answer

__all__ = ["MUTANTS"]

Records = list[Tree]

_EMPTY = base64.b64encode(b'{"payload":{}}').decode()
_BARE = {
    "watermark": base64.b64encode(b'{"payload":{"op":"m"}}').decode(),
    "ddl": base64.b64encode(b'{"payload":{"ddl":"","tableChanges":[]}}').decode(),
}


def _value(record: Tree) -> bytes:
    return base64.b64decode(record["value"] or "")


def _is_watermark(record: Tree) -> bool:
    return b'"transaction":null,"op":"m"' in _value(record)


def _is_ddl(record: Tree) -> bool:
    return b'"tableChanges":[' in _value(record)


def _records(edit: Callable[[Records, Context], Records]) -> Wrap:
    def each(ok: Tree, context: Context) -> None:
        ok["records"] = edit(ok["records"], context)

    return edit_answer("encode", each)


def _once(is_meant: Callable[[Tree], bool]) -> Wrap:
    return _records(lambda records, context: [r for r in records if not (is_meant(r) and r.get("partition"))])


def _more_for(event: Callable[[Tree, Context], bool]) -> Wrap:
    """An encoder that sends one more message for every matching event, to every partition."""

    def edit(records: Records, context: Context) -> Records:
        partitions = int(context.configuration.get("partitions") or 1)
        places = range(partitions) if partitions > 1 else (None,)
        more = [e for e in context.request["events"] if event(e, context)]
        return [*records, *({"key": _EMPTY, "value": _BARE[e["kind"]], "partition": p} for e in more for p in places)]

    return _records(edit)


def _before_others(is_meant: Callable[[Tree], bool]) -> Wrap:
    return _records(lambda records, context: sorted(records, key=lambda record: not is_meant(record)))


def _watermarks_reversed(records: Records, context: Context) -> Records:
    marks = [record for record in records if _is_watermark(record)]
    if context.configuration.get("partitions", 1) != 1:
        return records
    return [marks.pop() if _is_watermark(record) else record for record in records]


def _is_unextended_watermark(event: Tree, context: Context) -> bool:
    return event["kind"] == "watermark" and context.options.get("enable-tidb-extension") != "true"


_UNSENT = frozenset({9, 10, 34, 35, 36, 37, 45, 46, 51, 52, 62, 63, 65, 66})


def _is_unsent(event: Tree, context: Context) -> bool:
    return event["kind"] == "ddl" and event.get("action_code") in _UNSENT


def _sending() -> Iterator[Mutant]:
    yield encoder(
        "classic-sends",
        "DBZ-001a",
        "classic sends DDL messages",
        _more_for(lambda event, context: event["kind"] == "ddl"),
        profile="classic",
    )
    yield encoder("ddl-unlisted-sent", "DBZ-300d", "statements outside the list are sent", _more_for(_is_unsent))
    yield encoder("ddl-once", "DBZ-303", "DDL messages go to the first partition only", _once(_is_ddl))
    yield encoder(
        "watermark-always",
        "DBZ-400a",
        "watermarks are sent without the extension",
        _more_for(_is_unextended_watermark),
    )
    yield encoder("watermark-once", "DBZ-403", "watermarks go to the first partition only", _once(_is_watermark))
    yield encoder("watermark-before-rows", "DBZ-404", "watermarks overtake rows", _before_others(_is_watermark))
    yield encoder("watermark-falls", "DBZ-404", "watermarks are sent in reverse order", _records(_watermarks_reversed))


MUTANTS: tuple[Mutant, ...] = tuple(_sending())
