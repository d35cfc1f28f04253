"""Captures: messages recorded from a topic, read from files of several forms, and judged without an implementation.

`files` opens files, `lines` splits them, and `readers` turns lines into records. `topics` parses the names of topics,
`kafka_config` the file of client properties, and `broker` reads the topics. `schemas` are those of the registry,
`claims` the files of claim-check storage.

`check` is the entry point: `judge` judges a capture record by record, `truth` judges it as a whole against given
events, `upstream` judges dialects of upstream producers. `dialects` says what the messages of a protocol show of their
stream, `shown` the same of upstream dialects; `inference` infers the options of the changefeed, `likely` the dialect
itself. `expected` writes events with the reference, `versions` chooses among versions of a table, `refusals` blames
requirements for records that cannot be decoded. Rules between records are in `streams` (with
`conformance.oracle.streams`) and `tombstones`. `redaction` removes values from `results`.
"""
