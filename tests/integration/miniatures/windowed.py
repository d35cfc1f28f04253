"""Window 4, answers in reverse order, four at a time, or what there is when no more comes.

Arguments: "dies" (in the case "bad"), "hangs" (there), "crowd" (dies whenever it holds several). An encode beyond the
fourth in flight, or a barrier while something is in flight, is answered with `error`.
"""

import os
import select
import sys

import echo

MODE = sys.argv[1] if len(sys.argv) > 1 else ""
WINDOW = 4
echo.HELLO["window"] = WINDOW
held = []


def flush():
    if MODE == "crowd" and len(held) > 1:
        os._exit(5)
    for request in held:
        if request.get("case") == echo.BAD and MODE == "dies":
            os._exit(4)
        if request.get("case") == echo.BAD and MODE == "hangs":
            sys.stdin.read()
    echo.write("".join(echo.line(request) for request in reversed(held)))
    held.clear()


buffer = b""
while data := os.read(0, 1 << 16):
    buffer += data
    *lines, buffer = buffer.split(b"\n")
    for text in lines:
        request = echo.json.loads(text)
        if "case" in request and len(held) == WINDOW:
            echo.write(echo.line(request, error="more in flight than the window"))
        elif "case" in request:
            held.append(request)
        else:
            echo.write(echo.line(request, error="a barrier in flight") if held else echo.line(request))
            if request["op"] == "bye":
                raise SystemExit
    if held and (len(held) == WINDOW or not select.select([0], [], [], 0.03)[0]):
        flush()
