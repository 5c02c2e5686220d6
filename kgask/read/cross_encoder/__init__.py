"""kgask's own reader: a cross-encoder over question and triples that judges every line."""
