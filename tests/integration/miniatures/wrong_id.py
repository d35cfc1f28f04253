"""Answers the bad case under an id that was never asked."""

import echo

echo.serve(lambda request: echo.write(echo.line({**request, "id": request["id"] + 1000})))
