"""Checks of whole streams: order across keys, tombstones, and the clocks of the sides.

They complement the comparison key by key. Their input are narrow records (`narrow`), which every runner makes of every
change, including keys that are alike on all sides. Where fingerprints are compared, the check of the clocks reads these
(`differential.prints.clocking`). `contradictions` reports options that a side's messages contradict.
"""
