"""A worker in an environment of its own: trains the real setfit on the rows of a cell from standard input.

JSON in: {"encoder", "train": [[text, label], …], "test": […], "seed", "folder"}; JSON out: {"predictions",
"cpu_seconds"}.
"""

import json
import sys
import time


def main():
    import torch

    torch.set_num_threads(1)
    from datasets import Dataset
    from setfit import SetFitModel, Trainer, TrainingArguments

    job = json.load(sys.stdin)
    labels = sorted({label for _, label in job["train"]})
    begin = time.process_time()
    model = SetFitModel.from_pretrained(job["encoder"])
    loaded = time.process_time()
    trainer = Trainer(
        model=model,
        args=TrainingArguments(
            output_dir=job["folder"],
            num_iterations=20,
            batch_size=16,
            num_epochs=1,
            seed=job["seed"],
            save_strategy="no",
            report_to="none",
            show_progress_bar=False,
        ),
        train_dataset=Dataset.from_dict(
            {"text": [t for t, _ in job["train"]], "label": [labels.index(each) for _, each in job["train"]]}
        ),
    )
    trainer.train()
    took = time.process_time() - loaded
    predictions = [labels[int(each)] for each in model.predict([text for text, _ in job["test"]])]
    result = {"predictions": predictions, "cpu_seconds": took, "load_seconds": loaded - begin}
    print("\n" + json.dumps(result))


if __name__ == "__main__":
    main()
