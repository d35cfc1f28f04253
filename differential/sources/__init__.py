"""Reads the messages of a side: SPECs, captures, parquet files and topics."""
