"""What the dimensions of word vectors carry: averaged sentences, and probes on some or single ones."""
