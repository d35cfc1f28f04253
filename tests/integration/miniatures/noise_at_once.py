"""Answers the bad case well and goes on talking in the same breath."""

import echo

echo.serve(lambda request: echo.write(echo.line(request) + "flushed 1 record\n"))
