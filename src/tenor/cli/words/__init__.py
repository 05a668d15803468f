"""Vectors are a file of any common format (word2vec, GloVe, fastText, safetensors) or an asset's name."""

# command -> one line for the help; the function of that name lives in tenor.cli.words.<name>.
COMMANDS = {
    "info": "Say what a file of word vectors holds, and what is wrong with it.",
    "convert": "Write word vectors in another format.",
    "neighbours": "Find the nearest words of words.",
    "analogy": "Complete: a is to b as c is to …",
    "similarity": "Say how alike two words are.",
    "ask": "Ask set questions about words: noble & metal, french - british.",
    "combine": "Combine several tables of word vectors into a better one.",
    "align": "Bring the vectors of two languages into one space, from a seed dictionary.",
    "translate": "Translate words, by two languages in one space.",
    "train": "Train word vectors on a text.",
    "evaluate": "Score word vectors on similarity, analogies, categories, outliers and relations.",
    "postprocess": "Improve word vectors by one or several methods.",
}
