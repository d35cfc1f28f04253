"""Answers the bad case with ok and unsupported in one."""

import echo

echo.serve(lambda request: echo.write(echo.line(request, ok=echo.result(request), unsupported="perhaps")))
