"""Captures: messages recorded from a topic, read from files of several forms, and judged without an implementation.

`files` opens files and `readers` turns their lines into records; `broker` reads topics. `schemas` are those of the
registry, `claims` the files of claim-check storage. `dialects` says what the messages of a protocol show of their
stream; `inference` infers the options of the changefeed from it. `check` is the entry point: `judge` judges a capture
record by record, `truth` judges it as a whole against given events, `upstream` judges dialects of upstream producers.
`expected` writes events with the reference, `versions` chooses among versions of a table, `refusals` blames
requirements for records that cannot be decoded; `redaction` removes values from results. Rules between records are in
`conformance.oracle.streams` and `tombstones`.
"""
