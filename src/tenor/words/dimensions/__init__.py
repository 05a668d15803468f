"""What the dimensions of word vectors carry: averaged sentences, and probes on stretches or single ones."""
