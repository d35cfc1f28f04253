"""Checks of whole streams: order across keys, tombstones, and the clocks of the sides.

They complement the comparison key by key. Their input are narrow records (`narrow`), which every runner makes of every
change, including keys that are alike on all sides; where fingerprints are compared, the clocks need none
(`differential.prints.clocking`). `contradictions` reports options that a side's messages contradict.
"""
