"""``learn_operators``: from pairs of texts that say the same to a model of word operators."""

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from tenor.errors import TenorError
from tenor.training.callbacks import Callback
from tenor.training.operators.learner import OperatorLearner, OperatorSettings

FEWEST_PAIRS = 20


def learn_operators(
    pairs: Iterable[tuple[str, str]],
    out: str | Path,
    *,
    dimensions: int = 50,
    min_count: int = 2,
    settings: OperatorSettings | None = None,
    callbacks: Sequence[Callback] = (),
    seed: int = 1,
) -> Path:
    """Learn word operators from paraphrases, and write the model folder ``out``, new or empty.

    A word that is there less than ``min_count`` times is unknown to the model.

    >>> import tempfile
    >>> pairs = [(f"the cat number {n} sat", f"cat {n} was sitting") for n in range(30)]
    >>> folder = learn_operators(pairs, Path(tempfile.mkdtemp()) / "wlo", dimensions=4, min_count=1,
    ...                          settings=OperatorSettings(epochs=1, batch_size=5))
    >>> (folder / "model.safetensors").is_file()
    True
    """
    from tenor.encoders.operators.encoder import OperatorsEncoder
    from tenor.encoders.operators.from_scratch import OperatorsFromScratch
    from tenor.encoders.table import encoder_type
    from tenor.training.api import train

    settings = settings or OperatorSettings()
    texts = [text for pair in pairs for text in pair]
    if len(texts) < 2 * FEWEST_PAIRS:
        raise TenorError(
            f"{len(texts) // 2} pairs are too few to learn from; give at least {FEWEST_PAIRS}, better "
            "some ten thousand."
        )
    new = OperatorsFromScratch(embedding_size=dimensions, min_count=min_count)
    folder = new.write(out, texts, seed=seed)
    kind = encoder_type(new.model_type)
    encoder = kind.load(folder)
    assert isinstance(encoder, OperatorsEncoder)
    tokens = kind.tokenizer(folder, max_tokens=None).tokenize(texts)
    learner = OperatorLearner(encoder, tokens, settings)
    with tempfile.TemporaryDirectory(prefix="tenor-operators-") as place:
        train(
            learner,
            out=Path(place) / "run",
            callbacks=callbacks,
            seed=seed,
            epochs=settings.epochs,
            head_lr=settings.lr,
            optimizer="adam",
            weight_decay=0.0,
            schedule="linear",
            warmup=0.0,
            max_grad_norm=5.0,
            precision="fp32",
        )
    kind.save(encoder, folder)
    return folder
