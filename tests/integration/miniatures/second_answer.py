"""Answers the bad case twice."""

import echo

echo.serve(lambda request: echo.write(echo.line(request) * 2))
