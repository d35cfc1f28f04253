"""Dies in the middle of its answer to the bad case."""

import os

import echo


def half(request):
    echo.write(echo.line(request)[:15])
    os._exit(0)


echo.serve(half)
