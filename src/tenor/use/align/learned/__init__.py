"""Word links by a small network that has learned from human links."""

from tenor.use.align.learned.aligner import LearnedLinks, load_aligner

__all__ = ["LearnedLinks", "load_aligner"]
