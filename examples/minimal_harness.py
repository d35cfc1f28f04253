"""A harness in one file: it decodes Canal-JSON rows of integer and text columns, and declares only that."""

import base64
import json
import re
import sys

BITS = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64}
TYPES = [*BITS, "char", "varchar"]
DECLARED = {"roles": ["decode"], "events": ["row"], "options": ["enable-tidb-extension"], "column_types": TYPES}
HELLO = {"harness": 1, "name": "minimal-harness", "version": "0.1", "language": "Python"}
HELLO["protocols"] = {"canal-json": DECLARED}
KINDS = {"database": str, "table": str, "type": str, "isDdl": bool, "es": int, "ts": int, "sql": str, "id": int}
OPERATIONS = {"INSERT": "insert", "UPDATE": "update", "DELETE": "delete"}


class Rejected(Exception):
    """Raised for invalid input: a class of rejection, and a text for people."""


class Unsupported(Exception):
    """Raised for input that `hello` does not declare."""


def check(holds, reason, message):
    if not holds:
        raise Rejected(reason, message)


def once(members):
    check(len(dict(members)) == len(members), "schema", "a member occurs twice")
    return dict(members)


def check_value(column_type, value):
    kind, unsigned = re.match("[a-z]*", column_type)[0], "unsigned" in column_type
    if kind not in TYPES:
        raise Unsupported(f"columns of type {column_type}")
    check(value is None or isinstance(value, str), "schema", "a value is not a text")
    if value is not None and kind in BITS:
        check(re.fullmatch("-?[0-9]+", value), "type", f"{value!r} is no integer")
        low = 0 if unsigned else -(1 << BITS[kind] - 1)
        check(low <= int(value) < low + (1 << BITS[kind]), "range", f"{value} is no {column_type}")


def event_of(record, extended):
    """The row change in a record. This is where your decoder is called."""
    try:
        message = json.loads(base64.b64decode(record["value"] or "").decode(), object_pairs_hook=once)
    except ValueError as e:
        raise Rejected("syntax", f"not JSON: {e}") from None
    kinds_are_right = isinstance(message, dict) and all(type(message.get(m)) is kind for m, kind in KINDS.items())
    check(kinds_are_right, "schema", "a member is missing or of the wrong kind")
    operation = OPERATIONS.get(message["type"])
    if operation is None or message["isDdl"]:
        raise Unsupported(f"messages of type {message['type']}")
    event = {"kind": "row", "op": operation, "schema": message["database"], "table": message["table"]}
    try:
        [row], types, codes = message["data"], message["mysqlType"], message["sqlType"]
        [old] = message["old"] if operation == "update" else [{}]
        commit_ts = message["_tidb"]["commitTs"] if extended else 0
        check(row.keys() == types.keys() == codes.keys() >= old.keys(), "semantics", "other columns in each member")
        check(type(commit_ts) is int, "schema", "commitTs is not an integer")
        for name, value in [*row.items(), *old.items()]:
            check_value(types[name], value)
    except (KeyError, TypeError, ValueError, AttributeError) as e:
        raise Rejected("schema", f"a member is missing or of the wrong kind: {e!r}") from None
    check(0 <= commit_ts < 1 << 64, "range", "commitTs does not have 64 bits")
    if extended:
        event["commit_ts"] = str(commit_ts)  # 64 bits: a text, never a JSON number
    before, after = {"insert": (None, row), "update": (old, row), "delete": (row, None)}[operation]
    return {**event, "before": before, "after": after}


def main():
    extended = False
    for line in sys.stdin:
        request = json.loads(line)
        op, answer = request["op"], {"ok": {}}  # `reset` and `bye`: there is no state between cases
        try:
            if op == "hello":
                answer = {"ok": HELLO}
            elif op == "configure":
                extended = request.get("options", {}).get("enable-tidb-extension") == "true"
            elif op == "decode":
                answer = {"ok": {"events": [event_of(record, extended) for record in request["records"]]}}
            elif op == "encode":
                answer = {"unsupported": "encoding"}
        except Rejected as e:
            answer = {"rejected": {"class": e.args[0], "message": e.args[1]}}
        except Unsupported as e:
            answer = {"unsupported": e.args[0]}
        except Exception as e:  # a fault of the harness is an `error`, not a rejection
            answer = {"error": repr(e)}
        print(json.dumps({"id": request["id"], **answer}), flush=True)
        if op == "bye":
            return


if __name__ == "__main__":
    main()
