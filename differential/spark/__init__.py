"""Compares on Spark: the decoding and merging of one machine, with Spark's shuffle between them.

Only `progress` uses the classic context; all other modules use the session, and so work with Spark Connect.
"""
