"""Reference implementation of the four protocols: bytes in, values out."""
