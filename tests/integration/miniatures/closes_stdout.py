"""Closes its output in the bad case, but lives."""

import os
import time

import echo


def close(request):
    os.close(1)
    time.sleep(60)


echo.serve(close)
