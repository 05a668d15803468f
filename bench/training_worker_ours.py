"""Our side of the training benchmark, and the bare linear layers that say what the machine gives at most."""

from pathlib import Path

from training_worker_measures import ENCODER_RATE, HEAD_RATE, Clock


def tenor_side(options, data):
    from tenor.machine import guard, use_huge_pages

    guard()
    use_huge_pages()  # as `tenor train` does
    import torch

    from tenor.tasks.table import task_config
    from tenor.text.examples import Origin, Pair, Sentence
    from tenor.training.building import build_learner
    from tenor.training.callbacks import Callback
    from tenor.training.config import RunConfig, TrainingConfig
    from tenor.training.fitting import make_trainer
    from tenor.training.reading import TaskExamples

    torch.set_num_threads(options.threads)
    origin, nothing = Origin("bench", 1), Path("bench")
    pair = {"first": "first", "second": "second"}
    tasks = {
        "sentiment": task_config("classify", train=nothing, columns={"text": "text", "label": "label"}),
        "paraphrase": task_config("pair", train=nothing, columns=pair | {"label": "label"}, head="linear",
            features=("u", "v", "abs"),
        ),
        "similarity": task_config("similarity", train=nothing, columns=pair | {"score": "score"}, range=(0, 5)
        ),
    }  # fmt: skip
    make = {
        "sentiment": lambda row: Sentence(row[0], origin, label=row[1]),
        "paraphrase": lambda row: Pair(row[0], row[1], origin, label=row[2]),
        "similarity": lambda row: Pair(row[0], row[1], origin, score=row[2]),
    }
    examples = {
        name: TaskExamples(
            train=[make[name](row) for row in parts["train"]], dev=[make[name](row) for row in parts["dev"]]
        )
        for name, parts in data.items()
    }

    class Ticks(Callback):
        def __init__(self):
            self.clock = Clock()

        def on_step_end(self, learner, progress, report):
            self.clock.count(report.tokens)
            self.clock.tick()

    def start(seed):
        training = TrainingConfig(
            epochs=1000, steps=options.updates, encoder_lr=ENCODER_RATE, head_lr=HEAD_RATE,
            schedule="constant", warmup=0.0, eval_steps=10**9, precision=options.precision,
        )  # fmt: skip
        run = RunConfig(encoder=options.model, seed=seed, tasks=tasks, training=training)
        built = build_learner(run, examples)
        dev, built.learner.dev = built.learner.dev, {}
        watcher = Ticks()
        make_trainer(
            built.learner,
            training,
            seed=seed,
            encoder=built.network.encoder,
            callbacks=[watcher],
            precision=options.precision,
        ).run()
        told = watcher.clock.told()
        if options.scores:
            built.learner.dev = dev
            told["scores"] = {name: found.main for name, found in built.learner.evaluate().items()}
        return told

    return start


def linears_side(options, data):
    """Bare linear layers of the encoder's shapes, forward and backward: what this machine gives at most."""
    from tenor.machine import guard

    guard()
    import torch

    torch.set_num_threads(options.threads)
    shapes = [(384, 1152), (384, 384), (384, 1536), (1536, 384)]
    layers = [torch.nn.Linear(*shape) for shape in shapes]
    inputs = [torch.randn(1400, shape[0], requires_grad=True) for shape in shapes]

    def start(seed):
        clock = Clock()
        for _ in range(4):
            for layer, values in zip(layers, inputs, strict=True):
                layer(values).sum().backward()
            clock.tick()
        flops = 6 * 1400 * sum(a * b for a, b in shapes)
        return clock.told() | {"flops": flops}

    return start
