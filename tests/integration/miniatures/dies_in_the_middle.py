"""Dies in the bad case: with status 3 and a word on stderr, or of the signal named on the command line."""

import os
import sys

import echo


def die(request):
    print("index out of range", file=sys.stderr, flush=True)
    if len(sys.argv) > 1:
        os.kill(os.getpid(), int(sys.argv[1]))
    os._exit(3)


echo.serve(die)
