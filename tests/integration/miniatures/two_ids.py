"""Answers the bad case well, with its id twice."""

import echo

echo.serve(lambda request: echo.write(echo.line(request).replace("{", f'{{"id": {request["id"]}, ', 1)))
