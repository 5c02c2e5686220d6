"""Readers as files: their cards, whether llama.cpp can use them, what is kept of them between questions."""
