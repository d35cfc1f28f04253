"""The reference as a harness that ends or falls silent at a request with a word in it: `crash|hang WORD`."""

import sys

import orjson

from conformance.reference_harness import ReferenceHarness


def main(what: str, word: str) -> None:
    answer = ReferenceHarness().answer
    for line in sys.stdin.buffer:
        if word.encode() in line:
            if what == "crash":
                sys.exit("panic: runtime error")
            while sys.stdin.buffer.read(1):
                pass  # silent until its stdin is closed
            return
        sys.stdout.buffer.write(orjson.dumps(answer(orjson.loads(line))) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
