"""A step of the paraphrase stage beside a plain pair-classification step on the very same tokens.

    python bench/stage.py [--pairs 16] [--rounds 20] [--aligned FILE.jsonl]

Both steps draw their batch, run the encoder (the shape of the starter: 6 layers × 384, random weights), the
heads, the losses, the gradients and AdamW. The plain one has one linear layer on the pooler's output of each
sequence. They alternate, with one thread, in CPU time. Without ``--aligned`` the pairs are made up: 14 words
a text, one phrase in every two words aligned. Asked is a ratio of at most 1.25.
"""

import argparse
import json
import statistics
import time
from pathlib import Path

import numpy as np
import torch
from peers import ROOT

from tenor.encoders.bert.config import BertConfig
from tenor.encoders.bert.encoder import BertEncoder
from tenor.encoders.bert.from_scratch import BertFromScratch
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.network import Network
from tenor.report.provenance import machine, versions
from tenor.tasks.phrases.aligned_file import AlignedFile
from tenor.tasks.phrases.kind import PhrasesSpec
from tenor.tasks.phrases.task import PhrasesTask
from tenor.tasks.table import task_spec, tasks_of
from tenor.tasks.task import TaskBatch
from tenor.text.alignments import AlignedPair
from tenor.text.tokenizer import Tokenizer

ASKED = 1.25
WORDS = [first + second for first in ("ba", "ke", "mi", "lo", "tu", "ra", "ne", "si") for second in "nrstml"]


def made_up(count, generator, size=14):
    """Return pairs of texts in the same words, half of the phrases of one to three words aligned."""
    pairs = []
    for _ in range(count):
        words = tuple(generator.choice(WORDS, size=size))
        spans = [(begin, begin + length) for length in (1, 2, 3) for begin in range(size - length + 1)]
        aligned = tuple((span, span) for span in spans[::2])
        pairs.append(AlignedPair(words, words[::-1], (), aligned, tuple(spans), tuple(spans)))
    return pairs


def network_of(vocabulary, task):
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=vocabulary,
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=1536,
        max_position_embeddings=512,
    )
    network = Network(BertEncoder(config), pooling=PoolingConfig(), tasks={task.name: task}).train()
    return network, torch.optim.AdamW(network.parameters(), lr=1e-5, fused=True)


def stepped(network, optimizer, name, make):
    """Return the CPU seconds of a whole step."""
    begin = time.process_time()
    batch = make()
    task = network.task(name)
    losses = task.losses(network({name: batch})[name], batch)
    optimizer.zero_grad()
    sum(losses.values()).backward()
    optimizer.step()
    return time.process_time() - begin


def measure(stage, plain, data, options):
    """Alternate both steps over the same rows; return seconds of each."""
    generator, took = np.random.default_rng(0), {"stage": [], "plain": []}
    for number in range(options.rounds + 2):
        rows = generator.choice(len(data), size=options.pairs, replace=False)
        task = stage[0].task("stage")
        drawn = task.collate(data, rows, generator=np.random.default_rng(number))

        def again(rows=rows, number=number, task=task):
            return task.collate(data, rows, generator=np.random.default_rng(number))

        def same(drawn=drawn):
            tokens = drawn.tokens.take(np.arange(len(drawn.tokens)))
            labels = torch.arange(len(tokens)) < len(drawn)
            return TaskBatch(rows=np.arange(len(tokens)), tokens=tokens, targets=labels.long())

        both = [("stage", stage, again), ("plain", plain, same)]
        for name, (network, optimizer), make in both if number % 2 else both[::-1]:
            seconds = stepped(network, optimizer, name, make)
            if number >= 2:  # the first two claim memory
                took[name].append(seconds)
    return took, int(drawn.tokens.starts[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pairs", type=int, default=16, help="of a step; each also gets a random partner")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--aligned", type=Path, help="pairs as `tenor align` writes them")
    parser.add_argument("--encoder", default="minilm", help="whose vocabulary --aligned is cut by")
    options = parser.parse_args()
    torch.set_num_threads(1)
    generator = np.random.default_rng(0)
    if options.aligned is None:
        import tempfile

        folder = Path(tempfile.mkdtemp()) / "encoder"
        new = BertFromScratch(vocab_size=120, hidden_size=8, num_heads=2, num_layers=1)
        tokenizer = Tokenizer.load(new.write(folder, WORDS))
        examples = made_up(400, generator)
    else:
        from tenor.assets import find

        tokenizer = Tokenizer.load(find(options.encoder), max_tokens=64)
        examples = AlignedFile(options.aligned)
    stage_task = PhrasesTask("stage", PhrasesSpec(), hidden_size=384)
    spec = task_spec("pair", labels=("0", "1"), head="linear", encoding="cross", pooling="pooler")
    plain_task = tasks_of({"plain": spec}, width=384, layers=6, pooling=PoolingConfig())["plain"]
    data = stage_task.prepare(examples, tokenizer)
    size = tokenizer.largest_id + 1
    took, tokens = measure(network_of(size, stage_task), network_of(size, plain_task), data, options)
    ratios = [one / two for one, two in zip(took["stage"], took["plain"], strict=True)]
    low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
    print(f"{tokens:,} tokens a step; stage {statistics.median(took['stage']):.3f} s, plain "
          f"{statistics.median(took['plain']):.3f} s; ratio {middle:.2f} (quartiles {low:.2f}, {high:.2f}; "
          f"asked: at most {ASKED})")  # fmt: skip
    found = {
        "ratio": float(middle), "quartiles": [float(low), float(high)], "asked": ASKED, "tokens": tokens,
        "pairs": options.pairs, "rounds": options.rounds, "aligned": bool(options.aligned),
        "seconds": {name: statistics.median(each) for name, each in took.items()},
        "machine": machine(), "versions": versions(),
    }  # fmt: skip
    (ROOT / "bench" / "results" / "stage.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
