"""Messages captured from a topic: read from files of several forms, and judged with no truth at hand.

`readers` turn lines into records and know no files; `files` opens them; `schemas` are those of the registry. A row of
`dialects` says how a protocol's messages speak of their stream; `inference` finds out who wrote it. `judge` judges it
record by record, `truth` all of it against the events it is of; `check` is the door to both. `refusals` charges what
cannot be decoded, `redaction` takes values out of results. What holds between records is in
`conformance.oracle.streams`. The command that prints the results is not here.
"""
