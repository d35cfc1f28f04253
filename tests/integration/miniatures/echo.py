"""A well-behaved miniature, and the loop that the broken ones beside it share.

`encode` answers one record whose value is the base64 of the case, `decode` no events. A broken miniature passes what it
does instead for the case "bad".
"""

import base64
import json
import os
import sys

BAD = "bad"
HELLO = {"harness": 1, "name": "miniature", "version": "0", "language": "python", "protocols": {"canal-json": {}}}


def write(text):
    """Put text on stdout at once, in one piece where it is small."""
    data = text.encode()
    while data:
        data = data[os.write(1, data) :]


def result(request):
    """The right `ok` of a request."""
    if request["op"] == "hello":
        return HELLO
    if request["op"] == "encode":
        return {"records": [{"key": None, "value": base64.b64encode(request["case"].encode()).decode()}]}
    if request["op"] == "decode":
        return {"events": []}
    return {}


def line(request, **outcome):
    """The answer line to a request: the right one, or another outcome."""
    return json.dumps({"id": request["id"], **(outcome or {"ok": result(request)})}) + "\n"


def serve(bad=None, after_bye=None):
    """Answer until bye; `bad(request)` stands in for the answer to the case "bad"."""
    for text in sys.stdin:
        request = json.loads(text)
        if bad is not None and request.get("case") == BAD:
            bad(request)
            continue
        write(line(request))
        if request["op"] == "bye":
            if after_bye is not None:
                after_bye()
            return


if __name__ == "__main__":
    serve()
