"""Answers the bad case with a line that is not JSON."""

import echo

echo.serve(lambda request: echo.write("Traceback (most recent call last): " + "x" * 300 + "\n"))
