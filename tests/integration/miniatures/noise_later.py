"""Talks before its answer to the bad case, as if something had been left over."""

import echo

echo.serve(lambda request: echo.write("flushed 1 record\n" + echo.line(request)))
