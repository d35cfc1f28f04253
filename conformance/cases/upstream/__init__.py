"""Cases of the upstream dialects: Alibaba Canal's flat message and the records of Debezium's MySQL connector."""
