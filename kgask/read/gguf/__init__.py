"""GGUF models in llama.cpp: the engine, what is written into it, and readers that are language models."""
