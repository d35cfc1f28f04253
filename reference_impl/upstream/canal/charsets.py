"""What becomes of characters: Canal reads the bytes of every column in the charset of its connection, UTF-8.  [DV-55]

Text of another charset arrives as other characters, with U+FFFD for bytes that are not UTF-8.
"""

from reference_impl.upstream.charsets import decoded, encoded, is_utf8

__all__ = ["decoded", "encoded", "is_utf8"]
