"""Real upstream producers, driven by SQL: Canal 1.1.7 and Debezium's MySQL connector, each in its own JVM.

`harness` lets the suite judge them like any encoder; `recording` writes their records into files with provenance.
Maven fetches the released producers (`canal.xml`, `debezium.xml`); the programs in `java` are ours.
"""
