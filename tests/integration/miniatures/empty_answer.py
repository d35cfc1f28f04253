"""Answers the bad case with nothing but its id."""

import json

import echo

echo.serve(lambda request: echo.write(json.dumps({"id": request["id"]}) + "\n"))
