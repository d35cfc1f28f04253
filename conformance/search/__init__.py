"""Search: runs random inputs against an implementation, and shrinks those that show a failure."""
