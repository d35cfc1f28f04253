"""Real upstream producers, driven by SQL: Canal 1.1.7 and Debezium's MySQL connector, each in a JVM of its own.

`harness` lets the suite judge them like any encoder; `recording` writes what they send into files with provenance.
Foreign code is fetched as released (`canal.xml`, `debezium.xml`); the programs in `java` are ours.
"""
