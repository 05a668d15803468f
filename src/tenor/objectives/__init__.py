"""Extra pressure on training: losses beside those of the tasks."""
