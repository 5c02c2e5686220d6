"""Evidence to reading: prompt, GGUF reader, checked reply."""
