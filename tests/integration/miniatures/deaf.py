"""Stops reading its input after hello, configure and reset."""

import sys
import time

import echo

for _ in range(3):
    echo.write(echo.line(echo.json.loads(sys.stdin.buffer.raw.readline())))
time.sleep(60)
