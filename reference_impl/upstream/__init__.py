"""The dialects that TiCDC's protocols imitate, as their own producers write them: Canal and Debezium."""
