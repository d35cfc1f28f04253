"""Dies at once, with a word about it."""

import sys

sys.exit("no licence found")
