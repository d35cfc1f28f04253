"""The engine of the conformance suite: catalogue, cases, oracle, transport, engine, command line."""

__version__ = "0.1.0"
