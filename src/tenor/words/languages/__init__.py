"""How near languages are: perplexity of n-gram language models, vocabulary overlap, and their vote."""
