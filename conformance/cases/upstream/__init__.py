"""Cases of the upstream dialects: Alibaba Canal's flat message and the records of Debezium's MySQL connector.

Recordings come first, then the shared corpora under the dialect's options, then negatives.
"""
