"""Reads on, but never answers: not the bad case, or with an argument nothing at all."""

import sys

import echo

if len(sys.argv) > 1:
    sys.stdin.read()
echo.serve(lambda request: None)
