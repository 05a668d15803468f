"""BERT on packed batches: loads any BERT-shaped checkpoint and writes it back."""
