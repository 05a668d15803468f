"""Published systems, each by one command, with the claims of its paper."""
