"""Vectors are a file of any common format (word2vec, GloVe, fastText, safetensors) or an asset's name."""

# command -> one line for the help; the function of that name lives in tenor.cli.words.<name>.
COMMANDS = {
    "info": "Show what a file of word vectors holds, and what is wrong with it.",
    "convert": "Convert word vectors to another format.",
    "neighbours": "Find the nearest neighbours of words.",
    "analogy": "Answer an analogy: a is to b as c is to …",
    "similarity": "Print the cosine similarity of two words.",
    "ask": "Answer set queries about words: noble & metal, french - british.",
    "combine": "Combine several word embeddings into one meta-embedding.",
    "align": "Map the vectors of two languages into one space, from a seed dictionary.",
    "translate": "Translate words by cross-lingual word embeddings.",
    "languages": "Rank auxiliary languages for a target by perplexity and vocabulary overlap.",
    "train": "Train word vectors on a text: skip-gram, CBOW or PPMI-SVD.",
    "evaluate": "Evaluate word vectors: similarity, analogies, categorisation, outliers, relations.",
    "postprocess": "Post-process word vectors: normalise, whiten, PCA, all-but-the-top and others.",
}
