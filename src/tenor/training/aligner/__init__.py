"""Learning to link words from links that people have made, for :mod:`tenor.use.align.learned`."""
