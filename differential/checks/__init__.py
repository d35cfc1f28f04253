"""Checks of whole streams: order across keys, tombstones, and the clocks of the sides.

They complement the comparison key by key. Their input are check records (`records`), which every runner makes of every
change, including keys that are alike on all sides. Where fingerprints are compared, the check of the clocks reads these
instead (`differential.prints.clock_offsets`). `contradictions` reports options that a side's messages contradict.
"""
