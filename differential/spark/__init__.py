"""The comparison on Spark: the same decoding and merging as on one machine, with Spark's shuffle between them.

Only `progress` knows the classic context; everything else goes through the session and works under Spark Connect.
"""
