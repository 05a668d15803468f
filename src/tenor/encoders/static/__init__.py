"""A table of token vectors and their mean: model2vec and StaticEmbedding folders."""
