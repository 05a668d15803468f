"""flair's side of ``bench/tagging.py``, in an environment of its own: an epoch of training, and tagging.

flair is given the advantage of its own storage (static vectors are looked up once), no trainer around its
loss. Tagging begins with lists of words, as ours does: ``sentences`` says how much of it is the making of
flair's sentences.
"""

import json
import sys
import time
from pathlib import Path

import flair
import numpy as np
import torch
from flair.data import Dictionary, Sentence
from flair.embeddings import CharacterEmbeddings, StackedEmbeddings, TokenEmbeddings
from flair.models import SequenceTagger
from flair.training_utils import store_embeddings


class Vectors(TokenEmbeddings):
    """Static word vectors from arrays, looked up as flair's own WordEmbeddings do: one tensor a token."""

    def __init__(self, words, vectors):
        super().__init__()
        self.name, self.static_embeddings = "vectors", True
        self._length = vectors.shape[1]
        self._rows = {word: row for row, word in enumerate(words, start=1)}
        table = np.concatenate([np.zeros((1, vectors.shape[1]), np.float32), vectors])
        self.embedding = torch.nn.Embedding.from_pretrained(torch.from_numpy(table), freeze=True)

    @property
    def embedding_length(self):
        return self._length

    def _add_embeddings_internal(self, sentences):
        tokens = [token for sentence in sentences for token in sentence]
        rows = torch.tensor([self._rows.get(token.text.lower(), 0) for token in tokens])
        for token, row in zip(tokens, self.embedding(rows), strict=True):
            token.set_embedding(self.name, row)
        return sentences


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    flair.device = torch.device("cpu")
    sizes = json.loads(sys.argv[1])
    content = np.load(sys.argv[2], allow_pickle=False)
    rows = [json.loads(line) for line in Path(sys.argv[3]).read_text(encoding="utf-8").splitlines()]
    labels = Dictionary(add_unk=False)
    for label in sorted({tag for _, tags in rows for tag in tags}):
        labels.add_item(label)
    embeddings = StackedEmbeddings(
        [
            Vectors(content["words"].tolist(), content["vectors"]),
            CharacterEmbeddings(
                path_to_char_dict=_characters(rows, Path(sys.argv[3]).with_name("characters")),
                char_embedding_dim=sizes["character_size"],
                hidden_size_char=sizes["characters"] // 2,
            ),
        ]
    )
    tagger = SequenceTagger(
        embeddings=embeddings,
        tag_dictionary=labels,
        tag_type="ner",
        hidden_size=sizes["hidden_size"],
        rnn_layers=1,
        use_crf=True,
        reproject_embeddings=False,
        dropout=0.0,
        word_dropout=0.0,
        locked_dropout=0.5,
        tag_format="BIO",
    )
    optimizer = torch.optim.AdamW([each for each in tagger.parameters() if each.requires_grad], lr=1e-3)
    sentences = [_sentence(words, tags) for words, tags in rows]
    batch = sizes["batch_size"]
    batches = [sentences[at : at + batch] for at in range(0, len(sentences), batch)]
    tagger.train()
    epochs = []
    for _ in range(2):
        begin = time.process_time()
        for each in batches:
            optimizer.zero_grad()
            loss, _ = tagger.forward_loss(each)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(tagger.parameters(), 5.0)
            optimizer.step()
            store_embeddings(each, "cpu")
        epochs.append(time.process_time() - begin)
    tagger.predict([Sentence(words) for words, _ in rows[:40]], mini_batch_size=batch)
    begin = time.process_time()
    fresh = [Sentence(words) for words, _ in rows]
    made = time.process_time() - begin
    tagger.predict(fresh, mini_batch_size=batch, embedding_storage_mode="none")
    taken = time.process_time() - begin
    print(json.dumps({"version": flair.__version__, "epoch": epochs[1], "tagging": taken, "sentences": made}))


def _characters(rows, file):
    """Write the dictionary of characters that flair would download, and return its path."""
    characters = Dictionary()
    for character in sorted({letter for words, _ in rows for word in words for letter in word}):
        characters.add_item(character)
    characters.save(file)
    return str(file)


def _sentence(words, tags):
    sentence = Sentence(words)
    begin = None
    for at, tag in enumerate([*tags, "O"]):
        if begin is not None and not tag.startswith("I-"):
            sentence[begin:at].add_label("ner", tags[begin][2:])
            begin = None
        if tag.startswith("B-"):
            begin = at
    return sentence


main()
