"""Stays when told bye, and when asked to terminate."""

import signal
import time

import echo

signal.signal(signal.SIGTERM, signal.SIG_IGN)
echo.serve(after_bye=lambda: time.sleep(60))
