"""Answers the bad case with a line of as many bytes as the command line says; it is good JSON."""

import sys

import echo

echo.serve(lambda request: echo.write(echo.line(request, error="x" * int(sys.argv[1]))))
