"""Dies in every case, good or bad."""

import json
import os
import sys

import echo

for text in sys.stdin:
    request = json.loads(text)
    if "case" in request:
        os._exit(1)
    echo.write(echo.line(request))
