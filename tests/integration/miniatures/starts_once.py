"""Dies in the bad case and does not start again: the file named on the command line says that it ran before."""

import os
import sys

import echo

marker = sys.argv[1]
if os.path.exists(marker):
    sys.exit("the port is still in use")
open(marker, "x").close()
echo.serve(lambda request: os._exit(1))
