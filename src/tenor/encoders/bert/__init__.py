"""BERT on packed batches: loads any BERT-shaped checkpoint and writes it back."""

from tenor.extras import keep_openvino_private

keep_openvino_private()
