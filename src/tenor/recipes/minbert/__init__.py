"""What the two multi-task reports share: their data, cleaned of overlaps, and one trained and scored cell."""
