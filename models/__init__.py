"""Trained networks: weights, model cards, training, and the thin ONNX sessions that turn pixels into arrays."""
