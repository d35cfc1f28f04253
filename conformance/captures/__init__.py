"""Messages captured from a topic: read from files of several forms, and judged with no truth at hand.

`readers` turn lines into records and know no files; `files` opens them; `inference` finds out what a stream says about
its options and tables; `judge` judges it record by record and `check` as a whole. What holds between records is in
`conformance.oracle.streams`. The command that prints the results is not here.
"""
