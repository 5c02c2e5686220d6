"""Packs that are larger than memory: the same packs as :mod:`kgask.build.writer` makes, by way of DuckDB or Spark."""
