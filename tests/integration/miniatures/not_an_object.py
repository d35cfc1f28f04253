"""Answers the bad case with a JSON list."""

import echo

echo.serve(lambda request: echo.write("[1, 2]\n"))
