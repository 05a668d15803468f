"""What both peers of the training benchmark share: batches grouped by length, arguments, a callback."""

import random

from training_worker_measures import ENCODER_RATE, HEAD_RATE


def grouped(rows, batch, seed):
    """Shuffle rows, then sort them by length within windows of 50 batches, as the Trainer's grouping does."""
    rows = list(rows)
    random.Random(seed).shuffle(rows)
    window = 50 * batch
    parts = [rows[at : at + window] for at in range(0, len(rows), window)]
    for part in parts:
        part.sort(key=lambda row: -sum(len(text.split()) for text in row[:-1]))
    rows = [row for part in parts for row in part]
    batches = [rows[at : at + batch] for at in range(0, len(rows) - batch + 1, batch)]
    random.Random(seed + 1).shuffle(batches)
    return batches


def rounds_of(rows, batch, count, seed):
    found = []
    while len(found) < count:
        found += grouped(rows, batch, seed + len(found))
    return found[:count]


def callback_of(clock):
    from transformers import TrainerCallback

    class Tick(TrainerCallback):
        def on_step_end(self, *_, **__):
            clock.tick()

    return Tick()


def arguments_of(options, folder, seed):
    return {
        "output_dir": folder, "max_steps": options.updates, "learning_rate": ENCODER_RATE, "seed": seed,
        "optim": "adamw_torch_fused", "lr_scheduler_type": "constant", "weight_decay": 0.01,
        "max_grad_norm": 1.0, "use_cpu": True, "bf16": options.precision == "bf16", "disable_tqdm": True,
        "report_to": "none", "save_strategy": "no", "logging_strategy": "no", "dataloader_num_workers": 0,
    }  # fmt: skip


def two_rates(body, heads):
    """Return fused AdamW with a rate for the encoder and one for heads, as all sides have it."""
    import torch

    groups = [{"params": body, "lr": ENCODER_RATE}, {"params": heads, "lr": HEAD_RATE}]
    return torch.optim.AdamW(groups, weight_decay=0.01, fused=True)


def labels_of(data):
    named = {task: parts for task, parts in data.items() if task != "similarity"}
    return {task: sorted({row[-1] for row in parts["train"]}) for task, parts in named.items()}
