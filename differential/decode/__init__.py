"""Reads messages into slim records: by the reference decoders, or by the fast paths in `quick` and `typed`."""
