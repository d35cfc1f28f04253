"""Judging the upstream dialects: answers to cases, and recordings by the truth of their workload.

`dialects` has a row for each dialect, made in its own module (`canal`, `connector`); `model` says what is in a row, and
`rules` makes the rules of a dialect from its register. `comparison` finds the differences of two records.

Cases: `case_judge` judges answers, `expected_events` says what a decoder must answer. Recordings: `reading` takes the
identity of a record out of its bytes; `alignment`, `pairing`, `streams` and `snapshots` pair truth and records;
`writer` makes the expected records of rows, `ddl_records` and `script` those of statements; `recordings` compares.
"""
