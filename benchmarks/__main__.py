"""`python -m benchmarks`: ratios against a named library, and the cost of commands, without a verdict."""

from __future__ import annotations

import sys

from benchmarks import codecs, commands, reports, transport


def main() -> None:
    """Print every figure with its limit."""
    sys.stdout.reconfigure(line_buffering=True)  # each figure appears as soon as it is measured, in a file too
    for protocol, (encode, decode) in codecs.LIMITS.items():
        measured = codecs.measure(protocol)
        writer, reader = codecs.LIBRARIES[protocol]
        print(f"{protocol}, values of {measured['bytes']:.0f} bytes, six columns")
        print(f"  encode  {measured['encode']:5.2f} x {writer} ({measured['write_us']:.1f} us)   limit {encode:g}")
        print(f"  decode  {measured['decode']:5.2f} x {reader} ({measured['read_us']:.1f} us)   limit {decode:g}")
    ratio = transport.measure()["ratio"]
    print(f"transport {ratio:5.2f} x bare round trip   limit {transport.LIMIT:g}")
    commands.report()
    reports.report()


if __name__ == "__main__":
    main()
