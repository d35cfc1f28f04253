"""Checks of whole streams: order across keys, tombstones, and the clocks of the sides.

They complement the comparison key by key. Their input are check records (`records`), which every runner makes of every
change, including keys that are alike on all sides. The check of the clocks gets them from the fingerprints of a part of
the keys (`differential.prints.clock_offsets`), or from the changes of a round of `--live`.
"""
