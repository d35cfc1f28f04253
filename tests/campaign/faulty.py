"""A harness that answers well, except in the cases for which its script names a fault. Run as a program: FILE [port].

FILE is JSON: `answers` and `faults` by case, `seed`. With `port` it listens on one, which it names on stdout. It
imports nothing but the standard library, and not much of that: it is started once a fault.
"""

import json
import os
import signal
import sys
import time
from random import Random

CRASH, PROTOCOL, TIMEOUT, FALSE_CLAIM = "crash", "protocol_error", "timeout", "false_claim"


class Gone(Exception):
    """The connection ends; of a process, the process does."""


class Faults:
    """What is done in place of answering well. `out` writes bytes; `die` ends with a status, or by a signal below 0."""

    def __init__(self, out, die, request, answer, random):
        self.out, self.die, self.request, self.answer, self.random = out, die, request, answer, random

    def line(self, **members):
        """An answer line of other members."""
        self.out(json.dumps({"id": self.request["id"], **members}).encode() + b"\n")

    def member(self, old, new):
        """The good answer with other text in it."""
        self.out(self.answer.replace(old, new, 1))

    def identity(self, text):
        """The good answer with something else as its id."""
        self.member(b'"id": %d' % self.request["id"], b'"id": ' + text)

    def noise(self):
        """A line that is no JSON."""
        return bytes(self.random.choice(b"abc xyz<>#!") for _ in range(self.random.randint(1, 300))) + b"\n"

    def depth(self):
        """A good answer with something deep in it that nobody asked for."""
        n = self.random.randint(101, 900)
        self.member(b'{"id"', b'{"x": ' + b"[" * n + b"]" * n + b', "id"')

    def split(self):
        """The good answer, in pieces."""
        rest = self.answer
        while rest:
            n = self.random.randint(1, 1 + len(rest) // 3)
            self.out(rest[:n])
            rest = rest[n:]

    def flood(self):
        """The good answer after a flood on stderr."""
        os.write(2, b"\xff\x00 noise\n" * 30_000)
        self.out(self.answer)


# name → (verdict, what is done); None is that of the answer itself
TABLE = {
    "dies at once": (CRASH, lambda f: f.die(f.random.choice([0, 1, 3, 255, -9, -11, -15]))),
    "dies in the middle of the line": (
        CRASH,
        lambda f: (f.out(f.answer[: f.random.randrange(1, len(f.answer))]), f.die(3)),
    ),
    "a line cut and ended": (PROTOCOL, lambda f: f.out(f.answer[: f.random.randrange(1, len(f.answer) - 2)] + b"\n")),
    "noise in place of it": (PROTOCOL, lambda f: f.out(f.noise())),
    "noise before it": (PROTOCOL, lambda f: f.out(f.noise() + f.answer)),
    "noise behind it": (PROTOCOL, lambda f: f.out(f.answer + f.noise())),
    "an empty line": (PROTOCOL, lambda f: f.out(b"\n" + f.answer)),
    "a line of blanks": (PROTOCOL, lambda f: f.out(b" \t \n" + f.answer)),
    "two answers": (PROTOCOL, lambda f: f.out(f.answer * 2)),
    "many answers": (PROTOCOL, lambda f: f.out(f.answer * f.random.randint(3, 200))),
    "no bytes of text": (PROTOCOL, lambda f: f.out(bytes(f.random.randrange(128, 256) for _ in range(40)) + b"\n")),
    "bytes of no text inside": (PROTOCOL, lambda f: f.member(b'{"id"', b'{"x": "\xff\xc0", "id"')),
    "zero bytes": (PROTOCOL, lambda f: f.out(b"\0" * f.random.randint(1, 9) + f.answer)),
    "a byte order mark": (PROTOCOL, lambda f: f.out(b"\xef\xbb\xbf" + f.answer)),
    "half a surrogate": (PROTOCOL, lambda f: f.member(b'{"id"', b'{"x": "\\ud800", "id"')),
    "no number": (PROTOCOL, lambda f: f.member(b'{"id"', b'{"x": NaN, "id"')),
    "another id": (PROTOCOL, lambda f: f.identity(b"%d" % (f.request["id"] + f.random.randint(1, 10**6)))),
    "an id of before": (PROTOCOL, lambda f: f.identity(b"%d" % f.random.randint(1, f.request["id"] - 1))),
    "a negative id": (PROTOCOL, lambda f: f.identity(b"-%d" % f.request["id"])),
    "an id of 20 digits": (PROTOCOL, lambda f: f.identity(b"18446744073709551616")),
    "an id as text": (PROTOCOL, lambda f: f.identity(b'"%d"' % f.request["id"])),
    "an id with a fraction": (PROTOCOL, lambda f: f.identity(b"%d.0" % f.request["id"])),
    "an id that is true": (PROTOCOL, lambda f: f.identity(b"true")),
    "an id that is null": (PROTOCOL, lambda f: f.identity(b"null")),
    "an id that is a list": (PROTOCOL, lambda f: f.identity(b"[%d]" % f.request["id"])),
    "no id": (PROTOCOL, lambda f: f.member(b'"id"', b'"ID"')),
    "the id twice": (PROTOCOL, lambda f: f.identity(b'%d, "id": %d' % (f.request["id"], f.request["id"]))),
    "another id and the id": (PROTOCOL, lambda f: f.identity(b'1, "id": %d' % f.request["id"])),
    "the outcome twice": (PROTOCOL, lambda f: f.member(b'"ok"', b'"ok": {}, "ok"')),
    "a list": (PROTOCOL, lambda f: f.out(b"[" + f.answer[:-1] + b"]\n")),
    "a text": (PROTOCOL, lambda f: f.out(json.dumps(f.answer.decode()).encode() + b"\n")),
    "nothing beside the id": (PROTOCOL, lambda f: f.line()),
    "two outcomes": (PROTOCOL, lambda f: f.line(ok={}, error="x")),
    "ok is null": (PROTOCOL, lambda f: f.line(ok=None)),
    "ok is a list": (PROTOCOL, lambda f: f.line(ok=[])),
    "ok is empty": (PROTOCOL, lambda f: f.line(ok={})),
    "records and events are objects": (PROTOCOL, lambda f: f.line(ok={"records": {}, "events": {}})),
    "records and events of null": (PROTOCOL, lambda f: f.line(ok={"records": [None], "events": [None]})),
    "records and events of numbers": (PROTOCOL, lambda f: f.line(ok={"records": [7], "events": [7]})),
    "what is no base64": (PROTOCOL, lambda f: f.line(ok={"records": [{"key": None, "value": "?"}], "events": [{}]})),
    "a row of numbers": (
        PROTOCOL,
        lambda f: f.line(
            ok={
                "records": [{"key": 1, "value": 2}],
                "events": [{"kind": "row", "op": "insert", "schema": "a", "table": "b", "after": {"c": 1}}],
            }
        ),
    ),
    "a rejection without a class": (PROTOCOL, lambda f: f.line(rejected={"message": "no"})),
    "a rejection of no class": (PROTOCOL, lambda f: f.line(rejected={"class": "bad", "message": "no"})),
    "a rejection as text": (PROTOCOL, lambda f: f.line(rejected="no")),
    "unsupported, which is true": (PROTOCOL, lambda f: f.line(unsupported=True)),
    "an error that is null": (PROTOCOL, lambda f: f.line(error=None)),
    "something deep": (PROTOCOL, lambda f: f.depth()),
    "something very deep": (PROTOCOL, lambda f: f.out(b'{"id":' * 50_000 + b"\n")),
    "a line that is too long": (PROTOCOL, lambda f: f.out(b" " * 300_000 + f.answer)),
    "a line without end": (PROTOCOL, lambda f: f.out(b'{"id": 1' * 100_000)),
    "an error of its own": (CRASH, lambda f: f.line(error="it broke")),
    "not supported after all": (FALSE_CLAIM, lambda f: f.line(unsupported="no")),
    "dies behind it": (CRASH, lambda f: (f.out(f.answer), f.die(f.random.choice([3, -9])))),
    "dies in the next request": (CRASH, lambda f: f.out(f.answer)),
    "answers again in the next request": (PROTOCOL, lambda f: f.out(f.answer)),
    "noise in the next request": (PROTOCOL, lambda f: f.out(f.answer)),
    "in pieces": (None, lambda f: f.split()),
    "a flood on stderr": (None, lambda f: f.flood()),
    "blanks around it": (None, lambda f: f.out(b"  " + f.answer[:-1] + b" \r\n")),
    "members of its own": (None, lambda f: f.member(b'{"id"', b'{"x": {"y": [1, null]}, "id"')),
}
SILENT = {
    "silent": (TIMEOUT, lambda f: None),
    "silent in the middle of the line": (TIMEOUT, lambda f: f.out(f.answer[: f.random.randrange(1, len(f.answer))])),
    "silent but for stderr": (TIMEOUT, lambda f: os.write(2, b"still here\n")),
}
AT_THE_NEXT = ("dies in the next request", "answers again in the next request", "noise in the next request")
HELLO = {"harness": 1, "name": "faulty", "version": "0", "language": "python"}


def serve(lines, out, die, script):
    """Answer until bye."""
    owed = None
    for text in lines:
        request = json.loads(text)
        op, case = request["op"], request.get("case")
        if owed is not None:
            fault, before = owed
            owed = None
            if fault.startswith("dies"):
                die(3)
            out(before if fault.startswith("answers") else b"flushed\n")
        outcome = {"ok": {**HELLO, "protocols": script["protocols"]} if op == "hello" else {}}
        answer = json.dumps({"id": request["id"], **script["answers"].get(case, outcome)}).encode() + b"\n"
        fault = script["faults"].get(case)
        if fault is None:
            out(answer)
        else:
            random = Random(f"{script['seed']} {case}")
            {**TABLE, **SILENT}[fault][1](Faults(out, die, request, answer, random))
            owed = (fault, answer) if fault in AT_THE_NEXT else None
        if op == "bye":
            return


def on_stdio(script):
    """A child of the suite."""

    def out(data):
        while data:
            data = data[os.write(1, data) :]

    def die(status):
        if status < 0:
            os.kill(os.getpid(), -status)
            time.sleep(60)
        os._exit(status)

    serve(sys.stdin, out, die, script)


def on_tcp(script):
    """A server of one connection after the other."""
    import socket

    def die(status):
        raise Gone

    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    while True:
        connection, _ = listening.accept()
        try:
            with connection, connection.makefile("r") as lines:
                serve(lines, connection.sendall, die, script)
        except (Gone, OSError):
            pass


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    with open(sys.argv[1], encoding="utf-8") as file:
        (on_tcp if len(sys.argv) > 2 else on_stdio)(json.load(file))
