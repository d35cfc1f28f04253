"""`python -m benchmarks`: figures as ratios against a named peer in the same process. They give no verdict."""

from __future__ import annotations

from benchmarks import codecs, transport


def main() -> None:
    """Print every figure with its limit."""
    c = codecs.measure()
    print(f"Canal-JSON, messages of {c['bytes']:.0f} bytes")
    print(f"  decode              {c['decode']:5.1f} x orjson.loads ({c['loads_us']:.1f} us)   limit 8")
    print(f"  encode              {c['encode']:5.1f} x json.dumps ({c['dumps_us']:.1f} us)     limit 4")
    t = transport.measure()
    print(f"transport overhead    {t['ratio']:5.1f} x bare round trip                limit {transport.LIMIT:g}")


if __name__ == "__main__":
    main()
