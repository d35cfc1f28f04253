"""Judging recordings of upstream producers by the truth of their workload: what was sent against what should have been.

`reading` takes the identity of a record out of its bytes; `alignment` pairs truth and records; `dialects` knows what a
dialect has of its own; `expectation` makes the records that should have been sent; `judge` compares.
"""
