"""Answers every encode with a record whose value is a JSON text longer than a pipe holds, which is wrong everywhere."""

import base64
import json
import sys

import echo

LONG = base64.b64encode(b'{"data":"' + b"x" * 100_000 + b'"}').decode()

for text in sys.stdin:
    request = json.loads(text)
    given = json.loads(echo.line(request))
    if request["op"] == "encode":
        given = {"id": request["id"], "ok": {"records": [{"key": None, "value": LONG}] * 2}}
    echo.write(json.dumps(given) + "\n")
