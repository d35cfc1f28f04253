"""For `py:`: a codec that prints to stdout, from Python and below it, and raises in the bad case."""

import os

import echo


def make():
    """What a `py:` address names."""
    return answer


def answer(request):
    print("printed by the hosted code")
    os.write(1, b"written to descriptor 1\n")
    if request.get("case") == echo.BAD:
        raise ValueError("no such column")
    return {"id": request["id"], "ok": echo.result(request)}
