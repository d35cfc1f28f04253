"""Answers the bad case with the answer before once more, and then well."""

import echo

echo.serve(lambda request: echo.write(echo.line({"op": "reset", "id": request["id"] - 1}) + echo.line(request)))
