"""Answers the bad case with a byte now and then, each well before the limit; the line never ends."""

import time

import echo


def drip(request):
    while True:
        echo.write(" ")
        time.sleep(0.02)


echo.serve(drip)
