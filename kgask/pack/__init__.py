"""A KG pack, read-only: memory-mapped CSR and SQLite names."""
