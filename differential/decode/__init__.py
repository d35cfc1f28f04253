"""From messages to slim records: the long way through the reference decoders, and the short way of `quick`."""
