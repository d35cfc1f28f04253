"""For `exec:`: an `error` unless it gets exactly hello, configure, reset, one request, bye; dies in the bad case."""

import json
import os
import sys

import echo

seen = []
for text in sys.stdin:
    request = json.loads(text)
    seen.append(request["op"])
    if request.get("case") == echo.BAD:
        os._exit(3)
    if "case" in request and seen != ["hello", "configure", "reset", request["op"]]:
        echo.write(echo.line(request, error=" ".join(seen)))
    else:
        echo.write(echo.line(request))
    if request["op"] == "bye":
        break
