"""A harness for ticdc-conformance: Canal-JSON with integers, CHAR, VARCHAR, TEXT, DECIMAL and DATETIME.

Call your own code in `message_of` (an event to bytes) and `event_of` (bytes to an event); then declare more in HELLO.
"""

import base64
import json
import re
import sys

BITS = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64}
CODES = {"tinyint": -6, "smallint": 5, "mediumint": 4, "int": 4, "bigint": -5, "char": 1, "varchar": 12, "text": 2005}
CODES |= {"decimal": 3, "datetime": 93}
WIDER = {"tinyint": 5, "smallint": 4, "mediumint": 4, "int": -5, "bigint": 3}
DDL = {3: "CREATE", 4: "ERASE", 11: "TRUNCATE", 14: "RENAME", 47: "RENAME", 7: "CINDEX", 8: "DINDEX"}
DDL |= {9: "CINDEX", 32: "CINDEX", 10: "DINDEX", 33: "DINDEX"}
DDL |= dict.fromkeys((5, 6, 12, 13, 15, 17, 18, 19, 20, 22, 23, 37, 38, 41, 61, 64, 71, 72), "ALTER")
DECLARED = {"options": ["enable-tidb-extension"], "column_types": list(CODES)}  # all roles and events: not listed
HELLO = {"harness": 1, "name": "my-harness", "version": "0.1", "language": "Python"}
HELLO["protocols"] = {"canal-json": DECLARED}
MEMBERS = {"database": str, "table": str, "type": str, "isDdl": bool, "es": int, "ts": int, "sql": str, "id": int}
FORMS = {"decimal": r"-?\d+(\.\d+)?", "datetime": r"\d{4}-\d\d-\d\d ([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?"}


class Rejected(Exception):
    """Raised for invalid input: a class of rejection, and a text for people."""


def check(holds, reason, message):
    if not holds:
        raise Rejected(reason, message)


# -- encode ------------------------------------------------------------------------------------------------------------


def described(column, value):
    """`sqlType`, `mysqlType` and text of a value; a large unsigned integer has the code of a wider type."""
    base, *words = column["type"].replace("(", " (").split()
    is_large = "unsigned" in words and base in BITS and value is not None and int(value) >= 1 << BITS[base] - 1
    words = [word for word in words if word in ("unsigned", "zerofill")]
    if isinstance(value, dict):  # bytes that are not UTF-8
        value = base64.b64decode(value["base64"]).decode(errors="replace")
    return (WIDER if is_large else CODES)[base], " ".join([base, *words]), value


def message_of(event, table, settings):
    """The message of an event. This is where your encoder is called."""
    commit_ts, kind = int(event["commit_ts"]), event["kind"]
    es = commit_ts >> 18
    message = {"id": 0, "database": event.get("schema", ""), "table": event.get("table", ""), "pkNames": None}
    message |= {"isDdl": kind == "ddl", "type": "TIDB_WATERMARK", "es": es, "ts": int(settings["now_ms"] or es)}
    message |= {"sql": event.get("query", ""), "sqlType": None, "mysqlType": None, "old": None, "data": None}
    if kind == "ddl":
        message["type"] = DDL.get(event["action_code"], "QUERY")
    if kind == "row":
        before, after = event["before"], event["after"]
        columns = [column for column in table["columns"] if column.get("generated") != "virtual"]
        triples = {c["name"]: described(c, (after or before)[c["name"]]) for c in columns}
        message["type"] = event["op"].upper()
        message["pkNames"] = [c["name"] for c in columns if c["name"] in table["primary_key"]]
        message["sqlType"] = {name: code for name, (code, _, _) in triples.items()}
        message["mysqlType"] = {name: type_name for name, (_, type_name, _) in triples.items()}
        message["data"] = [{name: text for name, (_, _, text) in triples.items()}]
        if event["op"] == "update":
            message["old"] = [{c["name"]: described(c, before[c["name"]])[2] for c in columns}]
    if settings["extended"]:
        message["_tidb"] = {"watermarkTs" if kind == "watermark" else "commitTs": commit_ts}
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def parts_of(event, table):
    """The event itself; for an update that changes a key, a delete and an insert."""
    keys = {*table["primary_key"], *(name for key in table["unique_keys"] for name in key["columns"])}
    if event["op"] != "update" or all(event["before"][name] == event["after"][name] for name in keys):
        return [event]
    return [event | {"op": "delete", "after": None}, event | {"op": "insert", "before": None}]


def encode(request, settings):
    tables, records = {(table["schema"], table["name"]): table for table in request["tables"]}, []
    for event in request["events"]:
        table, parts, partitions = None, [event], [None]
        if event["kind"] == "row":
            table = tables.get((event["schema"], event["table"]))
            check(table, "semantics", "a row of an unknown table")
            images = (event["before"] is not None, event["after"] is not None)
            needed = {"insert": (False, True), "update": (True, True), "delete": (True, False)}[event["op"]]
            check(images == needed, "semantics", f"the images of the {event['op']} event")
            parts = parts_of(event, table)
        elif event["kind"] == "watermark":
            partitions = range(settings["partitions"]) if settings["extended"] else []
        for part in parts:
            value = base64.b64encode(message_of(part, table, settings)).decode()
            records += [{"key": None, "value": value, **({} if p is None else {"partition": p})} for p in partitions]
        for table in [event.get("table_after"), *event.get("other_tables", [])]:
            if table:
                tables[table["schema"], table["name"]] = table
    return {"records": records}


# -- decode ------------------------------------------------------------------------------------------------------------


def once(members):
    check(len(dict(members)) == len(members), "schema", "a member occurs twice")
    return dict(members)


def check_value(column_type, value):
    base, unsigned = column_type.partition(" ")[0], "unsigned" in column_type
    check(value is None or isinstance(value, str), "schema", "a value is a text")
    check(base in CODES, "type", f"a column of type {column_type}")
    if value is not None and base in BITS:
        check(re.fullmatch("-?[0-9]+", value), "type", f"{value!r} is no integer")
        low = 0 if unsigned else -(1 << BITS[base] - 1)
        check(low <= int(value) < low + (1 << BITS[base]), "range", f"{value} is no {column_type}")
    elif value is not None and base in FORMS:
        check(re.fullmatch(FORMS[base], value), "type", f"{value!r} is no {base}")
        check(not (unsigned and value.startswith("-")), "range", f"{value} is negative")


def event_of(record, settings):
    """The event in a record. This is where your decoder is called."""
    try:
        message = json.loads(base64.b64decode(record["value"] or "").decode(), object_pairs_hook=once)
    except ValueError as e:
        raise Rejected("syntax", f"not JSON: {e}") from None
    kinds_are_right = isinstance(message, dict) and all(type(message.get(m)) is kind for m, kind in MEMBERS.items())
    check(kinds_are_right, "schema", "a member is missing or of the wrong kind")
    kind, tidb, event = message["type"], message.get("_tidb") or {}, {}
    try:
        if settings["extended"]:
            commit_ts = tidb["watermarkTs" if kind == "TIDB_WATERMARK" else "commitTs"]
            check(type(commit_ts) is int, "schema", "a time stamp is a number")
            check(0 <= commit_ts < 1 << 64, "range", "a time stamp has 64 bits")
            event["commit_ts"] = str(commit_ts)  # a text, never a JSON number
        if kind == "TIDB_WATERMARK":
            check(not message["isDdl"] and not message["data"], "semantics", "a watermark with a row or a statement")
            return event | {"kind": "watermark"}
        event |= {"schema": message["database"], "table": message["table"]}
        if message["isDdl"]:
            check(kind in ("QUERY", *DDL.values()), "type", f"{kind} is no statement")
            check(message["sql"], "semantics", "no statement")
            return event | {"kind": "ddl", "query": message["sql"]}
        check(kind in ("INSERT", "UPDATE", "DELETE"), "type", f"{kind} is no change of a row")
        [row], types, codes, _ = (message[name] for name in ("data", "mysqlType", "sqlType", "pkNames"))
        [old] = message["old"] if kind == "UPDATE" else [{}]
        check(row.keys() == types.keys() == codes.keys() >= old.keys(), "semantics", "other columns in each member")
        for name, value in [*row.items(), *old.items()]:
            check_value(types[name], value)
    except (KeyError, TypeError, ValueError, AttributeError) as e:
        raise Rejected("schema", f"a member is missing or of the wrong kind: {e!r}") from None
    before, after = {"INSERT": (None, row), "UPDATE": (old, row), "DELETE": (row, None)}[kind]
    return event | {"kind": "row", "op": kind.lower(), "before": before, "after": after}


# -- the conversation --------------------------------------------------------------------------------------------------


def answer_to(request, settings):
    if request["op"] == "hello":
        return HELLO
    if request["op"] == "configure":
        extended = request["options"].get("enable-tidb-extension", "false")
        check(extended in ("true", "false"), "type", "enable-tidb-extension is true or false")
        settings |= {"now_ms": None, "partitions": 1} | request | {"extended": extended == "true"}
    elif request["op"] == "encode":
        return encode(request, settings)
    elif request["op"] == "decode":
        return {"events": [event_of(record, settings) for record in request["records"]]}
    return {}  # `reset` and `bye`: there is no state between cases


def main():
    settings = {}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"ok": answer_to(request, settings)}
        except Rejected as e:
            answer = {"rejected": {"class": e.args[0], "message": e.args[1]}}
        except Exception as e:  # a fault of the harness is an `error`, not a rejection
            answer = {"error": repr(e)}
        print(json.dumps({"id": request["id"], **answer}), flush=True)
        if request["op"] == "bye":
            return


if __name__ == "__main__":
    main()
