"""Misbehaves as its first argument says: in the bad case, or before it has answered anything."""

import json
import os
import signal
import sys
import time

import echo
from echo import line, write

name, *arguments = sys.argv[1:]


def dies_in_the_middle(request):
    """With status 3 and a word on stderr, or of the signal that the next argument names."""
    print("index out of range", file=sys.stderr, flush=True)
    if arguments:
        os.kill(os.getpid(), int(arguments[0]))
    os._exit(3)


def half_a_line(request):
    write(line(request)[:15])
    os._exit(0)


def closes_stdout(request):
    os.close(1)
    time.sleep(60)


def slow_drip(request):
    """A byte now and then, each well before the limit; the line never ends."""
    while True:
        write(" ")
        time.sleep(0.02)


def stderr_flood(request):
    """A right answer, after half a megabyte on stderr."""
    print("debug\n" * 80_000 + "the last word", file=sys.stderr, flush=True)
    write(line(request))


BEFORE = {
    "banner": lambda: write("Welcome to the miniature\n"),
    "dead": lambda: sys.exit("no licence found"),
    "dies_before_hello": lambda: (sys.stdin.readline(), os.kill(os.getpid(), signal.SIGKILL)),
    "silent": lambda: arguments and sys.stdin.read(),
}
INSTEAD = {one.__name__: one for one in (dies_in_the_middle, half_a_line, closes_stdout, slow_drip, stderr_flood)}
WRITTEN = {
    "beyond_the_topic": lambda request: line(request, ok={"records": [{"key": None, "value": None, "partition": 1}]}),
    "empty_answer": lambda request: json.dumps({"id": request["id"]}) + "\n",
    "garbage_line": lambda request: "Traceback (most recent call last): " + "x" * 300 + "\n",
    "giant_line": lambda request: line(request, error="x" * int(arguments[0])),
    "late_second_answer": lambda request: line({"op": "reset", "id": request["id"] - 1}) + line(request),
    "no_id": lambda request: '{"ok": {"records": []}}\n',
    "noise_at_once": lambda request: line(request) + "flushed 1 record\n",
    "noise_later": lambda request: "flushed 1 record\n" + line(request),
    "not_an_object": lambda request: "[1, 2]\n",
    "second_answer": lambda request: line(request) * 2,
    "silent": lambda request: "",
    "two_ids": lambda request: line(request).replace("{", f'{{"id": {request["id"]}, ', 1),
    "two_outcomes": lambda request: line(request, ok=echo.result(request), unsupported="perhaps"),
    "wrong_id": lambda request: line({**request, "id": request["id"] + 1000}),
}
"""What is written in place of the answer to the bad case."""

if name in BEFORE:
    BEFORE[name]()
echo.serve(INSTEAD.get(name) or (lambda request: write(WRITTEN[name](request))))
