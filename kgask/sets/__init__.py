"""Public question sets and graphs as they are published; standard library only."""
