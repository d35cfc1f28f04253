"""Window 1: an `error` for every request behind which another one waits already."""

import os
import select

import echo

buffer = b""
while data := os.read(0, 1 << 16):
    buffer += data
    *lines, buffer = buffer.split(b"\n")
    crowded = len(lines) > 1 or bool(buffer) or bool(select.select([0], [], [], 0.01)[0])
    for text in lines:
        request = echo.json.loads(text)
        echo.write(echo.line(request, error="more than one in flight") if crowded else echo.line(request))
        if request["op"] == "bye":
            raise SystemExit
