"""Question to hop plan: Rigel through ONNX Runtime."""
