"""Word alignment against human links: `python bench/align.py DATA_FOLDER [--model NAME] [--rows N]`.

DATA_FOLDER holds `multimwa/{mtref,wiki}-dev.tsv.gz`: tab-separated id, first text in words, -, second text,
-, -, -, sure links `i-j …`, possible links. The figures are micro precision, recall and F1 over all links of
all rows; gold is sure and possible links together. Plain mutual best stands beside the whole method.
"""

import argparse
import gzip
import time
from pathlib import Path

import numpy as np

import tenor
from tenor.use.align.words import align_words, cosines, middle_layer, mutual_best

WINDOW = 200  # pairs whose word vectors are in memory at once


def read_gold(path, rows):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        cells = [line.rstrip("\n").split("\t") for line in file][:rows]
    links = [{tuple(map(int, link.split("-"))) for link in " ".join(row[7:9]).split()} for row in cells]
    return [(row[1].split(" "), row[3].split(" ")) for row in cells], links


def in_given_words(links, pair, states):
    """Return links as pairs of places in the given words, of which the model may have left some out."""
    places = []
    for words, side in zip(pair, states, strict=True):
        begins = np.cumsum([0, *(len(word) + 1 for word in words[:-1])])
        places.append(np.searchsorted(begins, side.spans[:, 0]))
    return {(int(places[0][i]), int(places[1][j])) for i, j in np.argwhere(links)}


def predict(model, pairs):
    best, full = [], []
    layer = middle_layer(model.engine.layers)
    for start in range(0, len(pairs), WINDOW):
        window = pairs[start : start + WINDOW]
        states = model.word_states([words for pair in window for words in pair], layer=layer)
        for pair, *both in zip(window, states[::2], states[1::2], strict=True):
            vectors = both[0].vectors, both[1].vectors
            best.append(in_given_words(mutual_best(cosines(*vectors)), pair, both))
            links = align_words(both[0].words, both[1].words, vectors)
            full.append(in_given_words(links, pair, both))
    return best, full


def score(found, gold):
    hits = sum(len(one & other) for one, other in zip(found, gold, strict=True))
    precision = hits / max(1, sum(map(len, found)))
    recall = hits / max(1, sum(map(len, gold)))
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--model", default="minilm")
    parser.add_argument("--part", default="dev", choices=("dev", "train"))
    parser.add_argument("--rows", type=int, default=None, help="only the first rows")
    arguments = parser.parse_args()
    folder = arguments.data / "multimwa"
    if not folder.is_dir():
        print(f"skipped: {arguments.data} holds no folder 'multimwa'")
        return
    model = tenor.load(arguments.model, precision="fp32")
    print(f"{'set':12} {'rows':>5}  {'method':12} {'precision':>9} {'recall':>7} {'F1':>7}")
    for name in ("mtref", "wiki"):
        pairs, gold = read_gold(folder / f"{name}-{arguments.part}.tsv.gz", arguments.rows)
        start = time.perf_counter()
        methods = zip(("mutual best", "tenor"), predict(model, pairs), strict=True)
        spent = time.perf_counter() - start
        for method, found in methods:
            precision, recall, f1 = score(found, gold)
            print(f"{name:12} {len(pairs):5}  {method:12} {precision:9.4f} {recall:7.4f} {f1:7.4f}")
        print(f"{name:12} {len(pairs):5}  {len(pairs) / spent:,.0f} pairs/s, both methods together")


if __name__ == "__main__":
    main()
