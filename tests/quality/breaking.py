"""The reference as a harness that ends or falls silent at a request with a word in it: `crash|hang WORD`."""

import sys
import time

import orjson

from conformance.reference_harness import ReferenceHarness


def main(what: str, word: str) -> None:
    answer = ReferenceHarness().answer
    for line in sys.stdin.buffer:
        if word.encode() in line:
            if what == "crash":
                sys.exit("panic: runtime error")
            time.sleep(60)
        sys.stdout.buffer.write(orjson.dumps(answer(orjson.loads(line))) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
