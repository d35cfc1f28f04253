"""Starts a child that would outlive it, names its process id, and dies in the bad case while the child holds stdout."""

import os
import subprocess
import sys

import echo

child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
echo.HELLO["version"] = str(child.pid)
echo.serve(lambda request: os._exit(4))
