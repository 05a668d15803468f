"""Phrasal and sentential paraphrases: transfer fine-tuning (Arase & Tsujii, 2019) as a kind of task."""
