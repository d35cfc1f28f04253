"""Names every case on stderr, and dies in the bad one."""

import json
import os
import sys

import echo

for text in sys.stdin:
    request = json.loads(text)
    print(f"working on {request.get('case')}", file=sys.stderr, flush=True)
    if request.get("case") == echo.BAD:
        os._exit(1)
    echo.write(echo.line(request))
