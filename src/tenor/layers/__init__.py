"""Bricks that know no task: packed batches, transformer blocks, poolings."""
