"""Has the mishap that its first argument names; cases are known by the first characters of their ids."""

import fcntl
import json
import os
import signal
import sys
import time

import echo

kind, *about = sys.argv[1:]
seen = 0


def happens(case):
    """Whether this case is one with a mishap."""
    if kind == "thirds":
        return int(case, 16) % 3 > 0
    return seen > int(about[0]) if kind == "after" else case[:8] in about


if kind == "alone":
    lock = os.open(about[0], os.O_CREAT | os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit("another one runs")

if kind == "never":
    sys.exit("out of order")

for text in sys.stdin:
    request = json.loads(text)
    if "case" in request:
        seen += 1
        if happens(request["case"]):
            if kind == "kills":  # whoever asks
                os.kill(os.getppid(), signal.SIGKILL)
                time.sleep(60)
            os._exit(1)
    echo.write(echo.line(request))
