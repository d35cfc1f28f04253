"""Compares the sides key by key: aligns the changes of a key group and reports their differences."""
