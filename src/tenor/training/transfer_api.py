"""``tenor.transfer``: transfer fine-tuning on paraphrases, in one call."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tenor.tasks.phrases.kind import PhrasesSpec
from tenor.training.callbacks import Callback
from tenor.training.config import TrainingConfig
from tenor.training.transfer import USUAL, Transfer, Transferred
from tenor.training.transfer import transfer as run_transfer


def transfer(
    pairs: str | Path,
    *,
    out: str | Path,
    encoder: str | Path = "minilm",
    columns: Mapping[str, str | int] | None = None,
    encoding: str | None = None,
    leave_out: Sequence[str | Path] = (),
    held_out: int = 500,
    spec: PhrasesSpec | None = None,
    training: TrainingConfig = USUAL,
    epochs: int | None = None,
    batch_size: int = 50,
    max_tokens: int = 128,
    evaluations: int = 5,
    seed: int = 1,
    device: str = "auto",
    strict: bool = False,
    callbacks: Sequence[Callback] = (),
) -> Transferred:
    """Train an encoder on paraphrases, so that fine-tuning needs fewer labelled pairs.

    ``pairs`` is a file of texts that say the same, or what :func:`tenor.align` made of one. Nothing of the
    files in ``leave_out`` is learned. ``out`` gets the encoder to be fine-tuned (``plain``) and the same with
    its classifiers (``explaining``); a run that was stopped goes on there. ``spec`` says what is learned:
    phrases of three classes and sentences when None.

    >>> import tempfile, tenor
    >>> from pathlib import Path
    >>> from tenor.encoders.from_scratch import from_scratch_config
    >>> here = Path(tempfile.mkdtemp())
    >>> nouns, adjectives = ("dog", "cat", "house", "tree", "book"), ("big", "small", "red", "old")
    >>> texts = [(f"a {how} {what} fell", f"the {how} {what} fell") for what in nouns for how in adjectives]
    >>> _ = (here / "pairs.tsv").write_text("".join(f"{a}\\t{b}\\n" for a, b in texts))
    >>> small = {"vocab_size": 60, "hidden_size": 8, "num_heads": 2, "num_layers": 1}
    >>> new = from_scratch_config(small).write(here / "new", [text for pair in texts for text in pair])
    >>> done = tenor.transfer(here / "pairs.tsv", out=here / "out", encoder=new, batch_size=4)
    >>> tenor.load(done.plain).width
    8
    """
    asked = Transfer(
        pairs=Path(pairs),
        encoder=str(encoder),
        columns=columns,
        file_encoding=encoding,
        measured=[Path(file) for file in leave_out],
        held_out=held_out,
        config=spec or PhrasesSpec(),
        training=training if epochs is None else replace(training, epochs=epochs),
        batch_size=batch_size,
        max_tokens=max_tokens,
        evaluations=evaluations,
        seed=seed,
        strict=strict,
    )
    return run_transfer(asked, out=out, device=device, callbacks=callbacks)
