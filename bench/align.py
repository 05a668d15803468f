"""Word and phrase alignment against human links: `python bench/align.py DATA_FOLDER [--part P] [--rows N]`.

`--learn mtref` (or `wiki`, or `mtref,wiki`) learns aligners from the human links of those train parts, one
for each of `--seeds`, and scores them; `--gold FILE` only writes what they learn from, for
`tenor align --learn`. With `--unlabelled` they learn from the texts alone, by the links that are made without
supervision. Of MTRef's dev part, 480 of 800 rows have a text that stands in the train part as well,
so learned aligners are also scored on the rows whose texts are both new.

DATA_FOLDER holds `multimwa/{mtref,wiki}-{train,dev}.tsv.gz`: tab-separated id, first text in words, -, second
text, -, -, -, sure links `i-j …`, possible links. The figures are micro precision, recall and F1 over all
links of all rows; gold is sure and possible links together. Beside the whole method stand identical words and
plain mutual best. Phrase pairs are blocks of up to six words consistent with the gold links and with ours:
the minimal ones (they hold no other) and the maximal ones (none holds them).
"""

import argparse
import gzip
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import tenor
from tenor.text.alignments import AlignedPair
from tenor.use.align.extraction import consistent_pairs, maximal_pairs, minimal_pairs
from tenor.use.align.learned import load_aligner
from tenor.use.align.pairs import Aligner, WordPair
from tenor.use.align.states import layered_states
from tenor.use.align.words import cosines, is_punctuation, middle_layer, mutual_best

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


def learned_links(aligners, pairs):
    """Return the links of every aligner; all are for one encoder, which runs once for all of them."""
    found = [[] for _ in aligners]
    for start in range(0, len(pairs), WINDOW):
        window = pairs[start : start + WINDOW]
        texts = [words for pair in window for words in pair]
        states = layered_states(aligners[0].model, texts, aligners[0].layers)
        for first, second in zip(states[::2], states[1::2], strict=True):
            for aligner, own in zip(aligners, found, strict=True):
                links = aligner.learned.links(first.words, second.words, (first.vectors, second.vectors))
                own.append({(first.positions[i], second.positions[j]) for i, j in np.argwhere(links)})
    return found


def phrases(links, pair):
    """Return the minimal and the maximal blocks of words and no marks that are consistent with links."""
    matrix = np.zeros(tuple(map(len, pair)), dtype=bool)
    for i, j in links:
        matrix[i, j] = True
    spans = []
    for words in pair:
        punctuation = np.cumsum([0, *map(is_punctuation, words)])
        ends = range(1, LONGEST + 1)
        every = [(begin, begin + size) for begin in range(len(words)) for size in ends]
        spans.append([(b, e) for b, e in every if e <= len(words) and punctuation[b] == punctuation[e]])
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


def as_records(folder, names, rows):
    """Return the train parts as aligned pairs with links only."""
    records = []
    for name in names:
        pairs, gold = read_gold(folder / f"{name}-train.tsv.gz", rows)
        records += [
            AlignedPair(tuple(first), tuple(second), tuple(sorted(links)))
            for (first, second), links in zip(pairs, gold, strict=True)
        ]
    return records


def learned_aligners(model, records, seeds, unlabelled, epochs):
    from tenor.training.aligner.examples import look_at
    from tenor.training.aligner.learning import UNLABELLED, LearnSettings, learn_from_examples, own_links

    if unlabelled:
        records = own_links(Aligner(model), [WordPair(each.first, each.second) for each in records])
    examples = look_at(model, records, unlabelled=unlabelled)
    settings = UNLABELLED if unlabelled else LearnSettings()
    for seed in seeds:
        own = replace(settings, seed=seed, epochs=epochs or settings.epochs)
        found = learn_from_examples(examples, settings=own)
        print(
            f"seed {seed}: F1 on {found.learned.held_out} train pairs held out {found.learned.f1:.4f}",
            flush=True,
        )
        yield Aligner(model, learned=found)


def show_all(name, method, found, pairs, gold):
    """Show the figures of links, minimal and maximal blocks, and return the F1 of each."""
    show(name, len(pairs), method, found, gold)
    both = [[phrases(x, pair) for x, pair in zip(links, pairs, strict=True)] for links in (found, gold)]
    scores = [score(found, gold)[2]]
    for kind, which in (("minimal", 0), ("maximal", 1)):
        blocks = [[block[which] for block in side] for side in both]
        show(name, len(pairs), f"{method}, {kind} blocks", *blocks)
        scores.append(score(*blocks)[2])
    return scores


def measure_learned(aligners, name, pairs, gold, seen):
    """Show each aligner, then means and spreads: on all rows, and on those of new texts only."""
    new = [place for place, pair in enumerate(pairs) if not seen & {" ".join(words) for words in pair}]
    figures = []
    for number, found in enumerate(learned_links(aligners, pairs)):
        scores = show_all(name, f"learned {number}", found, pairs, gold)
        if new:
            scores.append(score([found[place] for place in new], [gold[place] for place in new])[2])
        figures.append(scores)
    means, spreads = np.mean(figures, axis=0), np.std(figures, axis=0, ddof=1 if len(figures) > 1 else 0)
    kinds = "links", "minimal blocks", "maximal blocks", f"links of the {len(new)} rows of new texts"
    for kind, mean, spread in zip(kinds, means, spreads, strict=False):
        print(f"{name:6} {len(pairs):5}  learned, {kind}: {mean:.4f} ± {spread:.4f} ({len(figures)} seeds)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--model", default="minilm")
    parser.add_argument("--part", default="dev", choices=("dev", "train"))
    parser.add_argument("--rows", type=int, default=None, help="only the first rows")
    parser.add_argument("--sets", default="mtref,wiki", help="sets that are scored")
    parser.add_argument("--learn", default="", help="sets whose train parts are learned from: mtref,wiki")
    parser.add_argument("--unlabelled", action="store_true", help="learn from the texts alone")
    parser.add_argument("--epochs", type=int, default=None, help="of learning")
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--aligner", type=Path, nargs="*", default=[], help="score these instead of learning")
    parser.add_argument("--gold", type=Path, help="only write the train parts of --learn to this JSONL file")
    arguments = parser.parse_args()
    folder = arguments.data / "multimwa"
    if not folder.is_dir():
        print(f"skipped: {arguments.data} holds no folder 'multimwa'")
        return
    names = [name for name in arguments.learn.split(",") if name]
    records = as_records(folder, names, arguments.rows)
    if arguments.gold:
        arguments.gold.write_text("".join(record.to_line() + "\n" for record in records), encoding="utf-8")
        return
    model = tenor.load(arguments.model, precision="fp32")
    aligners = [Aligner(model, learned=load_aligner(path)) for path in arguments.aligner]
    if names and not aligners:
        aligners = list(
            learned_aligners(
                model, records, map(int, arguments.seeds.split(",")), arguments.unlabelled, arguments.epochs
            )
        )
    print(f"{'set':6} {'rows':>5}  {'method':22} {'precision':>9} {'recall':>7} {'F1':>7}")
    for name in arguments.sets.split(","):
        pairs, gold = read_gold(folder / f"{name}-{arguments.part}.tsv.gz", arguments.rows)
        if aligners:
            seen = {
                " ".join(words) for r in as_records(folder, [name], None) for words in (r.first, r.second)
            }
            measure_learned(aligners, name, pairs, gold, seen)
            continue
        show(name, len(pairs), "identical words", identical(pairs), gold)
        show(name, len(pairs), "mutual best", best_links(model, pairs), gold)
        aligner = Aligner(model)
        start = time.process_time()
        found = full_links(aligner, pairs)
        rate = len(pairs) / (time.process_time() - start)
        show_all(name, "tenor", found, pairs, gold)
        print(f"{name:6} {len(pairs):5}  {rate:,.0f} pairs per second of CPU time, phrases included")


if __name__ == "__main__":
    main()
