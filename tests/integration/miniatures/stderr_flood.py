"""Answers well, but writes half a megabyte to stderr before each answer to the bad case."""

import sys

import echo


def flood(request):
    print("debug\n" * 80_000 + "the last word", file=sys.stderr, flush=True)
    echo.write(echo.line(request))


echo.serve(flood)
