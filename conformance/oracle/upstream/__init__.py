"""Judging the upstream dialects: answers to cases, and recordings by the truth of their workload.

`dialects` has a row for each dialect, made in its own module (`canal`, `connector`): its rules, of which `rules` is the
form, what a record is about, and what comes back from it. `comparison` finds the differences of two records. Cases:
`asking` judges answers, `carry` says what a decoder must make of records. Recordings: `reading` takes the identity of a
record out of its bytes; `alignment`, `pairing`, `streams` and `snapshots` pair truth and records; `writer` makes the
records that should have been sent, `definitions` those of statements; `judge` compares.
"""
