"""Word and phrase alignment against human links: `python bench/align.py DATA_FOLDER [--part P] [--rows N]`.

DATA_FOLDER holds `multimwa/{mtref,wiki}-{train,dev}.tsv.gz`: tab-separated id, first text in words, -, second
text, -, -, -, sure links `i-j …`, possible links. The figures are micro precision, recall and F1 over all
links of all rows; gold is sure and possible links together. Beside the whole method stand identical words and
plain mutual best. Phrase pairs are blocks of up to six words consistent with the gold links and with ours:
the minimal ones (they hold no other) and the maximal ones (none holds them).
"""

import argparse
import gzip
import time
from pathlib import Path

import numpy as np

import tenor
from tenor.use.align.extraction import consistent_pairs, maximal_pairs, minimal_pairs
from tenor.use.align.pairs import Aligner, WordPair
from tenor.use.align.words import cosines, is_mark, middle_layer, mutual_best

WINDOW = 200  # pairs whose word vectors are in memory at once
LONGEST = 6  # words of a phrase


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


def identical(pairs):
    """Link the k-th time of a word to its k-th time in the other text."""
    return [
        {(i, j) for i, one in enumerate(first) for j, two in enumerate(second)
         if one == two and first[:i].count(one) == second[:j].count(two)}
        for first, second in pairs
    ]  # fmt: skip


def best_links(model, pairs):
    found = []
    for start in range(0, len(pairs), WINDOW):
        window = pairs[start : start + WINDOW]
        texts = [words for pair in window for words in pair]
        states = model.word_states(texts, layer=middle_layer(model.engine.layers))
        for pair, *both in zip(window, states[::2], states[1::2], strict=True):
            links = mutual_best(cosines(both[0].vectors, both[1].vectors))
            found.append(in_given_words(links, pair, both))
    return found


def full_links(aligner, pairs):
    found = []
    for start in range(0, len(pairs), WINDOW):
        window = [WordPair(tuple(first), tuple(second)) for first, second in pairs[start : start + WINDOW]]
        found += [set(record.links) for record in aligner.align(window)]
    return found


def phrases(links, pair):
    """Return the minimal and the maximal blocks of words and no marks that are consistent with links."""
    matrix = np.zeros(tuple(map(len, pair)), dtype=bool)
    for i, j in links:
        matrix[i, j] = True
    spans = []
    for words in pair:
        marks = np.cumsum([0, *map(is_mark, words)])
        ends = range(1, LONGEST + 1)
        every = [(begin, begin + size) for begin in range(len(words)) for size in ends]
        spans.append([(b, e) for b, e in every if e <= len(words) and marks[b] == marks[e]])
    every = consistent_pairs(matrix, *spans)
    # Words without links at the ends of a block make it no other phrase: only tight blocks count.
    rows, columns = matrix.any(axis=1), matrix.any(axis=0)
    tight = [
        (one, two) for one, two in every
        if rows[one[0]] and rows[one[1] - 1] and columns[two[0]] and columns[two[1] - 1]
    ]  # fmt: skip
    return set(minimal_pairs(tight)), set(maximal_pairs(tight))


def score(found, gold):
    hits = sum(len(one & other) for one, other in zip(found, gold, strict=True))
    precision = hits / max(1, sum(map(len, found)))
    recall = hits / max(1, sum(map(len, gold)))
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def show(name, rows, method, found, gold):
    precision, recall, f1 = score(found, gold)
    print(f"{name:6} {rows:5}  {method:22} {precision:9.4f} {recall:7.4f} {f1:7.4f}", flush=True)


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
    aligner = Aligner(model)
    print(f"{'set':6} {'rows':>5}  {'method':22} {'precision':>9} {'recall':>7} {'F1':>7}")
    for name in ("mtref", "wiki"):
        pairs, gold = read_gold(folder / f"{name}-{arguments.part}.tsv.gz", arguments.rows)
        gold_phrases = [phrases(links, pair) for links, pair in zip(gold, pairs, strict=True)]
        show(name, len(pairs), "identical words", identical(pairs), gold)
        show(name, len(pairs), "mutual best", best_links(model, pairs), gold)
        start = time.process_time()
        found = full_links(aligner, pairs)
        spent = time.process_time() - start
        show(name, len(pairs), "tenor", found, gold)
        blocks = [phrases(links, pair) for links, pair in zip(found, pairs, strict=True)]
        for kind, which in (("minimal", 0), ("maximal", 1)):
            show(
                name,
                len(pairs),
                f"tenor, {kind} blocks",
                *([b[which] for b in x] for x in (blocks, gold_phrases)),
            )
        rate = len(pairs) / spent
        print(f"{name:6} {len(pairs):5}  {rate:,.0f} pairs per second of CPU time, phrases included")


if __name__ == "__main__":
    main()
