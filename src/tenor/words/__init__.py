"""Static word vectors: read, compare, train, evaluate, post-process, combine, align across languages."""
