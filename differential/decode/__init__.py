"""Reads messages into slim records, by reference decoders or fast paths (`quick`, `typed`)."""
