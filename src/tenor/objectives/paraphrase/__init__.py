"""Transfer fine-tuning: an encoder learns from phrasal and sentential paraphrases (Arase & Tsujii, 2019)."""
