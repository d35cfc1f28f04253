"""Reads messages into slim records, by reference decoders or a fast path (`quick`)."""
