"""Transfer fine-tuning (spec 00): a stage of paraphrases between pre-training and fine-tuning."""
