"""Decoders that get messages wrong, refuse what is right, or let pass what is not.  [CJ-801, CJ-880 … CJ-886]"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import Any

from conformance.mutants.canal_json.edits import Tree, decoder, in_families, read_rows, read_values
from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import Context, accepts, edit_answer, edit_event, edit_request
from reference_impl.column_types import INTEGERS, ColumnType, Family

__all__ = ["MUTANTS"]

Json = dict[str, Any]

# -- what a message is -------------------------------------------------------------------------------------------


def _event(kind: str, change: Callable[[Json], Any]) -> Callable[[Answerer], Answerer]:
    return edit_event(lambda event, context: change(event) if event["kind"] == kind else None)


def _names(change: Callable[[str], str]) -> Callable[[Answerer], Answerer]:
    return _event("row", lambda e: e.update(schema=change(e["schema"]), table=change(e["table"])))


def _swapped(event: Tree, context: Context) -> None:
    event["schema"], event["table"] = event["table"], event["schema"]


def _columns(change: Callable[[str], str]) -> Callable[[Answerer], Answerer]:
    def edit(event: Tree, context: Context) -> None:
        for image in ("before", "after"):
            if event.get(image):
                event[image] = {change(name): value for name, value in event[image].items()}

    return read_rows(edit)


def _last_value_lost(event: Tree, context: Context) -> None:
    names = [name for name, value in (event.get("after") or {}).items() if value is not None]
    if names:
        del event["after"][names[-1]]


def _time(change: Callable[[int], int], *kinds: str) -> Callable[[Answerer], Answerer]:
    def edit(event: Json, context: Context) -> None:
        if event["kind"] in kinds and "commit_ts" in event:
            event["commit_ts"] = str(change(int(event["commit_ts"])))

    return edit_event(edit)


def _no_image(op: str, image: str) -> Callable[[Answerer], Answerer]:
    def edit(event: Tree, context: Context) -> None:
        if event["op"] == op:
            event.pop(image, None)

    return read_rows(edit)


def _last_of_before_lost(event: Tree, context: Context) -> None:
    if event["op"] == "update" and event.get("before"):
        event["before"].popitem()


def _without_new_nulls(event: Tree, context: Context) -> None:
    if event["op"] == "update" and event.get("before"):
        event["before"] = {n: v for n, v in event["before"].items() if event["after"].get(n) is not None}


_BOTH_ROW = ("row", "ddl")


def _meanings() -> tuple[Mutant, ...]:
    return (
        decoder("read-names-lower-case", "CJ-015", "schema and table in lower case", _names(str.lower)),
        decoder("read-names-swapped", "CJ-015", "schema and table change places", read_rows(_swapped)),
        decoder(
            "read-update-as-insert",
            "CJ-016",
            "updates are answered as inserts",
            read_rows(lambda e, c: e.update(op="insert") if e["op"] == "update" else None),
        ),
        decoder(
            "read-type-as-it-is",
            "CJ-016",
            "op is the text of type",
            read_rows(lambda e, c: e.update(op=e["op"].upper())),
        ),
        decoder("read-column-lost", "CJ-030a", "the last column is not answered", read_rows(_last_value_lost)),
        decoder("read-delete-empty", "CJ-032", "deletes have no row", _no_image("delete", "before")),
        decoder("read-insert-empty", "CJ-032", "inserts have no row", _no_image("insert", "after")),
        decoder("read-columns-lower-case", "CJ-037", "columns in lower case", _columns(str.lower)),
        decoder(
            "read-committs-physical",
            "CJ-042",
            "commit_ts loses its logical part",
            _time(lambda ts: ts >> 18 << 18, *_BOTH_ROW),
            "CJ-885",
        ),
        decoder(
            "read-committs-ms", "CJ-042", "commit_ts is a time in milliseconds", _time(lambda ts: ts >> 18, *_BOTH_ROW)
        ),
        decoder(
            "read-watermark-ms",
            "CJ-046",
            "the time stamp of watermarks is one in milliseconds",
            _time(lambda ts: ts >> 18, "watermark"),
        ),
        decoder("read-old-lost", "CJ-501", "updates have no previous row", _no_image("update", "before")),
        decoder(
            "read-old-one-less",
            "CJ-501",
            "the previous row lacks its last column",
            read_rows(_last_of_before_lost),
        ),
        decoder(
            "read-old-without-new-nulls",
            "CJ-504",
            "what became NULL has no previous value",
            read_rows(_without_new_nulls),
            "CJ-133",
        ),
        decoder(
            "read-watermark-as-ddl",
            "CJ-801",
            "watermarks are DDL events",
            _event("watermark", lambda e: e.update(kind="ddl", schema="", table="", query="")),
        ),
        decoder(
            "read-without-ddl",
            "CJ-888",
            "DDL messages are passed over",
            _event("ddl", lambda e: []),
        ),
        decoder(
            "read-start-invented",
            "CJ-886",
            "rows have a start time stamp",
            _event("row", lambda e: e.update(start_ts="5")),
        ),
        decoder(
            "read-ddl-as-drop",
            "CJ-886",
            "the action of every statement is that a table is dropped",
            _event("ddl", lambda e: e.update(action="drop table")),
        ),
        decoder(
            "read-ddl-as-create",
            "CJ-886",
            "the code of every action is the one of CREATE TABLE",
            _event("ddl", lambda e: e.update(action_code=3)),
        ),
        decoder(
            "read-without-watermarks",
            "CJ-888",
            "watermarks are passed over",
            _event("watermark", lambda e: []),
        ),
        decoder(
            "read-ddl-as-row",
            "CJ-801",
            "DDL messages are row events",
            _event("ddl", lambda e: e.update(kind="row", op="insert", after={})),
        ),
    )


# -- decoders that refuse ----------------------------------------------------------------------------------------


def _refuses(pattern: bytes, *, every: bool = False) -> Callable[[Answerer], Answerer]:
    """Records in whose value the pattern is found are refused."""
    found = re.compile(pattern, re.DOTALL)

    def wrap(inner: Answerer) -> Answerer:
        def answer(request: Json) -> Json:
            values = [base64.b64decode(r["value"] or "") for r in request.get("records") or ()]
            if request["op"] == "decode" and any(map(found.search, values)):
                return {"id": request["id"], "rejected": {"class": "schema", "message": "not as expected"}}
            return inner(request)

        return answer

    return wrap


def _contradicts(value: bytes) -> bool:
    found = re.search(rb'"es":(\d+).*"(?:commitTs|watermarkTs)":(\d+)', value, re.DOTALL)
    return found is not None and int(found[1]) != int(found[2]) >> 18


def _refuses_contradictions(inner: Answerer) -> Answerer:
    def answer(request: Json) -> Json:
        values = [base64.b64decode(r["value"] or "") for r in request.get("records") or ()]
        if request["op"] == "decode" and any(map(_contradicts, values)):
            return {
                "id": request["id"],
                "rejected": {"class": "semantics", "message": "es is not the time of commitTs"},
            }
        return inner(request)

    return answer


def _without_claims(request: Json) -> None:
    request.pop("claims", None)


def _claim_ignored(event: Tree, context: Context) -> None:
    names = (event["schema"], event["table"])
    tables = context.request.get("tables") or ()
    key = next((t["primary_key"] for t in tables if (t["schema"], t["name"]) == names), ())
    if context.options.get("large-message-handle-option") == "claim-check":
        for image in ("before", "after"):
            if event.get(image):
                event[image] = {name: value for name, value in event[image].items() if name in key}


# What any example of the document shows, which one who refuses it is held against.
_SHOWN = ("CJ-042", "CJ-380", "CJ-801")

_COMPRESSED = rb"^(?!\s*\{)."


def _refusing() -> tuple[Mutant, ...]:
    return (
        decoder("read-plain-alone", "CJ-106", "compressed values are refused", _refuses(_COMPRESSED)),
        decoder(
            "read-without-storage",
            "CJ-133",
            "claim-check files are not looked for",
            edit_request(_without_claims),
            "CJ-106",
        ),
        decoder(
            "read-claim-ignored",
            "CJ-133",
            "a claim check is answered with the handle key alone",
            read_rows(_claim_ignored),
        ),
        decoder(
            "read-old-first",
            "CJ-880",
            "data before old is refused",
            _refuses(rb'"isDdl":false.*"data":\[.*"old":'),
            *(*_SHOWN, "CJ-016", "CJ-032", "CJ-381", "CJ-501", "CJ-882"),
        ),
        decoder(
            "read-exact-time",
            "CJ-882",
            "an es that is not the time of commitTs is refused",
            _refuses_contradictions,
            *(*_SHOWN, "CJ-620", "CJ-623", "CJ-880"),
        ),
    )


# -- decoders that are lenient -----------------------------------------------------------------------------------


def _lenient() -> tuple[Mutant, ...]:
    return (
        decoder(
            "read-missing-members",
            "CJ-881",
            "members may be missing",
            accepts("schema", "there is no member"),
            "CJ-888",
        ),
        decoder("read-wrong-kinds", "CJ-881", "members may be of any JSON kind", accepts("schema", "wrong JSON kind")),
        decoder("read-unknown-types", "CJ-881", "any type is let pass", accepts("type", "with isDdl")),
        decoder("read-several-rows", "CJ-032", "any number of rows is let pass", accepts("schema", "not one row")),
        decoder("read-wrong-codes", "CJ-881", "sqlType is not looked at", accepts("type", "sqlType.")),
        decoder("read-contradictions", "CJ-881", "a message may contradict itself", accepts("semantics")),
        decoder("read-out-of-range", "CJ-881", "values beyond their type are let pass", accepts("range")),
        decoder("read-anything", "CJ-881", "nothing is refused", accepts("type"), "CJ-888"),
    )


# -- exactness ---------------------------------------------------------------------------------------------------


def _wrapped(value: str, kind: ColumnType) -> str:
    number = int(value)
    return str(number - (1 << kind.bits)) if number >> (kind.bits - 1) else value


def _clamped(value: str, kind: ColumnType) -> str:
    return str(min(int(value), (1 << (kind.bits - 1)) - 1))


def _double(value: str, kind: ColumnType) -> str:
    return str(int(float(value)))


def _is_named_bytes(kind: ColumnType) -> bool:
    return kind.family in (Family.ENUM, Family.SET) and any("blob" in m or "binary" in m for m in kind.members)


def _unsigned(kind: ColumnType) -> bool:
    return kind.family in INTEGERS and kind.unsigned


def _invented_time(event: Json, context: Context) -> None:
    event.setdefault("commit_ts", "0")


def _filled_before(event: Tree, context: Context) -> None:
    if event["op"] == "insert":
        event["before"] = dict.fromkeys(event["after"])


def _filled_after(event: Tree, context: Context) -> None:
    if event["op"] == "delete":
        event["after"] = dict.fromkeys(event["before"])


def _every_column(event: Tree, context: Context) -> None:
    for table in context.request.get("tables") or ():
        if (table["schema"], table["name"]) == (event["schema"], event["table"]):
            for image in ("before", "after"):
                if event.get(image):
                    event[image] = {**dict.fromkeys(c["name"] for c in table["columns"]), **event[image]}


def _exactly() -> tuple[Mutant, ...]:
    return (
        decoder(
            "read-unsigned-wraps", "CJ-883", "unsigned integers are read as signed", read_values(_unsigned, _wrapped)
        ),
        decoder(
            "read-unsigned-clamped",
            "CJ-883",
            "unsigned integers stop at the signed maximum",
            read_values(_unsigned, _clamped),
        ),
        decoder(
            "read-members-as-bytes",
            "CJ-884",
            "an ENUM with the member blob is read as bytes",
            read_values(_is_named_bytes, lambda v, k: base64.b64encode(str(v).encode()).decode()),
        ),
        decoder(
            "read-integers-double",
            "CJ-885",
            "integers go through a 64-bit float",
            read_values(in_families(*INTEGERS), _double),
            "CJ-883",
        ),
        decoder(
            "read-bits-double",
            "CJ-885",
            "BIT goes through a 64-bit float",
            read_values(in_families(Family.BIT), _double),
        ),
        decoder(
            "read-committs-double",
            "CJ-885",
            "time stamps go through a 64-bit float",
            _time(lambda ts: int(float(ts)), "row", "ddl", "watermark"),
        ),
        decoder(
            "read-time-invented", "CJ-886", "commit_ts is 0 where the message has none", edit_event(_invented_time)
        ),
        decoder("read-before-invented", "CJ-886", "inserts have a previous row of NULL", read_rows(_filled_before)),
        decoder("read-after-invented", "CJ-886", "deletes have a new row of NULL", read_rows(_filled_after)),
        decoder(
            "read-columns-invented",
            "CJ-886",
            "columns that a message does not have are NULL",
            read_rows(_every_column),
            *("CJ-034a", "CJ-034b", "CJ-035", "CJ-037", "CJ-883"),
        ),
        decoder(
            "read-events-twice",
            "CJ-888",
            "every event is answered twice",
            edit_answer("decode", lambda ok, context: ok.update(events=ok["events"] * 2)),
        ),
    )


MUTANTS: tuple[Mutant, ...] = (*_meanings(), *_refusing(), *_lenient(), *_exactly())
