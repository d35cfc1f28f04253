"""Checks of whole streams, beside the comparison key by key: order across keys, tombstones, and the sides' clocks.

They see narrow records alone (`narrow`), which travel in slim rows of their own. So they hold for every change, also of
keys that are alike on all sides, by every runner and plan. `options` has what a side's messages contradict as a whole.
"""
