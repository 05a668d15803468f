"""LSTM encoders over learned or static word embeddings."""
