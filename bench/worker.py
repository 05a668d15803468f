"""One side of the encoding benchmark: loads, warms up, then encodes once for every line on stdin.

Started by bench/encode.py in the interpreter of the side's own virtual environment, so that peers never share
ours. Prints one JSON line when ready and one per round: CPU seconds and wall seconds.
"""

import argparse
import json
import sys
import time
from pathlib import Path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("side", choices=["tenor", "st", "st-openvino", "linears"])
    parser.add_argument("texts", type=Path, help="a JSON list of texts")
    parser.add_argument("--model", required=True)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--vectors", type=Path)
    options = parser.parse_args()
    texts = json.loads(options.texts.read_text())
    encode, about = SIDES[options.side](options)
    vectors = encode(texts)
    if options.vectors:
        import numpy as np

        np.save(options.vectors, vectors)
    say({"ready": options.side, **about})
    for _ in sys.stdin:
        cpu, wall = time.process_time(), time.perf_counter()
        encode(texts)
        say({"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall})


def tenor_side(options):
    import tenor

    model = tenor.load(options.model, precision=options.precision)
    return model.encode, {"engine": model.engine.name, "precision": model.precision}


def st_side(options):
    import torch
    from sentence_transformers import SentenceTransformer, __version__

    torch.set_num_threads(options.threads)
    model = SentenceTransformer(options.model, device="cpu")
    return (lambda texts: model.encode(texts, batch_size=options.batch)), {"version": __version__}


def st_openvino_side(options):
    """sentence-transformers' own OpenVINO backend, told the same precision and threads as ours."""
    import torch
    from sentence_transformers import SentenceTransformer, __version__

    torch.set_num_threads(options.threads)
    hint = {"fp32": "f32", "bf16": "bf16"}[options.precision]
    config = {
        "INFERENCE_PRECISION_HINT": hint,
        "INFERENCE_NUM_THREADS": str(options.threads),
        "CACHE_DIR": "",
    }
    model = SentenceTransformer(
        options.model, backend="openvino", model_kwargs={"export": True, "ov_config": config}
    )
    return (lambda texts: model.encode(texts, batch_size=options.batch)), {"version": __version__}


def linears_side(options):
    """Bare linear layers of the encoder's shapes, on as many tokens as the texts have, in torch."""
    import torch

    from tenor.encoders.bert.config import BertConfig
    from tenor.machine import guard
    from tenor.text.tokenizer import Tokenizer

    guard()
    torch.set_num_threads(options.threads)
    config = BertConfig.load(options.model)
    kind = {"fp32": torch.float32, "bf16": torch.bfloat16}[options.precision]
    d, hidden, rows = config.hidden_size, config.intermediate_size, 1024
    shapes = [(d, 3 * d), (d, d), (d, hidden), (hidden, d)]
    layers = [torch.nn.Linear(*shape).to(kind) for shape in shapes]
    inputs = [torch.randn(rows, shape[0]).to(kind) for shape in shapes]
    state = {}

    @torch.inference_mode()
    def run(texts):
        if "passes" not in state:
            tokens = Tokenizer.load(options.model, max_tokens=256).tokenize(texts).lengths.sum()
            state["passes"] = max(1, round(int(tokens) / rows)) * config.num_hidden_layers
        for _ in range(state["passes"]):
            for layer, values in zip(layers, inputs, strict=True):
                layer(values)
        return []

    run(json.loads(options.texts.read_text()))
    flops = 2 * rows * sum(a * b for a, b in shapes) * state["passes"]
    return run, {"flops": flops}


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


SIDES = {"tenor": tenor_side, "st": st_side, "st-openvino": st_openvino_side, "linears": linears_side}

if __name__ == "__main__":
    main()
