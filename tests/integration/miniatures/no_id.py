"""Answers the bad case without an id."""

import echo

echo.serve(lambda request: echo.write('{"ok": {"records": []}}\n'))
