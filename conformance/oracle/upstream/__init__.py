"""Judging recordings of upstream producers by the truth of their workload: what was sent against what should have been.

`reading` takes the identity of a record out of its bytes; `dialects` knows what a dialect has of its own; `alignment`,
`pairing`, `streams` and `snapshots` pair truth and records; `writer` makes the records that should have been sent;
`judge` compares, and `rules` says whose rule a difference breaks.
"""
