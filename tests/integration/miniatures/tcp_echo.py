"""The echo on a TCP port: names the port on stdout, then serves one connection after another; the bad case ends one."""

import json
import socket

import echo

listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
while True:
    connection, _ = listening.accept()
    with connection, connection.makefile("rw") as stream:
        for text in stream:
            request = json.loads(text)
            if request.get("case") == echo.BAD:
                break
            stream.write(echo.line(request))
            stream.flush()
