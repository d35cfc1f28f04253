"""`python -m benchmarks`: ratios against a named library, and the cost of commands, without a verdict."""

from __future__ import annotations

import sys

from benchmarks import codecs, commands, reports, transport


def main() -> None:
    """Print every figure with its limit."""
    sys.stdout.reconfigure(line_buffering=True)  # a figure shows as it is measured, in a file too
    for protocol, (encode, decode) in codecs.LIMITS.items():
        found = codecs.measure(protocol)
        peers = codecs.PEERS[protocol]
        print(f"{protocol}, values of {found['bytes']:.0f} bytes, six columns")
        print(f"  encode  {found['encode']:5.2f} x {peers[0]} ({found['write_us']:.1f} us)   limit {encode:g}")
        print(f"  decode  {found['decode']:5.2f} x {peers[1]} ({found['read_us']:.1f} us)   limit {decode:g}")
    t = transport.measure()
    print(f"transport {t['ratio']:5.2f} x bare round trip   limit {transport.LIMIT:g}")
    commands.report()
    reports.report()


if __name__ == "__main__":
    main()
